"""Matrices and operators for SciPy against the solver itself."""

import numpy as np
import pytest
import scipy.sparse.linalg as sla

import poisson

FACES = {
    "dirichlet": {"default": 1.5},
    "mixed": {"default": {"neumann": 0.3}, "x-": 2.0, "y-": {"robin": {"alpha": 3, "value": 1}}},
    "periodic": {"x-": "periodic", "x+": "periodic", "y-": 0.5, "default": {"neumann": 0}},
}


def problem(dimension, centering, scheme, faces):
    rng = np.random.default_rng(1)
    shape = (7, 8, 9)[-dimension:]
    cells = tuple(n - (centering == "node") for n in shape)
    return poisson.Problem(shape=shape, coefficient=np.exp(rng.normal(size=cells)), source="x+y*y", centering=centering,
                           scheme=scheme, boundary=FACES[faces], upper=(1, 0.7, 0.9)[:dimension])


CASES = [(d, c, s, f) for d in (2, 3) for c, s in (("node", "fv"), ("cell", "fv"), ("node", "q1")) for f in FACES]


@pytest.mark.parametrize("dimension, centering, scheme, faces", CASES)
def test_the_matrix_gives_the_solution(dimension, centering, scheme, faces):
    p = problem(dimension, centering, scheme, faces)
    A, b = p.system()
    assert A.shape == (p.unknowns.sum(),) * 2
    assert abs(A - A.T).max() < 1e-14 * abs(A).max()
    s = p.solver(tolerance=1e-12, precision="double")
    x = sla.spsolve(A.tocsc(), b)
    assert abs(s.solve().u[p.unknowns] - x).max() < 1e-10 * abs(x).max()
    assert abs(s.aslinearoperator() @ x - A @ x).max() < 1e-13 * abs(A).max() * abs(x).max()


@pytest.mark.parametrize("dimension, centering, scheme, faces", CASES)
def test_cycles_precondition_conjugate_gradients(dimension, centering, scheme, faces):
    p = problem(dimension, centering, scheme, faces)
    A, b = p.system()
    M = p.solver(precision="double").aspreconditioner()
    v, w = np.random.default_rng(4).normal(size=(2, len(b)))
    assert abs(v @ (M @ w) - w @ (M @ v)) < 1e-5 * np.sqrt((v @ (M @ v)) * (w @ (M @ w)))
    steps = []
    x, info = sla.cg(A, b, M=M, rtol=1e-10, callback=steps.append)
    assert info == 0 and len(steps) <= 15


def test_two_periodic_cells_have_one_neighbour():
    p = poisson.Problem(shape=(3, 9), boundary={"y-": "periodic", "y+": "periodic", "default": 0.0}, source="x")
    A, b = p.system()
    assert abs(A - A.T).max() < 1e-14
    u = p.solve(tolerance=1e-12).u[p.unknowns]
    assert abs(A @ u - b).max() < 1e-9 * abs(b).max()


def test_preconditioners_know_a_new_coefficient():
    p = problem(2, "cell", "fv", "dirichlet")
    s = p.solver()
    s.coefficient = 1e3
    A = s.aslinearoperator()
    b = np.ones(A.shape[0])
    steps = []
    _, info = sla.cg(A, b, M=s.aspreconditioner(), rtol=1e-8, callback=steps.append)
    assert info == 0 and len(steps) <= 12
