"""Sparse matrices of any pattern: SciPy's compressed rows in, solutions out."""

import threading

import numpy as np

from . import _arrays, _core, _lifetime


class Rows:
    """A sparse matrix with its levels, to solve A u = b repeatedly.

    Args:
        A: a square SciPy sparse matrix or array, or a tuple (data, indices, indptr) of compressed rows. Its diagonal
            must be positive. Symmetric matrices are solved by conjugate gradients with algebraic multigrid,
            unsymmetric ones by BiCGStab with multigrid of (A + Aᵀ)/2.
        tolerance: for |b − A u| over |b|.
        max_iterations: limit of iterations.
        preconditioner: "multigrid" or "diagonal".
        precision: "mixed" or "double".
        device: "cpu", "cuda", "cuda:1" or "auto". Arrays of right-hand sides and solutions are on the host.

    Raises ConfigurationError, which names the row, for matrices that the solver does not support.
    """

    def __init__(self, A, *, tolerance=1e-8, max_iterations=100, preconditioner="multigrid", precision="mixed",
                 device="cpu"):
        for name, value, choices in (("preconditioner", preconditioner, ("multigrid", "diagonal")),
                                     ("precision", precision, ("mixed", "double"))):
            if not isinstance(value, str) or value not in choices:
                raise _core.ConfigurationError(f"{name}: {_arrays.shown(value)}; choose {choices[0]} or {choices[1]}")
        _lifetime.require()
        self._lock = threading.RLock()
        data, indices, indptr = _compressed(A)
        self._session = _core.rows(indptr, indices, data, _arrays.number(tolerance, "tolerance"),
                                   _arrays.whole_number(max_iterations, "max_iterations", 1),
                                   preconditioner == "diagonal", precision == "double", _arrays.device(device))
        self._device = self._session.device_number
        _lifetime.register(self)
        self.size = len(indptr) - 1

    @property
    def symmetric(self):
        """Whether the matrix is symmetric but for rounding."""
        return self._session.symmetric

    @property
    def singular(self):
        """Whether the matrix maps constants to zero. Right-hand sides then lose their mean, and u has the mean 0."""
        return self._session.singular

    def solve(self, b, guess=None, check=True):
        """Solves A u = b. Returns a RowsResult. Raises NotConverged if the solve ends early and `check` is true."""
        first = None if guess is None else _doubles(guess, self.size, "guess")
        with self._lock:
            found = self._session.solve(_doubles(b, self.size, "b"), first)
        return RowsResult(found, check)


class RowsResult:
    """The solution of a sparse system.

    Attributes: u, an array; converged; reason, a text; iterations; residual, relative; estimated_error of u, relative;
    history, the relative residual of each iteration; steps, changes of the method.
    """

    def __init__(self, found, check):
        from ._result import NotConverged
        for name, value in found.items():
            setattr(self, name, value)
        if check and not self.converged:
            raise NotConverged(self)


def solve_rows(A, b, *, guess=None, **options):
    """Solves A u = b for a SciPy sparse matrix and returns u. Options are those of Rows."""
    return Rows(A, **options).solve(b, guess).u


def _doubles(values, size, name):
    array = _arrays.numbers(values, name).reshape(-1)
    if array.size != size:
        raise _core.ConfigurationError(f"{name} has {array.size} values; give {size}")
    return array


def _compressed(A):
    if not isinstance(A, tuple) or len(A) != 3:
        if not hasattr(A, "tocsr") or len(getattr(A, "shape", ())) != 2:
            raise _core.ConfigurationError("A is no sparse matrix; give a scipy.sparse matrix or (data, indices, indptr)")
        if A.shape[0] != A.shape[1]:
            raise _core.ConfigurationError(f"A has {A.shape[0]} rows and {A.shape[1]} columns; give a square matrix")
        A = A.tocsr()
        A = (A.data, A.indices, A.indptr)
    data, indices, indptr = A
    return (_arrays.numbers(data, "data").reshape(-1), _arrays.numbers(indices, "indices", "iub").reshape(-1),
            _arrays.numbers(indptr, "indptr", "iub").reshape(-1))
