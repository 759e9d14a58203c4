"""Solves −∇·(κ ∇u) + σ u = f on boxes, on CPUs and NVIDIA GPUs.

Arrays have the shape [nz, ny, nx], or [ny, nx] in two dimensions: x is the last axis. Corners, spacings and numbers of
cells are in the order x, y, z, as in configuration files. Keys, defaults and messages are those of these files.
"""

import importlib

from . import _core
from ._answers import Capacitance, Effective, Table
from ._core import ConfigurationError, SolverError
from ._mesh import MeshProblem, MeshResult, UnstructuredMesh, load_mesh
from ._problem import Problem, effective, load, solve
from ._result import NotConverged, Result, StaleResult
from ._shapes import (Body, Box, Cone, Cylinder, Ellipsoid, Layer, Mesh, Polygon, Revolve, Shape, Sphere, Torus,
                      Where)
from ._solver import Solver
from ._sparse import Rows, RowsResult, solve_rows

__version__ = _core.version
__all__ = ["Body", "Box", "Capacitance", "Cone", "ConfigurationError", "Cylinder", "Effective", "Ellipsoid", "Layer",
           "Mesh", "MeshProblem", "MeshResult", "NotConverged", "Polygon", "Problem", "Result", "Revolve", "Rows",
           "RowsResult", "Shape", "Solver", "SolverError", "Sphere", "StaleResult", "Table", "Torus",
           "UnstructuredMesh", "Where", "effective", "load", "load_mesh", "solve", "solve_rows"]


def __getattr__(name):
    """Imports poisson.torch and poisson.jax when they are first used, because they import their frameworks."""
    if name in ("torch", "jax"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module 'poisson' has no attribute '{name}'")
