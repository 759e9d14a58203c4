"""Many solves, updates and solvers need no more memory than a few, also in two threads."""

import gc
import os
import threading

import numpy as np
import pytest

import poisson


def resident():
    """Returns the resident bytes of this process."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(work, first=100, then=1000):
    """Returns the bytes that `then` calls need more after the `first` ones."""
    for i in range(first):
        work(i)
    before = resident()
    for i in range(then):
        work(i)
    return resident() - before


MOST = 4 << 20  # bytes; one array of 24³ values for each call would be 110 MB


def make(**keys):
    kappa = 1 + np.random.default_rng(0).random((24, 24, 24))
    p = poisson.Problem(shape=(24, 24, 24), centering="cell", coefficient=kappa, source=1.0)
    return p.solver(device="cpu", tolerance=1e-4, **keys), kappa


def test_a_thousand_solves_need_no_more_memory():
    s, _ = make()
    f = np.random.default_rng(1).normal(size=s.shape)

    def work(i):
        s.source = f * i
        u = s.solve().u
        s.boundary["x-"] = float(i)
        s.solve(f, guess=u)

    assert growth(work) < MOST


def test_a_thousand_coefficients_need_no_more_memory():
    s, kappa = make()

    def work(i):
        s.coefficient = kappa * (1 + 1e-3 * (i % 7))
        if i % 10 == 0:
            s.solve()

    assert growth(work, first=30, then=300) < MOST


def test_results_and_mistakes_need_no_more_memory():
    s, kappa = make()

    def work(_):
        r = s.solve()
        assert r.flows and r.flux.shape[0] == 3
        for wrong in (np.full(s.shape, np.nan), np.zeros((2, 2, 2))):
            with pytest.raises(poisson.ConfigurationError):
                s.solve(wrong)
        s.source = 1.0

    assert growth(work, first=30, then=200) < MOST


def test_solvers_and_gradients_need_no_more_memory():
    from poisson import _adjoint

    kappa = 1 + np.random.default_rng(0).random((24, 24, 24))
    p = poisson.Problem(shape=(24, 24, 24), centering="cell", coefficient=kappa, source=1.0)

    def work(i):
        s = p.solver(device="cpu", tolerance=1e-4)
        core = _adjoint.of(s)
        out = np.empty(core.shape)
        core.solve({"coefficient": kappa * (1 + i), "source": kappa}, out)
        core.adjoint({}, out, out.copy())

    assert growth(work, first=20, then=60) < MOST


def test_two_solvers_in_two_threads_give_the_same_as_one():
    solvers = [make(method=method)[0] for method in ("multigrid", "cg")]
    f = np.random.default_rng(2).normal(size=(20, *solvers[0].shape))
    alone = [[s.solve(g).u for g in f] for s in solvers]
    found = [[], []]

    def work(i):
        found[i].extend(solvers[i].solve(g).u for g in f)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(2):
        assert len(found[i]) == len(f)
        for u, v in zip(found[i], alone[i]):
            assert abs(u - v).max() <= 1e-12 * abs(v).max()


def test_two_threads_may_share_a_solver():
    s, _ = make()
    f = np.random.default_rng(3).normal(size=(10, *s.shape))
    expected = [s.solve(g).u for g in f]
    found = {}

    def work(first):
        for i in range(first, len(f), 2):
            found[i] = s.solve(f[i]).u  # one call: its source is its own

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, u in enumerate(expected):
        assert abs(found[i] - u).max() <= 1e-12 * abs(u).max()
