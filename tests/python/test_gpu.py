"""Solves on a GPU against solves on the CPU. Skipped without a GPU or a module for one."""

import gradient_cases as cases
import numpy as np
import pytest

import poisson

try:
    poisson.Problem(shape=(9, 9), source=1.0).solver(device="cuda")
except poisson.ConfigurationError as error:
    pytest.skip(f"no solver on a GPU: {error}", allow_module_level=True)


@pytest.mark.parametrize("centering, scheme", cases.SCHEMES)
def test_solutions_and_new_data(centering, scheme):
    problem, data = cases.make(3, centering, scheme, "all kinds")
    solvers = [problem.solver(device=device, tolerance=1e-11, precision="double") for device in ("cuda", "cpu")]
    rng = np.random.default_rng(3)
    source, kappa = rng.normal(size=data["source"].shape), np.exp(rng.normal(size=data["coefficient"].shape))
    for change in ({}, {"source": source}, {"coefficient": kappa}, {"boundary": {"x-": 2.0}}):
        for s in solvers:
            if change:
                s.update(**change)
        a, b = (s.solve() for s in solvers)
        assert abs(a.u - b.u).max() < 1e-8 * abs(b.u).max()
        assert all(abs(a.flows[face] - b.flows[face]) < 1e-7 * abs(b.balance["source"]) for face in b.flows)


def test_operators():
    problem, _ = cases.make(2, "cell", "fv", "all kinds")
    a, b = (problem.solver(device=device, precision="double") for device in ("cuda", "cpu"))
    x = np.random.default_rng(1).normal(size=a.aslinearoperator().shape[0])
    assert np.allclose(a.aslinearoperator() @ x, b.aslinearoperator() @ x, rtol=1e-12, atol=1e-12)


def test_gradients():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    problem, data = cases.make(2, "node", "fv", "all kinds")
    found = []
    for device in ("cuda", "cpu"):
        s = problem.solver(device=device, tolerance=1e-12, precision="double")
        found.append(jax.grad(lambda d: (poisson.jax.solve(s, **cases.arguments(d)) ** 2).sum())(data))
    for name in data:
        assert np.allclose(found[0][name], found[1][name], rtol=1e-8, atol=1e-10)


def test_meshes_and_rows():
    from test_meshes import convection, problem, square
    mesh = square(9)
    rng = np.random.default_rng(4)
    kappa = rng.uniform(1, 3, mesh.elements)
    problems = [problem(mesh, coefficient=kappa, source=2.0, device=device) for device in ("cuda", "cpu")]
    for change in ({}, {"coefficient": 2 * kappa[::-1]}, {"source": -1.0}, {"reaction": 0.5},
                   {"boundary": {"left": 3.0, "right": {"alpha": 4.0, "value": 1.0}}}):
        for p in problems:
            p.update(**change)
        a, b = (p.solve() for p in problems)
        assert abs(a.u - b.u).max() < 1e-9 * abs(b.u).max()
        weight = rng.normal(size=len(mesh.points))
        found, expected = (p.gradient(r.u, weight) for p, r in zip(problems, (a, b)))
        assert all(abs(found[n] - expected[n]).max() < 1e-8 * (1 + abs(expected[n]).max()) for n in expected)
    assert abs(problems[0].matrix()[0] - problems[1].matrix()[0]).max() == 0
    for speed in (0, 10):
        A = convection(400, speed).tocsr()
        u = np.sin(np.arange(400.0))
        assert abs(poisson.Rows(A, tolerance=1e-11, max_iterations=1000, device="cuda").solve(A @ u).u - u).max() < 1e-6
