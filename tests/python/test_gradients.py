"""The discretization in array operations against the compiled one, and gradients in JAX against finite differences."""

import gradient_cases as cases
import numpy as np
import pytest

import poisson
from poisson._residual import Residual


def solver(problem):
    return problem.solver(tolerance=1e-12, precision="double", max_iterations=300)


@pytest.mark.parametrize("case", cases.CASES, ids=str)
def test_solutions_have_no_residual(case):
    dimension, centering, scheme, faces, per_axis = case
    problem, data = cases.make(dimension, centering, scheme, faces, per_axis=per_axis)
    if faces == "singular":
        pytest.skip("data of a singular problem are projected")
    u = solver(problem).solve().u
    R = Residual(problem.geometry, np.concatenate, np.asarray)
    core = R.core(u)
    residual = R.mask * (R.load(data) - R.operator(data, core))
    assert abs(residual).max() < 1e-10 * abs(R.load({"source": data["source"]})).max()
    assert abs((1 - R.mask) * (core - R.boundary_values(data))).max() < 1e-14


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("centering, scheme", cases.SCHEMES)
def test_numbers_stand_for_arrays(dimension, centering, scheme):
    problem, data = cases.make(dimension, centering, scheme, "all kinds")
    R = Residual(problem.geometry, np.concatenate, np.asarray)
    u = np.random.default_rng(0).normal(size=R.sizes)
    numbers = {name: np.asarray(1.5) for name in data}
    arrays = {name: np.full_like(value, 1.5) for name, value in data.items()}
    for function in (R.load, lambda d: R.operator(d, u)):
        assert np.allclose(function(numbers), function(arrays), rtol=1e-12, atol=1e-12)


def differences(function, data, name, direction, step=1e-4):
    """Returns the derivative in a direction of one datum, to fourth order."""
    def at(t):
        return float(function({**data, name: data[name] + t * direction}))

    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)


@pytest.fixture(scope="module")
def jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return jax


def loss_of(jax, s, shape):
    weights = np.random.default_rng(9).normal(size=shape)

    def loss(data):
        u = poisson.jax.solve(s, **cases.arguments(data))
        return jax.numpy.sum(weights * u) + jax.numpy.sum(u**3)

    return loss


@pytest.mark.parametrize("case", cases.FEWER_CASES, ids=str)
def test_gradients_are_those_of_finite_differences(jax, case):
    dimension, centering, scheme, faces, per_axis = case
    problem, data = cases.make(dimension, centering, scheme, faces, cells=(3, 4, 5), per_axis=per_axis)
    s = solver(problem)
    loss = jax.jit(loss_of(jax, s, s.shape))
    gradient = jax.jit(jax.grad(loss))(data)
    rng = np.random.default_rng(4)
    for name in data:
        direction = cases.periodic(problem, name, rng.normal(size=data[name].shape))
        if faces == "singular" and not name.startswith("coefficient"):
            direction -= direction.mean()
        found = np.sum(gradient[name] * direction)
        size = np.sum(abs(gradient[name] * direction))
        assert abs(found - differences(loss, data, name, direction)) < 1e-6 * size, name


@pytest.mark.parametrize("centering, scheme", cases.SCHEMES)
def test_second_derivatives(jax, centering, scheme):
    problem, data = cases.make(2, centering, scheme, "all kinds", cells=(3, 4))
    s = solver(problem)
    gradient = jax.jit(jax.grad(loss_of(jax, s, s.shape)))
    rng = np.random.default_rng(6)
    direction = {name: rng.normal(size=value.shape) for name, value in data.items()}
    forward = jax.jit(lambda d: jax.jvp(gradient, (d,), (direction,))[1])(data)
    backward = jax.jit(jax.grad(lambda d: sum(jax.numpy.sum(g * direction[n]) for n, g in gradient(d).items())))(data)
    step = 1e-4

    def at(t):
        return gradient({name: data[name] + t * direction[name] for name in data})

    ends = [at(step), at(-step), at(2 * step), at(-2 * step)]
    for name in data:
        numbers = (8 * (ends[0][name] - ends[1][name]) - (ends[2][name] - ends[3][name])) / (12 * step)
        assert abs(forward[name] - numbers).max() < 1e-6 * abs(numbers).max(), name
        assert abs(backward[name] - forward[name]).max() < 1e-9 * abs(numbers).max(), name


@pytest.mark.parametrize("centering", ["cell", "node"])
def test_gradients_of_numbers(jax, centering):
    """A number is a datum with one value everywhere, so its gradient is a sum."""
    problem = poisson.Problem(shape=(9, 10), centering=centering, source=1.0, reaction=1.0,
                              boundary={"x-": 0.0, "x+": {"robin": {"alpha": 1, "value": 0}}, "default": {"neumann": 0}})
    s = solver(problem)

    def loss(k, f, g, alpha, q):
        u = poisson.jax.solve(s, k, f, reaction=2 * k, boundary={"x-": g, "x+": {"alpha": alpha, "value": q}, "y-": q})
        return jax.numpy.sum(u**2)

    at = [1.5, 2.0, 0.5, 3.0, 0.25]
    gradient = jax.jit(jax.grad(loss, argnums=range(5)))(*at)
    for i, found in enumerate(gradient):
        data = {"x": at[i]}
        number = differences(lambda d: loss(*at[:i], d["x"], *at[i + 1:]), data, "x", 1.0)
        assert abs(found - number) < 1e-6 * abs(number), i


def test_vmap_over_sources(jax):
    problem, data = cases.make(2, "cell", "fv", "all kinds")
    s = solver(problem)
    sources = np.random.default_rng(3).normal(size=(4, *s.shape))
    one = jax.jit(lambda f: poisson.jax.solve(s, data["coefficient"], f))
    both = jax.jit(jax.vmap(one))(sources)
    for f, u in zip(sources, both):
        assert np.array_equal(one(f), u)
    slope = jax.jit(jax.grad(lambda f: jax.numpy.sum(one(f) ** 2)))
    slopes = jax.jit(jax.vmap(slope))(sources)
    single = slope(sources[2])
    assert np.allclose(slopes[2], single, rtol=1e-9)


def test_jax_calls_the_compiled_module(jax):
    """XLA passes its buffers to the module; without the headers of jaxlib Python callbacks do the same."""
    from poisson import _core

    problem, data = cases.make(2, "cell", "fv", "all kinds")
    s = solver(problem)
    source = np.random.default_rng(5).normal(size=s.shape)

    def u_and_slope():
        f = jax.jit(lambda k, q: poisson.jax.solve(s, k, q, reaction=data["reaction"]))
        slope = jax.jit(jax.grad(lambda k: jax.numpy.sum(f(k, source) ** 2)))
        return f(data["coefficient"], source), slope(data["coefficient"]), f.lower(data["coefficient"], source).as_text()

    u, slope, text = u_and_slope()
    assert (poisson.jax._handler is not None) == ("poisson_solve" in text)
    handler = poisson.jax._handler
    try:
        poisson.jax._handler = None
        by_callback = u_and_slope()
    finally:
        poisson.jax._handler = handler
    assert "poisson_solve" not in by_callback[2]
    assert np.array_equal(u, by_callback[0]) and np.array_equal(slope, by_callback[1])
    assert hasattr(_core, "jax_handler")


def test_jax_in_single_precision(jax):
    problem, data = cases.make(3, "cell", "fv", "dirichlet")
    s = problem.solver(tolerance=1e-6)
    k, f = (np.asarray(data[name], dtype=np.float32) for name in ("coefficient", "source"))
    u = jax.jit(lambda k, f: poisson.jax.solve(s, k, f))(k, f)
    assert u.dtype == np.float32
    expected = poisson.jax.solve(s, data["coefficient"], data["source"])
    assert abs(u - expected).max() < 1e-4 * abs(expected).max()
    slope = jax.jit(jax.grad(lambda q: jax.numpy.sum(poisson.jax.solve(s, k, q))))(f)
    assert slope.dtype == np.float32 and np.isfinite(slope).all()


def test_errors_of_a_solve_end_the_function_of_jax(jax):
    problem, data = cases.make(2, "cell", "fv", "dirichlet")
    s = solver(problem)
    f = jax.jit(lambda k: poisson.jax.solve(s, k, data["source"]))
    with pytest.raises(Exception, match="^INTERNAL: ConfigurationError: .*must be greater than 0"):
        jax.block_until_ready(f(-data["coefficient"]))
    assert np.isfinite(f(data["coefficient"])).all()


def test_solvers_are_freed_without_the_garbage_collector():
    """A solver with gradients must not be part of a cycle, because its levels may fill a device."""
    import gc
    import weakref

    from poisson import _adjoint

    problem, data = cases.make(2, "cell", "fv", "dirichlet")
    gc.collect()
    gc.disable()
    try:
        s = solver(problem)
        core = _adjoint.of(s)
        core.solve({"source": data["source"]}, np.empty(core.shape))
        alive = weakref.ref(s)
        del s, core
        assert alive() is None
    finally:
        gc.enable()


def test_coefficients_of_materials_have_the_same_bits(jax):
    problem, _ = cases.make(2, "cell", "fv", "dirichlet", cells=(12, 13))
    s = solver(problem)
    ids = np.arange(12 * 13).reshape(12, 13) % 3

    @jax.jit
    def loss(table):
        return jax.numpy.sum(poisson.jax.solve(s, table[ids], np.ones((12, 13))) ** 2)

    table = np.array([1.0, 10.0, 100.0])
    first, again = (jax.jit(jax.grad(loss))(table) for _ in range(2))
    assert np.array_equal(first, again)
    for i in range(3):
        direction = np.eye(3)[i] * table[i]
        step = 1e-3
        numbers = (loss(table + step * direction) - loss(table - step * direction)) / (2 * step)
        assert abs(first @ direction - numbers) < 1e-5 * abs(numbers)


def test_the_data_of_an_adjoint_are_those_of_its_solve(jax):
    """A solver may solve for other data between a solve and its gradient."""
    problem, data = cases.make(2, "node", "fv", "dirichlet")
    s = solver(problem)
    u, back = jax.vjp(lambda k: poisson.jax.solve(s, k, data["source"]), data["coefficient"])
    (expected,) = back(np.ones_like(u))
    poisson.jax.solve(s, 7 * data["coefficient"], data["source"])
    (found,) = back(np.ones_like(u))
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("centering", ["cell", "node"])
def test_adjoints_do_not_contain_data_of_faces(centering):
    """The data of a face may be replaced by zero between a solve and its adjoint."""
    from poisson import _adjoint

    problem = poisson.Problem(shape=(9, 9), centering=centering, source=1.0, boundary={"x-": 5.0, "default": 0.0})
    s = solver(problem)
    core, g = _adjoint.of(s), np.random.default_rng(1).normal(size=(9, 9))
    expected, found = np.empty((2, 9, 9))
    core.adjoint({}, g, expected)
    s.solve()
    s.boundary["x-"] = 0.0
    core.adjoint({}, g, found)
    assert abs(found - expected).max() < 1e-12 * abs(expected).max()
    s.solve()
    core.adjoint({}, g, found)
    assert abs(found - expected).max() < 1e-12 * abs(expected).max()


def test_schemes_without_gradients_state_the_reason(jax):
    problem = poisson.Problem(shape=(9, 9), scheme="compact4", source="x")
    with pytest.raises(NotImplementedError, match="compact4"):
        jax.jit(lambda f: poisson.jax.solve(problem, source=f))(np.ones((9, 9)))


def test_a_reaction_cannot_begin_in_a_singular_problem():
    from poisson import _adjoint

    problem = poisson.Problem(shape=(9, 9), boundary={"default": {"neumann": 0}}, centering="cell")
    with pytest.raises(poisson.SolverError, match="singular"):
        _adjoint.of(problem).solve({"source": np.zeros((9, 9)), "reaction": np.zeros((9, 9))}, np.empty((9, 9)))


def test_an_adjoint_that_does_not_converge_raises():
    from poisson import _adjoint

    problem, data = cases.make(2, "node", "fv", "dirichlet")
    s = problem.solver(tolerance=1e-14, method="cg", max_iterations=1, fallback="never")
    core = _adjoint.of(s)
    with pytest.raises(poisson.SolverError, match="the adjoint solve did not converge"):
        core.adjoint({}, np.random.default_rng(1).normal(size=core.shape), np.empty(core.shape))
