"""Tensors of PyTorch in GPU memory: no copies, streams, gradients, and mistakes. Skipped without torch and a GPU."""

import gc
import threading

import gradient_cases as cases
import numpy as np
import pytest

import poisson
from poisson import _arrays, _core

torch = pytest.importorskip("torch")
if not torch.cuda.is_available() or not _core.cuda:
    pytest.skip("torch has no GPU, or the module no CUDA", allow_module_level=True)

N = 48


def problem(**arguments):
    return poisson.Problem(shape=(N, N, N), centering="cell", **{"source": 1.0, **arguments})


def tensor(seed=0, dtype=torch.float64, shape=(N, N, N)):
    generator = torch.Generator(device="cuda").manual_seed(seed)
    return torch.rand(shape, generator=generator, device="cuda", dtype=dtype) + 0.5


def close(a, b, bound=1e-10):
    a, b = (x.detach().cpu().double() for x in (a, b))
    return (a - b).abs().max() <= bound * b.abs().max()


def on_cpu(problem, **keys):
    return problem.solver(device="cpu", precision="double", tolerance=1e-12, **keys)


def on_gpu(problem, **keys):
    return problem.solver(device="cuda", precision="double", tolerance=1e-12, **keys)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("method", ["direct", "multigrid"])
def test_sources_are_read_where_they_are(dtype, method):
    s = problem().solver(device="cuda", method=method, tolerance=1e-7, dtype=str(dtype).split(".")[1])
    f = tensor(dtype=dtype)
    there, _, copies = _arrays.on_device(f, "f")
    assert there.pointer == f.data_ptr() and copies == 0
    s.source = f
    r = s.solve()
    assert r.copies == 0 and r.u.device == f.device and r.u.dtype == dtype
    before = r.u.clone()
    f.mul_(2)  # no copy exists: the next solve reads the new values
    r = s.solve()
    assert r.copies == 0 and close(r.u, 2 * before, 1e-5)


def test_data_of_the_gpu_give_the_solution_of_the_host():
    f, kappa, sigma, guess = tensor(1), tensor(2), tensor(3), tensor(4)
    for s in (on_gpu(problem(source=f, coefficient=kappa, reaction=sigma)), on_gpu(problem(coefficient="1 + x",
                                                                                          reaction="y"))):
        s.update(source=f, coefficient=kappa, reaction=sigma)
        r = s.solve(guess=guess)
        assert r.copies == 0
        host = on_cpu(problem(source=f.cpu().numpy(), coefficient=kappa.cpu().numpy(), reaction=sigma.cpu().numpy()))
        assert close(r.u, torch.from_numpy(host.solve().u))
        assert abs(r.flows["x-"] - host.solve().flows["x-"]) < 1e-9 * abs(r.flows["x-"])


def test_a_problem_of_tensors_copies_nothing():
    f, kappa = tensor(1, torch.float32), tensor(2, torch.float32)
    r = problem(source=f, coefficient=kappa).solve(device="cuda")
    assert r.copies == 0 and r.u.device == f.device and r.u.dtype == torch.float32
    u = poisson.solve(f, centering="cell", boundary={"default": 0.0}, device="cuda", coefficient=kappa)
    assert close(u, r.u, 1e-5)


def test_a_source_written_on_a_side_stream_just_before():
    s = on_gpu(problem())
    s.source = tensor(1)
    expected = s.solve().u * 3
    f, side = torch.zeros_like(tensor()), torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(100_000_000)
        f.copy_(3 * tensor(1))
        s.source = f
        u = s.solve().u
        total = u.sum()  # on the side stream, without any wait of the host
    side.synchronize()  # the comparison runs on another stream
    assert close(u, expected)
    assert abs(total.item() - expected.sum().item()) < 1e-9 * abs(total.item())
    f.zero_()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(100_000_000)
        f.copy_(3 * tensor(1))
    u = s.solve(f, stream=side).u  # ready in the order of the side stream
    side.synchronize()
    assert close(u, expected)


def test_memory_of_another_stream_is_not_written_early():
    """u is in memory that earlier work of the current stream may still use."""
    s = on_gpu(problem())
    s.source = tensor(1)
    expected = s.solve().u.clone()
    held = torch.full_like(expected, 7)
    copy = torch.empty_like(held)
    torch.cuda._sleep(100_000_000)
    copy.copy_(held)
    del held  # its memory is reused for u
    u = s.solve().u
    assert (copy == 7).all() and close(u, expected, 0)


def test_arrays_of_other_layouts_and_places_are_copied_once():
    s = on_gpu(problem())
    f = tensor(1)
    s.source = f
    expected = s.solve().u
    for given in (f.transpose(0, 2).contiguous().transpose(0, 2), torch.stack([f, f], dim=-1)[..., 0]):
        s.source = given
        r = s.solve()
        assert r.copies == 1 and close(r.u, expected, 0)
    r = s.solve(f.cpu())
    assert r.copies >= 1 and r.u.device.type == "cpu" and close(r.u, expected, 0)
    c = on_cpu(problem())
    r = c.solve(f)
    assert r.copies >= 1 and r.u.device == f.device and close(r.u, expected)


def test_mistakes_of_tensors():
    s = on_gpu(problem())
    f = tensor(1)
    for given, message in ((f.to(torch.complex128), "real"), (f[1:], "shape"), (f[0], "shape")):
        with pytest.raises(poisson.ConfigurationError, match=message):
            s.source = given
    bad = f.clone()
    bad[1, 2, 3] = float("nan")
    with pytest.raises(poisson.ConfigurationError, match="finite"):
        s.solve(bad)
    with pytest.raises(poisson.ConfigurationError, match="greater than 0"):
        s.coefficient = -f
    with pytest.raises(poisson.ConfigurationError, match="guess"):
        s.solve(f, guess=f[1:])
    with pytest.raises(poisson.ConfigurationError, match="finite"):
        s.solve(f, guess=bad)
    s.coefficient = f
    s.solve(f.to(torch.float16).to(torch.float64))
    deleted = Deleted()
    with pytest.raises(poisson.ConfigurationError, match="cannot be read"):
        s.source = deleted


class Deleted:
    """Is an array whose memory is gone."""

    shape = (N, N, N)

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **_):
        raise RuntimeError("the array was deleted")


def test_results_are_new_tensors():
    s = on_gpu(problem(source=tensor(1)))
    first = s.solve().u
    values = first.clone()
    s.solve(tensor(2))
    assert torch.equal(first, values)


def test_several_right_hand_sides():
    s = on_gpu(problem())
    F = torch.stack([tensor(1), tensor(2)])
    r = s.solve(F)
    assert r.u.shape == F.shape and r.u.device == F.device and r.copies == 0
    assert close(r.u[1], s.solve(F[1]).u, 0)


def test_memory_is_lent_by_torch():
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    with problem(source=tensor(1)).solver(device="cuda", allocator="torch") as s:
        lent = torch.cuda.memory_allocated() - before
        assert lent >= 0.9 * s.info["bytes"]
        u = s.solve().u
    del s
    gc.collect()
    assert close(u, problem(source=tensor(1)).solver(device="cuda").solve().u, 0)
    assert torch.cuda.memory_allocated() - before < lent / 2


def test_memory_does_not_grow():
    s = problem().solver(device="cuda")
    f = tensor(1)

    def free(count):
        for _ in range(count):
            s.source = f
            s.solve()
        torch.cuda.synchronize()
        return torch.cuda.mem_get_info()[0]

    first = free(20)
    assert first - free(1000) < 1 << 20


def test_two_solvers_in_two_threads():
    f = [tensor(1), tensor(2)]
    solvers = [on_gpu(problem()) for _ in f]
    expected = [s.solve(g).u for s, g in zip(solvers, f)]
    failed = []

    def work(i):
        for _ in range(30):
            if not close(solvers[i].solve(f[i]).u, expected[i], 0):
                failed.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed


def function_of(s, data):
    return lambda *values: poisson.torch.solve(s, **cases.arguments(dict(zip(data, values))))


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("centering, scheme", cases.SCHEMES)
def test_gradcheck(dimension, centering, scheme):
    p, data = cases.make(dimension, centering, scheme, "all kinds", cells=(3, 3, 4))
    s = p.solver(device="cuda", tolerance=1e-13, precision="double", max_iterations=300)
    values = [torch.tensor(value, requires_grad=True, device="cuda") for value in data.values()]
    assert torch.autograd.gradcheck(function_of(s, data), values, eps=1e-5, atol=1e-7, rtol=1e-6)


@pytest.mark.parametrize("centering, scheme", cases.SCHEMES)
def test_gradgradcheck(centering, scheme):
    p, data = cases.make(2, centering, scheme, "all kinds", cells=(3, 3))
    s = p.solver(device="cuda", tolerance=1e-13, precision="double", max_iterations=300)
    values = [torch.tensor(value, requires_grad=True, device="cuda") for value in data.values()]
    assert torch.autograd.gradgradcheck(function_of(s, data), values, eps=1e-5, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("per_axis", [False, True])
@pytest.mark.parametrize("centering", ["node", "cell"])
@pytest.mark.parametrize("faces", ["all kinds", "periodic"])
def test_gradients_equal_those_of_the_host(centering, per_axis, faces):
    p, data = cases.make(3, centering, "fv", faces, cells=(12, 13, 14), per_axis=per_axis)
    found = []
    for device in ("cuda", "cpu"):
        s = p.solver(device=device, tolerance=1e-13, precision="double", max_iterations=300)
        values = [torch.tensor(value, requires_grad=True, device=device) for value in data.values()]
        (function_of(s, data)(*values) ** 3).sum().backward()
        found.append([v.grad for v in values])
    for a, b in zip(*found):
        assert a.device.type == "cuda" and close(a, b, 1e-8)


def test_a_coefficient_that_changes_in_place_is_noticed():
    p = problem()
    s = on_gpu(p)
    k = tensor(2).requires_grad_()
    first = poisson.torch.solve(s, coefficient=k)
    with torch.no_grad():
        k.mul_(2)
    second = poisson.torch.solve(s, coefficient=k)
    assert close(second, first / 2)
    assert np.isfinite(second.sum().item())
