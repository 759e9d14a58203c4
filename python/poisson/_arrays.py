"""Arrays of numpy, torch, cupy, jax and other packages that share their memory."""

import sys

import numpy as np

from ._core import ConfigurationError


def package(array):
    """Returns the name of the package that an array belongs to, or None if the object is no array.

    Packages are recognized by their types; none is imported. Other objects with DLPack or an array interface count as
    "numpy" if they are in host memory.
    """
    if isinstance(array, np.ndarray):
        return "numpy"
    root = type(array).__module__.partition(".")[0]
    if root in ("torch", "cupy") and hasattr(array, "__dlpack__"):
        return root
    if root in ("jax", "jaxlib"):
        return "jax"
    if hasattr(array, "__cuda_array_interface__"):
        return "cuda"
    if hasattr(array, "__array_interface__") or hasattr(array, "__dlpack__") or hasattr(array, "__array__"):
        return None if isinstance(array, np.generic) else "numpy"
    return None


def is_array(value):
    """Returns whether a value has one number for each node or cell."""
    return package(value) is not None and len(getattr(value, "shape", (0,))) > 0


def to_host(array, name):
    """Returns (values, copies): a C-contiguous numpy array of float64 or float32, and the copies that this needed.

    Raises ConfigurationError with the remedy for complex numbers, objects, masked values and deleted arrays.
    """
    kind = package(array)
    copies = 0
    try:
        if kind == "torch":
            values = array.detach()
            if values.device.type != "cpu":
                values, copies = values.cpu(), 1
            values = values.numpy()
        elif kind == "cupy":
            values, copies = array.get(), 1
        elif kind == "cuda":
            values, copies = _package_of_device()(array).get(), 1
        elif isinstance(array, np.ma.MaskedArray):
            if np.ma.is_masked(array):
                raise ConfigurationError(f"{name}: the array has masked values; fill them: values.filled(0)")
            values = array.data
        elif kind == "jax":
            copies = int(any(device.platform != "cpu" for device in array.devices()))
            values = np.asarray(array)
        else:
            values = np.asarray(array) if hasattr(array, "__array_interface__") or hasattr(array, "__array__") \
                else np.from_dlpack(array)
    except ConfigurationError:
        raise
    except Exception as error:  # a deleted, donated or foreign array
        raise ConfigurationError(f"{name}: the array cannot be read ({error}); pass an array that exists, in host memory "
                                 "or in the memory of the solver's device") from error
    if values.dtype.kind not in "fiub":
        raise ConfigurationError(f"{name}: the array has the type {values.dtype}; give real numbers, for example "
                                 "values.astype(float)")
    wanted = np.float32 if values.dtype in (np.float32, np.float16) else np.float64
    ready = np.ascontiguousarray(values, dtype=wanted)
    if values.ndim > 0 and not np.shares_memory(ready, values) and values.size > 0:
        copies += 1
    return ready, copies


def _package_of_device():
    cupy = sys.modules.get("cupy")
    if cupy is None:
        raise ConfigurationError("an array with __cuda_array_interface__ alone needs cupy; import cupy first, or pass a "
                                 "torch tensor")
    return cupy.asarray


def like(values, model):
    """Returns numpy values as an array of the package and device of `model`."""
    kind = package(model)
    if kind == "torch":
        torch = sys.modules["torch"]
        return torch.from_numpy(values).to(model.device)
    if kind in ("cupy", "cuda"):
        return sys.modules["cupy"].asarray(values)
    if kind == "jax":
        jax = sys.modules["jax"]
        return jax.numpy.asarray(values)
    return values


def is_narrow(array):
    """Returns whether an array has 32 bits for each number."""
    return "float32" in str(getattr(array, "dtype", ""))
