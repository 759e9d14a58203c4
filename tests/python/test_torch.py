"""Gradients in PyTorch. Skipped where torch cannot be imported."""

import gradient_cases as cases
import numpy as np
import pytest

import poisson

torch = pytest.importorskip("torch")
try:
    torch.from_numpy(np.zeros(1))
except RuntimeError as error:  # built for another numpy
    pytest.skip(f"torch cannot use this numpy: {error}", allow_module_level=True)


def solver(problem):
    return problem.solver(tolerance=1e-13, precision="double", max_iterations=300)


def tensors(data):
    return [torch.tensor(value, requires_grad=True) for value in data.values()]


def function_of(s, data):
    return lambda *values: poisson.torch.solve(s, **cases.arguments(dict(zip(data, values))))


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("centering, scheme", cases.SCHEMES)
@pytest.mark.parametrize("faces", ["all kinds", "periodic"])
def test_gradcheck(dimension, centering, scheme, faces):
    problem, data = cases.make(dimension, centering, scheme, faces, cells=(3, 3, 4))
    if faces == "periodic" and centering == "node":
        data = {name: value for name, value in data.items() if name.startswith(("coefficient", "reaction"))}
    s = solver(problem)
    assert torch.autograd.gradcheck(function_of(s, data), tensors(data), eps=1e-5, atol=1e-7, rtol=1e-6)


@pytest.mark.parametrize("centering, scheme", cases.SCHEMES)
def test_gradgradcheck(centering, scheme):
    problem, data = cases.make(2, centering, scheme, "all kinds", cells=(3, 3))
    s = solver(problem)
    assert torch.autograd.gradgradcheck(function_of(s, data), tensors(data), eps=1e-5, atol=1e-6, rtol=1e-5)


def test_tensors_in_and_out():
    f = torch.ones((9, 9), dtype=torch.float32)
    u = poisson.solve(f, boundary={"default": 0.0})
    assert isinstance(u, torch.Tensor) and u.dtype == torch.float32
    s = poisson.Problem(shape=(9, 9), source=f).solver(device="cpu")
    s.solve()
    s.source = f
    assert s.solve().copies == 0


def test_a_coefficient_is_learnt():
    ids = torch.arange(64).reshape(8, 8) % 2
    problem = poisson.Problem(shape=(8, 8), centering="cell", source=1.0)
    s = solver(problem)
    target = poisson.torch.solve(s, coefficient=torch.tensor([1.0, 5.0], dtype=torch.float64)[ids])
    logarithms = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([logarithms], max_iter=60, line_search_fn="strong_wolfe", tolerance_grad=1e-12)

    def closure():
        optimizer.zero_grad()
        loss = 1e4 * ((poisson.torch.solve(s, coefficient=logarithms.exp()[ids]) - target) ** 2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert np.allclose(logarithms.exp().detach().numpy(), [1, 5], rtol=1e-3)


compiles = hasattr(torch.library, "custom_op")


@pytest.mark.skipif(not compiles, reason="this PyTorch has no custom operators")
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.parametrize("centering, scheme", cases.SCHEMES)
@pytest.mark.parametrize("faces", ["all kinds", "periodic"])
def test_compiled_functions_contain_the_solve(centering, scheme, faces, backend):
    if backend == "inductor" and (scheme == "q1" or faces == "periodic"):
        pytest.skip("one case for each centering compiles code")
    problem, data = cases.make(2, centering, scheme, faces, cells=(5, 6))
    s = solver(problem)

    def loss(*values):
        return (torch.exp(function_of(s, data)(*values)) * 3).sum()

    found = []
    for function in (loss, torch.compile(loss, backend=backend, fullgraph=True)):
        values = tensors(data)
        value = function(*values)
        value.backward()
        found.append((value, *(v.grad for v in values)))
    for a, b in zip(*found):
        assert torch.allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.skipif(not compiles, reason="this PyTorch has no custom operators")
def test_the_operator_passes_the_checks_of_torch():
    problem, data = cases.make(2, "cell", "fv", "all kinds", cells=(4, 5))
    s = solver(problem)
    poisson.torch.solve(s)
    torch.library.opcheck(torch.ops.poisson.solve.default, (s._differentiable.number, ",".join(data), tensors(data)))
