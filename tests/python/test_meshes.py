"""Meshes and sparse matrices of the Python module: solutions, errors, and gradients against finite differences."""

import numpy as np
import pytest

import poisson


def square(n=6, shear=0.2):
    """Triangles of the unit square, sheared inside, with groups of sides and two halves."""
    x, y = np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1))
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    points[:, 0] += shear / n * np.sin(np.pi * points[:, 0]) * np.sin(np.pi * points[:, 1])
    number = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    a, b, c, d = (part.ravel() for part in (number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]))
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    left = np.stack([number[:-1, 0], number[1:, 0]], axis=1)
    right = np.stack([number[:-1, -1], number[1:, -1]], axis=1)
    top = np.stack([number[-1, :-1], number[-1, 1:]], axis=1)
    lines = np.concatenate([left, right, top])
    upper = np.flatnonzero(points[triangles].mean(axis=1)[:, 1] > 0.5)
    groups = {"left": {"line": range(n)}, "right": {"line": range(n, 2 * n)}, "top": {"line": range(2 * n, 3 * n)},
              "upper": {"triangle": upper}}
    return poisson.UnstructuredMesh(points, {"triangle": triangles, "line": lines}, groups)


def problem(mesh, **more):
    return poisson.MeshProblem(mesh, boundary={"left": {"dirichlet": lambda x, y, z: 1 + y},
                                               "right": {"robin": {"alpha": 2.0, "ambient": 0.5}},
                                               "top": {"neumann": 0.3}, "default": {"neumann": 0.0}},
                               tolerance=1e-12, precision="double", **more)


def test_meshes_of_arrays_have_their_groups():
    mesh = square()
    assert mesh.dimension == 2 and mesh.elements == 72 and mesh.centres.shape == (72, 3)
    assert set(mesh.groups) == {"left", "right", "top", "upper"}
    assert mesh.in_group("upper").sum() == len(mesh.groups["upper"]["triangles"])
    assert "upper" in str(mesh)


def test_linear_solutions_are_exact():
    mesh = square()
    p = poisson.MeshProblem(mesh, boundary={"default": {"dirichlet": lambda x, y, z: 1 + 2 * x - y}}, tolerance=1e-12)
    result = p.solve()
    exact = 1 + 2 * mesh.points[:, 0] - mesh.points[:, 1]
    assert abs(result.u - exact).max() < 1e-9
    assert abs(result.flux - [-2, 1, 0]).max() < 1e-8
    assert abs(result.probe(0.3, 0.4) - 1.2) < 1e-9 and result.probe(2, 2) is None
    assert abs(sum(result.flows.values())) < 1e-8
    assert all(result.faces[name]["flow"] == flow for name, flow in result.flows.items())


def test_matrices_agree_with_a_direct_solution():
    scipy = pytest.importorskip("scipy.sparse.linalg")
    mesh = square()
    p = problem(mesh, coefficient=lambda x, y, z: 1 + x, reaction=0.5, source=3.0)
    A, b, points = p.matrix()
    assert abs(scipy.spsolve(A.tocsc(), b) - p.solve().u[points]).max() < 1e-9


@pytest.mark.parametrize("tensor", [False, True])
def test_gradients_agree_with_differences(tensor):
    mesh = square()
    rng = np.random.default_rng(1)
    kappa = rng.uniform(1, 3, mesh.elements)
    if tensor:
        kappa = np.stack([kappa, kappa + 1, np.ones_like(kappa), 0.3 * kappa, 0 * kappa, 0 * kappa], axis=1)
    p = problem(mesh, coefficient=kappa, reaction=rng.uniform(0, 1, mesh.elements),
                source=rng.normal(size=mesh.elements))
    first = {name: value.copy() for name, value in p.data.items()}
    weight = rng.normal(size=len(mesh.points))
    gradients = p.gradient(p.solve().u, weight)
    assert set(gradients) == set(first)
    for name, value in first.items():
        direction = rng.normal(size=value.shape)
        if tensor and name == "coefficient":
            direction[:, [2, 4, 5]] = 0  # have no effect in the plane

        def at(t):
            p._set({**first, name: value + t * direction})
            return weight @ p.solve().u

        h = 1e-4
        found = (gradients[name] * direction).sum()
        expected = (at(h) - at(-h)) / (2 * h)
        assert abs(found - expected) < 1e-5 * max(1, abs(expected)), name
        p._set(first)


def test_torch_gradients():
    torch = pytest.importorskip("torch")
    import poisson.torch
    mesh = square(3)
    p = problem(mesh)
    kappa = torch.full((mesh.elements,), 2.0, dtype=torch.float64, requires_grad=True)
    face = torch.linspace(0, 1, len(mesh.points), dtype=torch.float64).requires_grad_()
    source = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)

    def solved(kappa, face, source):
        return poisson.torch.solve_mesh(p, coefficient=kappa, source=source, boundary={"left": face})

    assert torch.autograd.gradcheck(solved, (kappa, face, source), eps=1e-5, atol=1e-6)


def test_jax_gradients():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    import poisson.jax
    mesh = square(3)
    p = problem(mesh)
    kappa = jax.numpy.full((mesh.elements,), 2.0)

    def mean(kappa):
        return poisson.jax.solve_mesh(p, coefficient=kappa).mean()

    found = jax.grad(mean)(kappa)
    direction = np.random.default_rng(2).normal(size=mesh.elements)
    expected = (mean(kappa + 1e-4 * direction) - mean(kappa - 1e-4 * direction)) / 2e-4
    assert abs((found * direction).sum() - expected) < 1e-6 * abs(expected)


def convection(n, speed):
    """Upwind differences of −u'' + speed u' on a line of n unknowns: unsymmetric for speed > 0."""
    sparse = pytest.importorskip("scipy.sparse")
    h = 1 / (n + 1)
    main = np.full(n, 2 / h ** 2 + speed / h)
    return sparse.diags([np.full(n - 1, -1 / h ** 2 - speed / h), main, np.full(n - 1, -1 / h ** 2)], [-1, 0, 1])


@pytest.mark.parametrize("speed", [0, 10, 1000])
def test_sparse_matrices(speed):
    A = convection(400, speed).tocsr()
    u = np.sin(np.arange(400.0))
    rows = poisson.Rows(A, tolerance=1e-11, max_iterations=1000)
    result = rows.solve(A @ u)
    assert rows.symmetric == (speed == 0) and not rows.singular
    assert abs(result.u - u).max() < 1e-6


def test_singular_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    n = 300
    A = sparse.diags([-np.ones(n - 1), np.r_[1, np.full(n - 2, 2), 1], -np.ones(n - 1)], [-1, 0, 1]).tocsr()
    u = np.cos(np.pi * (np.arange(n) + 0.5) / n)
    rows = poisson.Rows(A, tolerance=1e-10)
    assert rows.singular
    assert abs(rows.solve(A @ u).u - (u - u.mean())).max() < 1e-6


@pytest.mark.parametrize("entries, message", [
    ([[1, 0], [0, 0]], "diagonal"), ([[1, 0], [0, -1]], "negative"), ([[1, np.nan], [0, 1]], "finite"),
    ([[1, -1, 0, 0], [-1, 1, 0, 0], [0, 0, 1, -1], [0, 0, -1, 1]], "parts"), ([[1, -1], [0, 1], ], None),
    ([[1, -1], [-2, 2]], "transpose")])
def test_matrices_that_are_refused(entries, message):
    sparse = pytest.importorskip("scipy.sparse")
    A = sparse.csr_array(np.array(entries, dtype=float))
    if message is None:
        assert abs(poisson.solve_rows(A, np.ones(2)) - [2, 1]).max() < 1e-8
        return
    with pytest.raises(poisson.ConfigurationError, match=message):
        poisson.Rows(A)


def test_wrong_arrays_are_explained():
    mesh = square()
    with pytest.raises(poisson.ConfigurationError, match="lift.*choose from left, right, top"):
        poisson.MeshProblem(mesh, boundary={"lift": {"dirichlet": 0}})
    with pytest.raises(poisson.ConfigurationError, match="72 elements"):
        poisson.MeshProblem(mesh, coefficient=np.ones(5))
    with pytest.raises(poisson.ConfigurationError, match="positive"):
        poisson.MeshProblem(mesh, coefficient=-1.0)
    with pytest.raises(poisson.ConfigurationError, match="corner 99"):
        poisson.UnstructuredMesh(np.zeros((3, 2)), {"triangle": [[0, 1, 99]]})
    with pytest.raises(poisson.ConfigurationError, match="shape"):
        poisson.UnstructuredMesh(np.zeros((3, 2)), {"tringle": [[0, 1, 2]]})
