"""Solves through the Python module: results, new data, many right-hand sides, threads and signals."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import poisson
from poisson import _several

ROOT = pathlib.Path(os.environ["POISSON_ROOT"])


def wave(n):
    """Returns f and the solution of −Δu = f on the nodes of the unit cube."""
    x = np.sin(np.pi * np.linspace(0, 1, n))
    u = x[:, None, None] * x[:, None] * x
    return 3 * np.pi**2 * u, u


def layered(centering="cell", **more):
    """Returns a problem whose source is an array and whose coefficient varies."""
    rng = np.random.default_rng(3)
    shape = (6, 7, 8)
    cells = tuple(n - (centering == "node") for n in shape)
    return poisson.Problem(shape=shape, coefficient=1 + rng.random(cells), source=rng.normal(size=shape),
                           boundary={"z+": {"dirichlet": 1}, "default": {"neumann": 0}, "z-": 0.0}, centering=centering,
                           **more)


def test_one_line_solves():
    f, exact = wave(33)
    u = poisson.solve(f, spacing=(1 / 32,) * 3, boundary={"default": 0.0})
    assert u.shape == f.shape and u.dtype == np.float64
    assert abs(u - exact).max() < 1e-3


def test_single_precision_in_and_out():
    f, exact = wave(33)
    u = poisson.solve(f.astype(np.float32), boundary={"default": 0.0})
    assert u.dtype == np.float32
    assert abs(u - exact).max() < 1e-3


@pytest.mark.parametrize("centering", ["node", "cell"])
def test_flows_balance_the_source(centering):
    r = layered(centering).solve(tolerance=1e-10)
    assert set(r.flows) == {"x-", "x+", "y-", "y+", "z-", "z+"}
    assert abs(sum(r.flows.values()) + r.balance["source"]) < 1e-8 * abs(r.flows["z+"])
    assert r.converged and r.iterations > 0 and r.residual < 1e-10 and r.seconds > 0


@pytest.mark.parametrize("centering", ["node", "cell"])
def test_flux_is_the_coefficient_times_the_gradient(centering):
    p = poisson.Problem(shape=(9, 9), coefficient={"x": 2.0, "y": 3.0}, centering=centering, upper=(1, 2),
                        boundary={"x-": 0.0, "x+": 4.0, "default": {"neumann": 0}})
    flux = p.solve(tolerance=1e-12).flux
    assert flux.shape[0] == 2
    assert np.allclose(flux[0], 8.0) and np.allclose(flux[1], 0.0, atol=1e-9)


def test_a_changed_source_equals_a_new_problem():
    for centering in ("node", "cell"):
        s = layered(centering).solver(tolerance=1e-12)
        s.solve()
        f = np.random.default_rng(8).normal(size=s.shape)
        s.source = f
        r = s.solve()
        assert r.copies == 0
        fresh = layered(centering)
        fresh._tree["equation"]["source"] = f
        fresh._config = poisson._core.configure(fresh._tree, "Problem")
        assert abs(r.u - fresh.solve(tolerance=1e-12).u).max() < 1e-9
        assert abs(sum(r.flows.values()) + r.balance["source"]) < 1e-8 * abs(r.flows["z+"])


def test_lent_sources_keep_the_data_of_faces():
    x = np.linspace(0, 1, 17)
    exact = np.add.outer(3 * x, 2 * x) + 1
    faces = {"x-": {"neumann": -2.0}, "x+": {"robin": {"alpha": 2.0, "value": "2*(3*y+3)+2"}}, "default": "2*x+3*y+1"}
    s = poisson.Problem(shape=(17, 17), source=np.zeros((17, 17)), boundary=faces).solver(tolerance=1e-12)
    for _ in range(3):
        assert abs(s.solve().u - exact).max() < 1e-9
    s.boundary["x-"] = -1.0
    assert abs(s.solve().u - exact).max() > 0.1
    s.boundary["x-"] = -2.0
    assert abs(s.solve().u - exact).max() < 1e-9


@pytest.mark.parametrize("centering", ["node", "cell"])
@pytest.mark.parametrize("faces", [{"default": 0.0}, {"default": {"neumann": 0.5}, "z-": 0.0}, {"default": {"neumann": 0}}])
def test_balances_belong_to_the_last_solve(centering, faces):
    keys = {"shape": (9, 10, 11), "centering": centering, "boundary": faces}
    s = poisson.Problem(source="x - 0.5", **keys).solver(tolerance=1e-10)
    s.solve()
    for source in ("cos(3*x) + y", 2.0, "x - 0.5"):
        if faces == {"default": {"neumann": 0}} and source == 2.0:
            continue  # has no solution
        s.source = source
        r = s.solve()
        new = poisson.Problem(source=source, **keys).solve(tolerance=1e-10)
        assert np.array_equal(r.u, new.u)
        assert r.balance == new.balance and r.flows == new.flows


def test_starts_forget_earlier_data_of_faces():
    s = layered().solver(tolerance=1e-10)
    first = s.solve().u
    s.boundary["z-"] = 4.0
    s.solve(guess=np.ones(first.shape))
    s.boundary["z-"] = 0.0
    assert np.array_equal(s.solve().u, first)


def test_sources_of_other_layouts_are_copied_once():
    s = layered().solver()
    s.solve()
    f = np.random.default_rng(1).normal(size=s.shape)
    reference = None
    for values, copies in ((f, 0), (np.asfortranarray(f), 1), (np.repeat(f, 2, axis=2)[..., ::2], 1),
                           (f.astype(">f8"), 1), (f[::-1][::-1], 0)):
        s.source = values
        r = s.solve()
        reference = r.u if reference is None else reference
        assert r.copies == copies
        assert np.array_equal(r.u, reference)


def test_read_only_sources_are_read():
    s = layered().solver()
    f = np.ones(s.shape)
    f.flags.writeable = False
    s.source = f
    assert s.solve().converged


def test_a_new_coefficient_equals_a_new_problem():
    s = layered().solver(tolerance=1e-12)
    first = s.solve().u
    kappa = 1 + np.random.default_rng(5).random(s.shape)
    s.coefficient = kappa
    u = s.solve(guess=first).u
    p = layered()
    p._tree["equation"]["coefficient"] = kappa
    p._config = poisson._core.configure(p._tree, "Problem")
    assert abs(u - p.solve(tolerance=1e-12).u).max() < 1e-9
    assert s.info["changed"] is False


def test_a_coefficient_with_jumps_changes_automatic_choices():
    p = poisson.Problem(shape=(24, 24, 24), coefficient=1.0, source=1.0, centering="cell")
    s = p.solver()
    s.solve()
    s.coefficient = np.where(np.arange(24**3).reshape(24, 24, 24) % 7 < 3, 1e4, 1.0)
    assert s.info["changed"] is True
    assert s.solve().converged


def test_reaction_and_boundary_values_can_change():
    p = poisson.Problem(shape=(9, 9), source=1.0, boundary={"default": 0.0})
    s = p.solver(tolerance=1e-12)
    s.reaction = 2.0
    s.boundary["x-"] = 1.0
    s.boundary["y+"] = "x"
    u = s.solve().u
    fresh = poisson.Problem(shape=(9, 9), source=1.0, reaction=2.0, boundary={"x-": 1.0, "y+": "x", "default": 0.0})
    assert abs(u - fresh.solve(tolerance=1e-12).u).max() < 1e-9


def test_arrays_on_faces():
    y = np.linspace(0, 1, 9)
    for value in (y, 0.5 * (y[1:] + y[:-1])):
        kind = "dirichlet" if len(value) == 9 else "neumann"
        p = poisson.Problem(shape=(9, 17), boundary={"x-": {kind: value}, "default": {"dirichlet": 0}})
        text = poisson.Problem(shape=(9, 17), boundary={"x-": {kind: "y"}, "default": {"dirichlet": 0}})
        difference = abs(p.solve(tolerance=1e-10).u - text.solve(tolerance=1e-10).u)[1:-1, 1:].max()
        assert difference < 1e-8


def test_several_right_hand_sides_share_the_levels():
    s = layered().solver(tolerance=1e-10)
    F = np.random.default_rng(2).normal(size=(3, *s.shape))
    r = s.solve(F)
    assert r.u.shape == F.shape and r.converged and len(r.iterations) == 3
    for f, u in zip(F, r.u):
        assert np.array_equal(s.solve(f).u, u)


def test_right_hand_sides_at_once_have_the_bits_of_single_ones(monkeypatch):
    """A GPU solves several at once by further solvers, which get the data that replaced those of the problem."""
    s = layered().solver(tolerance=1e-10)
    monkeypatch.setattr(_several, "solvers_at_once",
                        lambda solver, pieces: _several.further_solvers(solver, min(2, len(pieces) - 1)))
    F = np.random.default_rng(2).normal(size=(5, *s.shape))
    for change in (lambda: None, lambda: s.update(coefficient=1 + np.random.default_rng(4).random(s.shape)),
                   lambda: s.update(boundary={"z+": 3.0}), lambda: s.update(reaction=2.0)):
        change()
        r = s.solve(F)
        assert len(s._others) == 2 and r.converged and len(r.iterations) == 5
        assert np.array_equal(s.solution, r.u[-1])
        for f, u in zip(F, r.u):
            assert np.array_equal(s.solve(f).u, u)
    with pytest.raises(poisson.ConfigurationError):
        s.solve(np.full((3, *s.shape), np.nan))
    s.free()


def test_a_guess_saves_iterations():
    s = layered().solver(tolerance=1e-8, method="multigrid", full_multigrid=False)
    r = s.solve()
    again = s.solve(guess=r.u)
    assert again.iterations < r.iterations
    assert abs(again.u - r.u).max() < 1e-6


def test_not_converged_carries_the_result():
    s = layered().solver(tolerance=1e-12, method="cg", max_iterations=2, fallback="never")
    with pytest.raises(poisson.NotConverged) as raised:
        s.solve()
    assert raised.value.result.iterations == 2
    assert raised.value.result.u.shape == s.shape
    assert "max_iterations" in str(raised.value)
    assert s.solve(check=False).converged is False


def test_a_result_reports_that_it_is_out_of_date():
    s = layered().solver()
    r = s.solve()
    s.solve()
    with pytest.raises(poisson.StaleResult, match="before that"):
        r.flows
    assert r.u.shape == s.shape


def test_files_and_parameters(tmp_path):
    p = poisson.load(ROOT / "configs/die.yaml", set={"solver.tolerance": 1e-9})
    r = p.solve()
    summary = json.loads(r.save(tmp_path / "die"))
    assert summary["converged"] and (tmp_path / "die/summary.json").exists()
    assert {f["name"] for f in summary["files"]} == {f.name for f in (tmp_path / "die").iterdir()} - {"summary.json"}
    assert r.probes[0][1] == pytest.approx(132.5, abs=0.1)
    text = "domain: {lower: [0, 0], upper: [1, 1]}\nparameters: {h: 1}\ngrid: {cells: [8, 8]}\nequation: {source: h}\n"
    (tmp_path / "own.yaml").write_text(text)
    one, three = (poisson.load(tmp_path / "own.yaml", parameters={"h": h}).solve().u for h in (1, 3))
    assert np.allclose(3 * one, three)
    r = poisson.load(tmp_path / "own.yaml").solve(tolerance=1e-3, smoother={"type": "jacobi"}, method="multigrid")
    assert r.converged


def test_an_expression_and_an_array_give_the_same():
    x = np.linspace(0, 1, 17)
    array = poisson.Problem(shape=(17, 17), source=np.add.outer(x**2, x)).solve(tolerance=1e-10).u
    numbers = poisson.Problem(shape=(17, 17), source="x+y^2").solve(tolerance=1e-10).u
    assert abs(array - numbers).max() < 1e-4


def test_the_configuration_states_defaults():
    p = layered(solver={"tolerance": 1e-5})
    assert p.config["solver"]["tolerance"] == 1e-5
    assert p.config["solver"]["max_iterations"] == 100
    assert p.config["equation"]["source"] == "array of the shape [6] [7] [8]"
    assert p.geometry["faces"]["z+"] == "dirichlet"


def test_pictures_and_texts():
    r = layered().solve()
    html = r._repr_html_()
    assert html.count("data:image/png") == 3 and "∫ κ" in html and "z+" in html
    assert "converged" in repr(r) and "multigrid" in repr(layered().solver())
    from poisson import _picture

    assert _picture.png(np.zeros((4, 5))).startswith(b"\x89PNG")


def test_two_solvers_in_two_threads():
    expected = [layered(centering).solve(tolerance=1e-10).u for centering in ("node", "cell")]
    found = [None, None]

    def run(i, centering):
        s = layered(centering).solver(tolerance=1e-10)
        for _ in range(20):
            found[i] = s.solve().u

    threads = [threading.Thread(target=run, args=a) for a in enumerate(("node", "cell"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for a, b in zip(expected, found):
        assert np.array_equal(a, b)


def test_one_solver_in_two_threads():
    s = layered().solver()
    expected = s.solve().u
    found = []
    threads = [threading.Thread(target=lambda: found.append(s.solve().u)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(np.array_equal(u, expected) for u in found)


def test_interrupts_end_a_solve_and_keep_its_iterate():
    code = """
import os, signal, threading, numpy as np, poisson
p = poisson.Problem(shape=(65, 65, 65), source=np.ones((65, 65, 65)))
s = p.solver(method="jacobi", tolerance=1e-14, max_iterations=10**7, fallback="never")
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    s.solve()
    print("finished")
except KeyboardInterrupt:
    print("interrupted", float(s.solution.max()) > 0, s.solution.shape)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "interrupted True (65, 65, 65)", done.stdout + done.stderr
    assert signal.SIGINT


def test_memory_does_not_grow():
    def resident():
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    s = poisson.Problem(shape=(16, 16, 16), source=np.ones((16, 16, 16)), centering="cell").solver()
    f = np.ones(s.shape)
    for i in range(1200):
        s.source = f
        if i % 100 == 0:
            s.coefficient = 1.0 + i
        s.solve()
        if i == 200:
            before = resident()
    assert resident() - before < 4 << 20


def test_a_freed_solver_says_so():
    with layered().solver() as s:
        assert s.solve().converged
    with pytest.raises(poisson.SolverError, match="was freed"):
        s.solve()


def test_matrices_from_files(tmp_path):
    entries = "".join(f"{i} {j} {v}\n" for i in range(1, 17) for j, v in ((i, 2), (i + 1, -1)) if j <= 16)
    text = f"%%MatrixMarket matrix coordinate real symmetric\n16 16 31\n"
    lower = "".join(f"{line.split()[1]} {line.split()[0]} {line.split()[2]}\n" for line in entries.splitlines())
    (tmp_path / "a.mtx").write_text(text + lower)
    p = poisson.Problem(grid={"type": "banded", "file": str(tmp_path / "a.mtx"), "shape": [4, 4]}, source=1.0)
    r = p.solve(tolerance=1e-12)
    assert r.converged and r.u.size == 16
    with pytest.raises(poisson.ConfigurationError, match="matrix from a file"):
        p.solver().coefficient = 2.0
