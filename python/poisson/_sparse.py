"""Sparse matrices of any pattern: SciPy's compressed rows in, solutions out."""

import numpy as np

from . import _core


class Rows:
    """A sparse matrix with its levels, to solve A u = b repeatedly on the CPU.

    Args:
        A: a square SciPy sparse matrix or array, or a tuple (data, indices, indptr) of compressed rows. Its diagonal
            must be positive. Symmetric matrices are solved by conjugate gradients with algebraic multigrid,
            unsymmetric ones by BiCGStab with multigrid of (A + Aᵀ)/2.
        tolerance: for |b − A u| over |b|.
        max_iterations: limit of iterations.
        preconditioner: "multigrid" or "diagonal".
        precision: "mixed" or "double".

    Raises ConfigurationError, which names the row, for matrices that the solver does not support.
    """

    def __init__(self, A, *, tolerance=1e-8, max_iterations=100, preconditioner="multigrid", precision="mixed"):
        if preconditioner not in ("multigrid", "diagonal"):
            raise _core.ConfigurationError(f"preconditioner: {preconditioner!r}; choose multigrid or diagonal")
        data, indices, indptr = _compressed(A)
        self._rows = _core.rows(indptr, indices, data, float(tolerance), int(max_iterations),
                                preconditioner == "diagonal", precision == "double")
        self.size = len(indptr) - 1

    @property
    def symmetric(self):
        """Whether the matrix is symmetric but for rounding."""
        return self._rows.symmetric

    @property
    def singular(self):
        """Whether the matrix maps constants to zero. Right-hand sides then lose their mean, and u has the mean 0."""
        return self._rows.singular

    def solve(self, b, guess=None, check=True):
        """Solves A u = b. Returns a RowsResult. Raises NotConverged if the solve ends early and `check` is true."""
        first = None if guess is None else _doubles(guess, self.size, "guess")
        found = self._rows.solve(_doubles(b, self.size, "b"), first)
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
            raise NotConverged(self.reason)


def solve_rows(A, b, *, guess=None, **options):
    """Solves A u = b for a SciPy sparse matrix and returns u. Options are those of Rows."""
    return Rows(A, **options).solve(b, guess).u


def _doubles(values, size, name):
    array = np.ascontiguousarray(values, dtype=np.float64).reshape(-1)
    if array.size != size:
        raise _core.ConfigurationError(f"{name} has {array.size} values; give {size}")
    return array


def _compressed(A):
    if not isinstance(A, tuple):
        if not hasattr(A, "tocsr"):
            raise _core.ConfigurationError("A is no sparse matrix; give a scipy.sparse matrix or (data, indices, indptr)")
        if A.shape[0] != A.shape[1]:
            raise _core.ConfigurationError(f"A has {A.shape[0]} rows and {A.shape[1]} columns; give a square matrix")
        A = A.tocsr()
        A = (A.data, A.indices, A.indptr)
    data, indices, indptr = A
    if np.iscomplexobj(data):
        raise _core.ConfigurationError("A is complex; give real entries")
    return (np.ascontiguousarray(data, dtype=np.float64), np.ascontiguousarray(indices, dtype=np.int64),
            np.ascontiguousarray(indptr, dtype=np.int64))
