"""Images of materials as backgrounds of problems, with the keys of configuration files."""

import numbers

import numpy as np

from . import _arrays
from ._core import ConfigurationError

_REMEDY = "give a number, an expression, a list with one for each axis, a dictionary of properties, or a name"


def background(image, voxel, crop, materials):
    """Returns (image, materials) with the keys of files.

    Args:
        image: an array of whole numbers [z, y, x], or [y, x] in the plane; the path of a file; a dictionary with the
            keys of files, in which `file` may be an array; or None.
        voxel, crop: the keys of files, or None.
        materials: materials by names, and those of the values of voxels by whole numbers. The material of a value is
            the name of another one, a coefficient (0: an insulator), or a dictionary with the keys of files.

    Raises ConfigurationError.
    """
    codes = {key: value for key, value in (materials or {}).items() if _is_code(key)}
    named = {key: value for key, value in (materials or {}).items() if not _is_code(key)}
    if image is None:
        for name, value in (("voxel", voxel), ("crop", crop), ("materials[%s]" % next(iter(codes), ""), codes or None)):
            if value is not None:
                raise ConfigurationError(f"Problem: {name} is for an image; give image, or remove {name}")
        return None, named
    tree = dict(image) if isinstance(image, dict) else {"file": _file(image)}
    table = dict(tree.get("materials") or {})
    for code, material in codes.items():
        if code in table or str(code) in table:
            raise ConfigurationError(f"Problem: materials[{code}] is also in image['materials']; keep one of the two")
        table[code] = material
    if not table:
        raise ConfigurationError("Problem: the materials of the image are missing; give materials with the values of "
                                 "voxels, such as {0: 1.0, 255: 'grain', 'grain': {'coefficient': 10}}")
    tree["materials"] = {str(code): _named(code, material, named) for code, material in table.items()}
    for key, value in (("voxel", voxel), ("crop", crop)):
        if value is not None and tree.get(key) is not None:
            raise ConfigurationError(f"Problem: {key} is also in image['{key}']; keep one of the two")
        if value is not None:
            tree[key] = value
    return tree, named


def _is_code(key):
    return isinstance(key, numbers.Integral) and not isinstance(key, bool)


def _file(image):
    if _arrays.package(image):
        return image
    return _arrays.path(image, "image")


def _named(code, material, named):
    """Returns the name of the material of a value; adds one to `named` if it has none."""
    if isinstance(material, str):
        if material in named or material != "insulator":
            return material
        tree = material
    elif isinstance(material, dict):
        tree = material
    elif isinstance(material, (numbers.Real, np.generic)) and not isinstance(material, (bool, np.bool_)):
        tree = "insulator" if material == 0 else {"coefficient": material}
    elif isinstance(material, (list, tuple)) or isinstance(material, np.ndarray) and material.ndim == 1:
        tree = {"coefficient": material}
    else:
        raise ConfigurationError(f"Problem: materials[{code}] is {_arrays.shown(material)}; {_REMEDY}")
    name = f"value {code}"
    if name in named:
        raise ConfigurationError(f"Problem: materials['{name}'] is the name of the material of {code}; rename it")
    named[name] = tree
    return name
