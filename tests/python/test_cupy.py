"""Arrays of CuPy, and of other packages, in GPU memory. Skipped without CuPy and a GPU."""

import numpy as np
import pytest

import poisson
from poisson import _arrays, _core

cupy = pytest.importorskip("cupy", exc_type=ImportError)
try:
    count = cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError:
    count = 0
if count == 0 or not _core.cuda:
    pytest.skip("cupy has no GPU, or the module no CUDA", allow_module_level=True)

SHAPE = (36, 40, 44)


class Foreign:
    """An array of another package: only the interface."""

    def __init__(self, array):
        self._array = array
        self.shape, self.dtype = array.shape, array.dtype

    __cuda_array_interface__ = property(lambda self: self._array.__cuda_array_interface__)


def problem(**arguments):
    return poisson.Problem(shape=SHAPE, centering="cell", **{"source": 1.0, **arguments})


def on(device, problem, **keys):
    return problem.solver(device=device, precision="double", tolerance=1e-12, **keys)


def values(seed, dtype=np.float64):
    return np.random.default_rng(seed).random(SHAPE).astype(dtype) + dtype(0.5)


@pytest.fixture(scope="module")
def expected():
    return on("cpu", problem(source=values(1), coefficient=values(2))).solve().u


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sources_are_read_where_they_are(dtype):
    f = cupy.asarray(values(1, dtype))
    s = problem(source=f).solver(device="cuda", tolerance=1e-7)
    there, stream, copies = _arrays.on_device(f, "f")
    assert there.pointer == f.data.ptr and copies == 0 and stream == cupy.cuda.get_current_stream().ptr
    r = s.solve()
    assert isinstance(r.u, cupy.ndarray) and r.u.dtype == dtype and r.copies == 0
    before = r.u.copy()
    f *= 2  # no copy exists: the next solve reads the new values
    r = s.solve()
    assert r.copies == 0 and abs(r.u - 2 * before).max() < 1e-5 * abs(r.u).max()


def test_data_of_the_gpu_give_the_solution_of_the_host(expected):
    f, kappa = cupy.asarray(values(1)), cupy.asarray(values(2))
    s = on("cuda", problem(coefficient="1 + x"))
    s.update(source=f, coefficient=kappa)
    r = s.solve(guess=cupy.asarray(values(3)))
    assert r.copies == 0 and abs(r.u.get() - expected).max() < 1e-9 * abs(expected).max()
    c = on("cpu", problem(coefficient=values(2)))
    r = c.solve(f)
    assert isinstance(r.u, cupy.ndarray) and r.copies >= 1
    assert abs(r.u.get() - expected).max() < 1e-9 * abs(expected).max()


def test_layouts_and_types_are_copied_once(expected):
    s = on("cuda", problem(coefficient=values(2)))
    f = cupy.asarray(values(1))
    for given in (cupy.asfortranarray(f), cupy.stack([f, f], axis=-1)[..., 0]):
        r = s.solve(given)
        assert r.copies == 1 and abs(r.u.get() - expected).max() < 1e-9 * abs(expected).max()
    for given, message in ((f.astype(complex), "real"), (f[1:], "shape"), (f + cupy.nan, "finite")):
        with pytest.raises(poisson.ConfigurationError, match=message):
            s.solve(given)


@pytest.mark.parametrize("named", [False, True])
def test_a_source_written_on_a_side_stream_just_before(named, expected):
    s = on("cuda", problem(coefficient=values(2)))
    f, ready = cupy.zeros(SHAPE), cupy.asarray(values(1))
    large = cupy.ones((4096, 4096))
    large @ large  # loads cuBLAS
    cupy.cuda.Device().synchronize()
    with cupy.cuda.Stream(non_blocking=True) as side:
        for _ in range(20):
            large = large @ large / 4096
        f[...] = large[0, 0] * ready
        if not named:
            total = s.solve(f).u.sum()  # on the side stream
            assert abs(float(total) - expected.sum()) < 1e-9 * abs(expected.sum())
            return
    u = s.solve(f, stream=side).u
    side.synchronize()
    assert abs(u.get() - expected).max() < 1e-9 * abs(expected).max()


def test_foreign_arrays(expected):
    s = on("cuda", problem(coefficient=values(2)))
    f = cupy.asarray(values(1))
    r = s.solve(Foreign(f))
    assert r.copies == 0 and abs(cupy.asarray(r.u).get() - expected).max() < 1e-9 * abs(expected).max()
    r = on("cpu", problem(coefficient=values(2))).solve(Foreign(f))
    assert abs(cupy.asarray(r.u).get() - expected).max() < 1e-9 * abs(expected).max()


def test_cupy_lends_the_memory(expected):
    pool = cupy.get_default_memory_pool()
    before = pool.used_bytes()
    with on("cuda", problem(source=values(1), coefficient=values(2)), allocator="cupy") as s:
        assert pool.used_bytes() > before + expected.nbytes
        assert abs(s.solve().u - expected).max() < 1e-9 * abs(expected).max()
    assert pool.used_bytes() == before


def test_several_right_hand_sides(expected):
    s = on("cuda", problem(coefficient=values(2)))
    f = cupy.asarray(values(1))
    r = s.solve(cupy.stack([f, 2 * f, -f]))
    assert isinstance(r.u, cupy.ndarray) and r.u.shape == (3, *SHAPE)
    for u, factor in zip(r.u, (1, 2, -1)):
        assert abs(u.get() - factor * expected).max() < 1e-9 * abs(expected).max()
