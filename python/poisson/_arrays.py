"""Arrays of numpy, torch, cupy, jax and other packages that share their memory."""

import importlib
import os
import reprlib
import sys

import numpy as np

from . import _core
from ._core import ConfigurationError, DeviceArray

_CUDA = 2  # kDLCUDA
_packages: dict = {}  # of types of arrays
_LARGEST = 10**308
_texts = reprlib.Repr()
_texts.maxlevel, _texts.maxstring, _texts.maxother = 3, 80, 80


def shown(value):
    """Returns a value as text for messages, shortened."""
    try:
        return _texts.repr(value)
    except Exception:  # of its own repr
        return f"an object of the type {type(value).__name__}"


def _dlpack_device(array):
    try:
        return int(array.__dlpack_device__()[0])
    except Exception:  # no DLPack, or a deleted array
        return None


def package(array):
    """Returns the name of the package that an array belongs to, or None if the object is no array.

    Packages are recognized by their types; none is imported. Other objects with DLPack or an array interface count as
    "numpy" if they are in host memory.
    """
    if isinstance(array, np.ndarray):
        return "numpy"
    kind = type(array)
    known = _packages.get(kind)
    if known is not None:
        return known
    root = kind.__module__.partition(".")[0]
    if root in ("torch", "cupy") and hasattr(array, "__dlpack__"):
        _packages[kind] = root
        return root
    if root in ("jax", "jaxlib"):
        return "jax"
    if hasattr(array, "__cuda_array_interface__") or _dlpack_device(array) == _CUDA:
        return "cuda"
    if hasattr(array, "__array_interface__") or hasattr(array, "__dlpack__") or hasattr(array, "__array__"):
        return None if isinstance(array, np.generic) else "numpy"
    return None


def is_array(value):
    """Returns whether a value has one number for each node or cell."""
    return package(value) is not None and shape_of(value) != ()


def shape_of(array):
    """Returns the shape of an array; (0,) for an object whose shape is unknown before it is read."""
    try:
        return tuple(array.shape)
    except Exception:  # without a shape, or deleted
        return (0,)


def mapping(value, name, example):
    """Returns a dictionary, an empty one for None. Raises ConfigurationError for other objects."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigurationError(f"{name}: expected a dictionary, found {shown(value)}; give for example {example}")
    return value


def number_or_text(value, name):
    """Returns a number or an expression. Raises ConfigurationError for numbers and texts that cannot be converted."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ConfigurationError(f"{name}: expected a number, an expression or an array, found {shown(value)}")
    try:
        return text(value, name) if isinstance(value, str) else float(value)
    except OverflowError:
        raise ConfigurationError(f"{name}: the integer is too large; give a number below 1e308") from None


def number(value, name):
    """Returns a finite number. Raises ConfigurationError for other objects."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (int, float)) and not isinstance(value, bool) and -_LARGEST < value < _LARGEST:
        return float(value)
    raise ConfigurationError(f"{name}: expected a finite number, found {shown(value)}")


def whole_number(value, name, least=0):
    """Returns a whole number from `least` to 2³¹ − 1. Raises ConfigurationError for other objects."""
    found = number(value, name)
    if found != int(found) or not least <= found < 2**31:
        raise ConfigurationError(f"{name}: expected a whole number from {least} to 2147483647, found {shown(value)}")
    return int(found)


def numbers(value, name, kinds="fiub"):
    """Returns numbers as a C-contiguous array of float64, or of int64 with kinds="iub". Raises ConfigurationError."""
    try:
        found = _host_values(value, name)[0] if package(value) else np.asarray(value)
        if found.dtype.kind not in kinds and found.size > 0:
            raise TypeError(f"the type {found.dtype}")
        return np.asarray(found, dtype=np.float64 if "f" in kinds else np.int64, order="C")
    except ConfigurationError:
        raise
    except Exception as error:  # ragged lists, texts, complex numbers
        raise ConfigurationError(f"{name}: expected an array of {'real' if 'f' in kinds else 'whole'} numbers, found "
                                 f"{shown(value)}") from error


def device(value):
    """Returns the name of a device. Raises ConfigurationError for other things than texts."""
    if not isinstance(value, str):
        raise ConfigurationError(f"device: expected a text, found {shown(value)}; give cpu, cuda or cuda:1")
    return text(value, "device")


def text(value, name):
    """Returns a text. Raises ConfigurationError for one that has no UTF-8 encoding."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ConfigurationError(f"{name}: the text has a character that cannot be written ({error.reason}); remove "
                                 "it") from None
    return value


def path(value, name):
    """Returns a path as text. Raises ConfigurationError for other objects."""
    try:
        found = os.fspath(value)
    except TypeError:
        found = None
    if not isinstance(found, str) or "\0" in found:
        raise ConfigurationError(f"{name}: expected a path, found {shown(value)}")
    return text(found, name)


def _host_values(array, name):
    """Returns (values, copies): a numpy array of real numbers, and the copies that this needed. Raises as to_host."""
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
            return _host_values(_package_of_device()(array), name)
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
    return values, copies


def to_labels(array, name):
    """Returns the voxels of an image as a C-contiguous numpy array of integers or floating-point numbers. Raises as
    to_host."""
    values = _host_values(array, name)[0]
    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float32 if values.dtype.itemsize < 4 else np.float64)
    if values.dtype.kind == "b":
        values = np.ascontiguousarray(values).view(np.uint8)
    return np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))


def to_host(array, name):
    """Returns (values, copies): a C-contiguous numpy array of float64 or float32, and the copies that this needed.

    Raises ConfigurationError with the remedy for complex numbers, objects, masked values and deleted arrays.
    """
    values, copies = _host_values(array, name)
    wanted = np.float32 if values.dtype in (np.float32, np.float16) else np.float64
    ready = np.asarray(values, dtype=wanted, order="C")  # numbers keep their shape
    if values.ndim > 0 and not np.shares_memory(ready, values) and values.size > 0:
        copies += 1
    return ready, copies


def _package_of_device():
    """Returns the function of a loaded package that shares memory of a device."""
    if "cupy" in sys.modules:
        cupy = sys.modules["cupy"]
        return lambda a: cupy.asarray(a) if hasattr(a, "__cuda_array_interface__") else cupy.from_dlpack(a)
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        return lambda a: torch.from_dlpack(a) if hasattr(a, "__dlpack__") else torch.as_tensor(a, device="cuda")
    raise ConfigurationError("an array of another package in GPU memory needs cupy or torch; import one of them first")


def is_on_device(array):
    """Returns whether an array is in memory of a CUDA device."""
    kind = package(array)
    if kind == "torch":
        return array.is_cuda
    if kind == "jax":
        return any(device.platform in ("gpu", "cuda") for device in array.devices())
    return kind in ("cupy", "cuda")


def on_device(array, name):
    """Returns (array, stream, copies): a DeviceArray of a C-contiguous array of fp64 or fp32, the stream that writes it
    or None, and the copies that this needed. Returns None for arrays of the host.

    Raises ConfigurationError with the remedy for complex numbers and deleted arrays.
    """
    try:
        if not _core.cuda or not is_on_device(array):
            return None
        kind = package(array)
        if kind == "torch":
            return _of_torch(array, name)
        if kind == "cuda":
            array = _package_of_device()(array)
            kind = package(array)
        return {"torch": _of_torch, "cupy": _of_cupy, "jax": _of_jax}[kind](array, name)
    except ConfigurationError:
        raise
    except Exception as error:  # a deleted or donated array
        raise ConfigurationError(f"{name}: the array cannot be read ({error}); pass an array that exists, in host memory "
                                 "or in the memory of the solver's device") from error


def _device_array(ready, name, pointer, narrow, device):
    return DeviceArray(pointer, ready.shape, narrow, device, ready,
                       lambda places: np.ascontiguousarray(to_host(ready[places], name)[0], dtype=np.float64))


def _of_torch(array, name):
    torch = sys.modules["torch"]
    ready = array.detach() if array.requires_grad else array
    dtype = ready.dtype
    if (dtype is not torch.float64 and dtype is not torch.float32) or not ready.is_contiguous():
        if ready.is_complex():
            raise ConfigurationError(f"{name}: the array has the type {dtype}; give real numbers")
        narrow = dtype in (torch.float32, torch.float16, torch.bfloat16)
        ready = ready.to(torch.float32 if narrow else torch.float64).contiguous()
    pointer, device = ready.data_ptr(), ready.get_device()
    return (_device_array(ready, name, pointer, ready.dtype is torch.float32, device), _stream_of_torch(torch, device),
            int(pointer != array.data_ptr()))


def _of_cupy(array, name):
    cupy = sys.modules["cupy"]
    if array.dtype.kind not in "fiub":
        raise ConfigurationError(f"{name}: the array has the type {array.dtype}; give real numbers")
    narrow = array.dtype in (np.float32, np.float16)
    with array.device:
        ready = cupy.ascontiguousarray(array, dtype=np.float32 if narrow else np.float64)
    return (_device_array(ready, name, ready.data.ptr, narrow, ready.device.id), current_stream(ready),
            int(ready.data.ptr != array.data.ptr))


def _of_jax(array, name):
    jax = sys.modules["jax"]
    if array.dtype.kind not in "fiub":
        raise ConfigurationError(f"{name}: the array has the type {array.dtype}; give real numbers")
    if len(array.devices()) != 1:
        raise ConfigurationError(f"{name}: the array is on several devices; copy it to the solver's with jax.device_put")
    narrow = array.dtype in (np.float32, np.float16)
    ready = jax.block_until_ready(array.astype(np.float32 if narrow else np.float64))
    pointer = ready.unsafe_buffer_pointer()
    device = next(iter(ready.devices())).local_hardware_id
    return _device_array(ready, name, pointer, narrow, device), None, int(pointer != array.unsafe_buffer_pointer())


def empty_on_device(model, shape, narrow, device):
    """Returns (array, DeviceArray, stream) of a new array of the package of `model`, or None for packages whose arrays
    cannot be written."""
    kind = package(model)
    if kind == "torch":
        torch = sys.modules["torch"]
        place = model.device if model.get_device() == device else f"cuda:{device}"
        array = torch.empty(shape, dtype=torch.float32 if narrow else torch.float64, device=place)
    elif kind == "cupy":
        cupy = sys.modules["cupy"]
        with cupy.cuda.Device(device):
            array = cupy.empty(shape, dtype=np.float32 if narrow else np.float64)
    else:
        return None
    there, stream, _ = on_device(array, "u")
    return array, there, stream


def current_stream(array):
    """Returns the address of the current stream of the package of an array of a device; None if there is none."""
    kind = package(array)
    if kind == "torch" and array.is_cuda:
        return _stream_of_torch(sys.modules["torch"], array.get_device())
    return sys.modules["cupy"].cuda.get_current_stream().ptr if kind == "cupy" else None


def _stream_of_torch(torch, device):
    address = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # current_stream() makes objects, which takes 10 µs
    return address(device) if address else torch.cuda.current_stream(device).cuda_stream


def synchronize(array):
    """Waits for the stream that writes an array of a device."""
    if package(array) == "torch":
        sys.modules["torch"].cuda.current_stream(array.device).synchronize()
    elif package(array) == "cupy":
        sys.modules["cupy"].cuda.get_current_stream().synchronize()


def stream_pointer(stream):
    """Returns the address of a stream of torch or cupy, or of a number."""
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    raise ConfigurationError(f"stream: expected a stream of torch or cupy, or its address, found {shown(stream)}")


def allocator(given):
    """Returns the functions allocate(bytes) and release(address) of "torch", "cupy", or a pair of functions."""
    if given is None or isinstance(given, (tuple, list)) and len(given) == 2 and all(callable(f) for f in given):
        return given
    if isinstance(given, str) and given == "torch":
        cuda = importlib.import_module("torch").cuda

        def allocate(size):
            address = cuda.caching_allocator_alloc(size)
            cuda.current_stream().synchronize()  # work of this stream may still use the memory
            return address

        return allocate, cuda.caching_allocator_delete
    if isinstance(given, str) and given == "cupy":
        cuda = importlib.import_module("cupy").cuda
        lent = {}

        def lend(size):
            memory = cuda.alloc(size)
            cuda.get_current_stream().synchronize()
            lent[memory.ptr] = memory
            return memory.ptr

        return lend, lent.pop
    raise ConfigurationError(f"allocator: expected 'torch', 'cupy', or a pair of functions, found {shown(given)}")


def like(values, model):
    """Returns numpy values as an array of the package and device of `model`."""
    kind = package(model)
    if kind == "torch":
        torch = sys.modules["torch"]
        return torch.from_numpy(values).to(model.device)
    if kind in ("cupy", "cuda"):
        if "cupy" in sys.modules:
            return sys.modules["cupy"].asarray(values)
        return sys.modules["torch"].from_numpy(values).cuda()
    if kind == "jax":
        jax = sys.modules["jax"]
        return jax.numpy.asarray(values)
    return values


def is_narrow(array):
    """Returns whether an array has 32 bits for each number."""
    return "float32" in str(getattr(array, "dtype", ""))


def stack(arrays):
    """Joins arrays of one package along a new first axis."""
    kind = package(arrays[0])
    module = {"torch": "torch", "cupy": "cupy", "jax": "jax.numpy"}.get(kind)
    return sys.modules[module].stack(arrays) if module else np.stack(arrays)
