"""Grids and boxes of problems, with the keys of configuration files."""

import operator

import numpy as np

from . import _arrays
from ._core import ConfigurationError

_NAME = "Problem"


def grid(shape, lower, upper, spacing, nodes, centering):
    """Returns the grid and the domain of a problem with the keys of files. Raises ConfigurationError."""
    if nodes is not None:
        try:
            if any(np.iscomplexobj(n) for n in nodes):
                raise TypeError("complex numbers")
            nodes = [np.asarray(n, dtype=float).tolist() for n in nodes]
        except (TypeError, ValueError, OverflowError) as error:
            raise ConfigurationError(f"{_NAME}: nodes: expected the nodes along x, y and z, found "
                                     f"{_arrays.shown(nodes)}") from error
        if lower is not None or upper is not None or spacing is not None:
            raise ConfigurationError(f"{_NAME}: nodes and lower, upper or spacing are both given; keep one of the two")
        if len(nodes) not in (2, 3):
            raise ConfigurationError(f"{_NAME}: nodes has {len(nodes)} axes; give the nodes along x and y, or x, y and z")
        axes = dict(zip("xyz", ({"nodes": n} for n in nodes)))
        return {"grid": {"type": "tensor-product", "axes": axes}}
    try:
        shape = tuple(operator.index(n) for n in shape)
    except TypeError as error:
        raise ConfigurationError(f"{_NAME}: shape is {_arrays.shown(shape)}; give whole numbers, such as "
                                 "(64, 64, 64)") from error
    if len(shape) not in (2, 3):
        raise ConfigurationError(f"{_NAME}: shape has {len(shape)} numbers; give (ny, nx) or (nz, ny, nx)")
    cells = [n - (centering == "node") for n in reversed(shape)]
    lower = [0.0] * len(cells) if lower is None else _corner(lower, cells, "lower")
    if spacing is not None and upper is not None:
        raise ConfigurationError(f"{_NAME}: spacing and upper are both given; keep one of the two")
    if spacing is not None:
        several = isinstance(spacing, (list, tuple)) or getattr(spacing, "ndim", 0) > 0
        widths = _corner(spacing if several else [spacing] * len(cells), cells, "spacing")
        if not all(isinstance(h, float) and 0 < h < float("inf") for h in widths):
            raise ConfigurationError(f"{_NAME}: spacing is {_arrays.shown(spacing)}; give positive widths of cells")
        if not all(isinstance(low, float) for low in lower):
            raise ConfigurationError(f"{_NAME}: lower is {_arrays.shown(lower)}; give numbers, in the order x, y, z")
        upper = [low + n * h for low, n, h in zip(lower, cells, widths)]
    upper = [1.0] * len(cells) if upper is None else _corner(upper, cells, "upper")
    return {"domain": {"lower": lower, "upper": upper}, "grid": {"cells": cells}}


def domain(lower, upper, spacing):
    """Returns the box of an image that has no other grid."""
    if spacing is not None or lower is None or upper is None:
        raise ConfigurationError(f"{_NAME}: an image without shape has its own grid; give voxel, or both lower and upper")
    return {"lower": _corner(lower, lower, "lower"), "upper": _corner(upper, lower, "upper")}


def _corner(values, cells, name):
    try:
        if isinstance(values, (dict, set)) or any(isinstance(v, (bool, complex)) for v in values):
            raise TypeError
        values = [float(v) if isinstance(v, (int, float, np.generic)) else v for v in values]
    except (TypeError, ValueError, OverflowError) as error:
        raise ConfigurationError(f"{_NAME}: {name} is {_arrays.shown(values)}; give {len(cells)} numbers, in the order "
                                 "x, y, z") from error
    if len(values) != len(cells):
        raise ConfigurationError(f"{_NAME}: {name} has {len(values)} numbers in {len(cells)} dimensions; give "
                                 f"{len(cells)}, in the order x, y, z")
    return values
