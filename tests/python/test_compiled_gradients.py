"""The compiled derivatives of λᵀ(b − A u) against those of the discretization in array operations, by JAX."""

import gradient_cases as cases
import numpy as np
import pytest

import poisson
from poisson import _adjoint

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)



def derivatives(core, data, u, adjoint):
    """Returns the derivatives by JAX."""
    R = core.residual(jax.numpy.concatenate, jax.numpy.asarray)
    fixed = core.face_data(data)

    def value(data):
        return jax.numpy.sum(adjoint * (R.load(data) - R.operator(data, u, fixed)))

    return jax.grad(value)(data)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("case", cases.CASES, ids=str)
def test_they_agree(case, dtype):
    dimension, centering, scheme, faces, per_axis = case
    problem, data = cases.make(dimension, centering, scheme, faces, cells=(3, 4, 5), per_axis=per_axis)
    s = problem.solver(method="multigrid")
    core = _adjoint.of(s)
    rng = np.random.default_rng(2)
    u, adjoint = rng.normal(size=core.shape), rng.normal(size=core.shape) * core.mask
    expected = derivatives(core, data, u, adjoint)
    if centering == "node" and scheme == "fv":  # σ where u is
        nodes = [n + 1 for n in core.cells]
        data["reaction"] = cases.periodic(problem, "reaction", rng.random(nodes))
        expected["reaction"] = derivatives(core, {"reaction": data["reaction"]}, u, adjoint)["reaction"]
        data["source in cells"] = rng.random(core.cells)
        expected["source in cells"] = derivatives(core, {"source": data["source in cells"]}, u, adjoint)["source"]
    R = core.residual(np.concatenate, np.asarray)
    ready = [np.ascontiguousarray(R.expanded(x), dtype=dtype) for x in (u, adjoint)]
    own = {name: value.astype(dtype) for name, value in data.items() if name.startswith("coefficient")}
    compared = 0
    for name, value in data.items():
        kind = core.kind(name.split()[0], value.shape)
        if not kind:
            continue
        compared += 1
        found = np.full(value.shape, np.nan, dtype=dtype)
        core.gradient(name.split()[0], kind, *ready, own, found)
        if kind == "kappa_in_cells":
            axes = [a for a in range(R.d) if name in ("coefficient", f"coefficient.{R.names[a]}")]
            R.add_face_terms(found, axes, data, u, adjoint, core.face_data(data))
        size = np.abs(expected[name]).max()
        assert np.abs(found - expected[name]).max() < (1e-12 if dtype == np.float64 else 1e-4) * size, (name, kind)
    assert compared >= (2 if scheme == "q1" else 3) - (faces == "singular")


@pytest.mark.parametrize("per_axis", [False, True])
@pytest.mark.parametrize("dimension", [2, 3])
def test_faces_of_numbers_are_differentiated_with_the_cells(dimension, per_axis):
    rng = np.random.default_rng(5)
    axes = "xyz"[:dimension]
    nodes = [np.cumsum([0, *(0.5 + rng.random(n))]) for n in (4, 3, 5)[:dimension]]
    cells = [len(n) - 1 for n in reversed(nodes)]
    kappa = {a: 1 + rng.random(cells) for a in axes}
    data = {f"coefficient.{a}": k for a, k in kappa.items()} if per_axis else {"coefficient": kappa["x"]}
    s = poisson.Problem(nodes=nodes, centering="cell", source=1.0, coefficient=kappa if per_axis else kappa["x"],
                        boundary={"x-": 1.5, "x+": {"robin": {"alpha": 2, "value": 3}}, "y-": {"neumann": 4},
                                  "default": 0.25}).solver(method="multigrid")
    core = _adjoint.of(s)
    u, adjoint = rng.normal(size=core.shape), rng.normal(size=core.shape)
    faces = core.number_faces({})
    assert len(faces) == 2 * dimension - 1 and (0, 1, 3.0, 2.0) in faces and (0, 0, 1.5, None) in faces
    R = core.residual(np.concatenate, np.asarray)
    for name, value in data.items():
        found, expected = np.empty(value.shape), np.empty(value.shape)
        core.gradient(name, "kappa_in_cells", u, adjoint, data, found, faces)
        core.gradient(name, "kappa_in_cells", u, adjoint, data, expected)
        axes_of = [a for a in range(R.d) if name in ("coefficient", f"coefficient.{R.names[a]}")]
        R.add_face_terms(expected, axes_of, data, u, adjoint, core.face_data(data))
        assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max()
    assert core.number_faces({"boundary.x-": np.ones(cells[:-1])}) is None
    s.boundary["x-"] = rng.random(cells[:-1])
    assert core.number_faces({}) is None


def test_wrong_arrays_are_refused():
    problem, data = cases.make(2, "cell", "fv", "dirichlet")
    s = problem.solver()
    core = _adjoint.of(s)
    u = np.zeros(core.shape)
    with pytest.raises(ValueError, match="one precision"):
        core.gradient("source", "source_at_values", u, u.astype(np.float32), data, np.zeros(core.shape))
    frozen = np.zeros(core.shape)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="can be written"):
        core.gradient("source", "source_at_values", u, u, data, frozen)
    with pytest.raises(ValueError, match="no derivative"):
        core.gradient("source", "source_anywhere", u, u, data, u)
