"""Matrices and operators for SciPy."""

import itertools

import numpy as np

from . import _core, _lifetime
from ._solver import Solver


def unknowns(geometry):
    """Returns True at the values of u that are unknowns: no Dirichlet nodes, no repeated periodic nodes."""
    at_nodes = geometry["centering"] == "node"
    mask = np.ones([len(n) - (not at_nodes) for n in reversed(geometry["nodes"])], dtype=bool)
    if not at_nodes:
        return mask
    d = geometry["dimension"]
    for axis in range(d):
        for end in range(2):
            kind = geometry["faces"]["xyz"[axis] + "-+"[end]]
            if kind == "dirichlet" or (kind == "periodic" and end == 1):
                mask[tuple(-end if a == d - 1 - axis else slice(None) for a in range(d))] = False
    return mask


def _colours(count, periodic):
    """Returns colours so that neighbours of one value never share theirs: 0, 1, 2, 0, …"""
    colours = np.arange(count) % 3
    if periodic:
        colours[count - count % 3:] = 3 + np.arange(count % 3)
    return colours


def system(problem):
    """Returns the matrix and the right-hand side of the unknowns (Problem.system)."""
    import scipy.sparse

    geometry = problem.geometry
    _lifetime.require()
    session = _core.Session(problem._configured("cpu", {"method": "cg", "precision": "double"}))
    if session.processes > 1:
        raise NotImplementedError("system() works in one process only: start Python without mpirun")
    mask = unknowns(geometry)
    d = geometry["dimension"]
    periodic = [geometry["faces"]["xyz"[d - 1 - a] + "-"] == "periodic" for a in range(d)]
    sizes = [n - (p and geometry["centering"] == "node") for n, p in zip(mask.shape, periodic)]
    number = np.full(mask.shape, -1)
    number[mask] = np.arange(mask.sum())
    colours = [_colours(n, p) for n, p in zip(sizes, periodic)]
    rows, columns, entries = [], [], []
    for colour in itertools.product(*(np.unique(c) for c in colours)):
        places = np.meshgrid(*(np.flatnonzero(c == one) for c, one in zip(colours, colour)), indexing="ij")
        places = [p.ravel() for p in places]
        keep = mask[tuple(places)]
        places = [p[keep] for p in places]
        probe = np.zeros(mask.shape)
        probe[tuple(places)] = 1
        product = session.apply(probe)
        for offset in itertools.product((-1, 0, 1), repeat=d):
            beside = [p + o for p, o in zip(places, offset)]
            inside = np.ones(len(places[0]), dtype=bool)
            for a in range(d):
                if periodic[a]:
                    beside[a] %= sizes[a]
                inside &= (beside[a] >= 0) & (beside[a] < sizes[a])
            beside = tuple(b[inside] for b in beside)
            row, column = number[beside], number[tuple(p[inside] for p in places)]
            value = product[beside]
            found = (row >= 0) & (value != 0)
            rows.append(row[found])
            columns.append(column[found])
            entries.append(value[found])
    rows, columns, entries = (np.concatenate(x) for x in (rows, columns, entries))
    n = int(mask.sum())
    _, first = np.unique(rows * n + columns, return_index=True)  # on two periodic cells both sides are one neighbour
    matrix = scipy.sparse.csr_matrix((entries[first], (rows[first], columns[first])), shape=(n, n))
    return matrix, session.rhs()[mask]


def linear_operator(solver):
    """Returns A as a LinearOperator (Solver.aslinearoperator)."""
    import scipy.sparse.linalg

    mask = unknowns(solver.geometry)

    def product(x):
        u = np.zeros(mask.shape)
        u[mask] = np.asarray(x, dtype=float).ravel()
        with solver._lock:
            return solver._session.apply(u)[mask]

    n = int(mask.sum())
    return scipy.sparse.linalg.LinearOperator((n, n), matvec=product, rmatvec=product, dtype=float)


def preconditioner(solver, cycles):
    """Returns symmetric multigrid cycles as a LinearOperator (Solver.aspreconditioner)."""
    import scipy.sparse.linalg

    keys = {"method": "multigrid", "krylov": "none", "full_multigrid": False, "tolerance": 0, "max_iterations": cycles,
            "fallback": "never", "smoother": {"type": "chebyshev", "pre": 2, "post": 2}}
    inner = Solver(solver.problem, solver.problem._configured(None, keys), False, None)
    if solver._data:
        inner._session.update(solver._data)
    mask = unknowns(solver.geometry)

    def cycle(r):
        b = np.zeros(mask.shape)
        b[mask] = np.asarray(r, dtype=float).ravel()
        with inner._lock:
            inner._session.solve_rhs(b)
            return inner._session.values("u")[mask]

    n = int(mask.sum())
    return scipy.sparse.linalg.LinearOperator((n, n), matvec=cycle, rmatvec=cycle, dtype=float)
