"""Wrong input ends in a Python exception that names the datum and the remedy, and never in a crash."""

import re

import numpy as np
import pytest

import poisson

F = np.ones((9, 9))


class Shapeless:
    def __array__(self, dtype=None, copy=None):
        raise ValueError("no values")


def with_hole():
    values = np.ones((9, 9))
    values[3, 4] = np.nan
    return values


def problem(**changes):
    return lambda: poisson.Problem(**{"shape": (9, 9), "source": 1.0, **changes}).solver().solve()


def kept(**changes):
    def run():
        solver = poisson.Problem(shape=(9, 9), coefficient=np.ones((8, 8)), source=F).solver()
        solver.update(**changes)
        solver.solve()

    return run


def solve(*arguments, **more):
    return lambda: poisson.Problem(shape=(9, 9), source=F).solver().solve(*arguments, **more)


def field(name):
    return lambda: poisson.Problem(shape=(9, 9), source=F).solve().field(name)


CONFIGURATION = {
    "no grid": (lambda: poisson.Problem(), "give shape"),
    "one axis": (problem(shape=(9,)), r"give \(ny, nx\)"),
    "four axes": (problem(shape=(9, 9, 9, 9)), r"\(nz, ny, nx\)"),
    "shape of words": (problem(shape="large"), "whole numbers"),
    "shape of None": (problem(shape=(None, 9)), "whole numbers"),
    "shape of one node": (problem(shape=(1, 9)), ">= 2"),
    "unknown argument": (problem(sources=1), "unknown argument 'sources'"),
    "unknown solver key": (problem(solver={"tolerence": 1}), "did you mean 'tolerance'"),
    "unknown key of solver()": (lambda: poisson.Problem(shape=(9, 9)).solver(iterations=3), "solver.iterations"),
    "negative tolerance": (problem(solver={"tolerance": -1}), "must be >= 0"),
    "unknown method": (problem(solver={"method": "magic"}), "unknown choice"),
    "section of numbers": (problem(solver=3), "expected a dictionary"),
    "unknown face": (problem(boundary={"w-": 0}), "boundary.w-"),
    "unknown condition": (problem(boundary={"x-": {"dirichlett": 0}}), "did you mean|dirichlet"),
    "one periodic face": (problem(boundary={"x-": "periodic", "default": 0}), "both periodic or neither"),
    "face in two dimensions": (problem(boundary={"z-": 0.0}), "two dimensions"),
    "negative alpha": (problem(boundary={"x-": {"robin": {"alpha": -1, "value": 0}}}), ">= 0"),
    "wrong shape of source": (problem(source=np.ones((4, 9))), r"give \[9\]\[9\] \(nodes\) or \[8\]\[8\]"),
    "wrong axes of source": (problem(source=np.ones((1, 9, 9, 9))), "axes|shape"),
    "empty source": (problem(source=np.ones((0, 9))), "shape"),
    "wrong shape of coefficient": (problem(coefficient=np.ones((9, 8))), "shape"),
    "wrong shape of a face": (problem(boundary={"x-": np.ones(5)}), r"\[9\] \(nodes\) or \[8\]"),
    "two axes on a line": (problem(boundary={"x-": np.ones((9, 9))}), "of the face"),
    "NaN": (problem(source=with_hole()), "must be finite"),
    "infinity": (problem(source=np.full((9, 9), np.inf)), "must be finite"),
    "NaN as a number": (problem(source=float("nan")), "finite number"),
    "zero coefficient": (problem(coefficient=np.zeros((8, 8))), "greater than 0"),
    "negative coefficient": (problem(coefficient=-1.0), "> 0"),
    "negative reaction": (problem(reaction=np.full((9, 9), -1.0)), "must not be negative"),
    "complex numbers": (problem(source=np.ones((9, 9), dtype=complex)), r"astype\(float\)"),
    "objects": (problem(source=np.full((9, 9), "a", dtype=object)), r"astype\(float\)"),
    "masked values": (problem(source=np.ma.masked_less(with_hole(), 2)), r"filled\(0\)"),
    "array without values": (problem(source=Shapeless()), "cannot be read"),
    "a list as source": (problem(source=[[1, 2], [3, 4]]), "equation.source: expected"),
    "a set as source": (problem(source={1, 2}), "give a number"),
    "a function as source": (problem(source=abs), "give a number"),
    "a broken expression": (problem(source="x +"), "equation.source"),
    "an unknown name": (problem(source="q*x"), "equation.source"),
    "key that is no string": (problem(boundary={3: 0.0}), "keys must be strings"),
    "elements in cells": (problem(centering="cell", scheme="q1"), "scheme: fv"),
    "unknown centering": (problem(centering="corner"), "unknown choice"),
    "spacing and upper": (problem(spacing=1, upper=(1, 1)), "keep one of the two"),
    "grid and shape": (problem(grid={"cells": [8, 8]}), "keep one of the two"),
    "nodes and lower": (problem(nodes=[[0, 1, 2], [0, 1, 2]], lower=(0, 0)), "keep one of the two"),
    "falling nodes": (lambda: poisson.Problem(nodes=[[0, 2, 1], [0, 1, 2]]), "increas"),
    "corner of three numbers": (problem(upper=(1, 1, 1)), "give 2, in the order x, y"),
    "empty box": (problem(upper=(0, 1)), "domain"),
    "integers as dtype": (lambda: poisson.Problem(shape=(9, 9)).solver(dtype=int), "float64 or float32"),
    "unknown device": (lambda: poisson.Problem(shape=(9, 9)).solver(device="tpu"), "device"),
    "array as title": (problem(title=F), "title"),
    "missing file": (lambda: poisson.load("/nowhere/a.yaml"), "cannot be opened"),
    "unknown key of a file": (lambda: poisson.load("/nowhere/a.yaml", set={"a": 1}), "cannot be opened"),
    "new source of another shape": (kept(source=np.ones((3, 3))), "source: the array has the shape"),
    "new source of words": (kept(source=object()), "expected a number"),
    "new source of True": (kept(source=True), "expected a number"),
    "new source with NaN": (kept(source=with_hole()), "must be finite"),
    "new coefficient for one axis": (kept(coefficient={"x": 1.0}), "one value or array|keys"),
    "new coefficient of zero": (kept(coefficient=0.0), "greater than 0"),
    "new value of an unknown face": (kept(boundary={"q": 1.0}), "choose from"),
    "new value of the wrong shape": (kept(boundary={"x-": np.ones(3)}), "of the face"),
    "several sources, none": (solve(np.ones((0, 9, 9))), "at least one"),
    "guess of another shape": (solve(guess=np.ones((3, 3))), "guess: expected an array of the shape"),
    "guess of a number": (solve(guess=1.0), "guess: expected an array"),
    "guess with NaN": (solve(guess=with_hole()), "not finite"),
    "field of materials": (field("material"), "needs materials"),
    "error without an exact solution": (field("error"), "give exact"),
    "flux of nodes": (field("flux"), "needs unknowns in cells"),
    "folder of None": (lambda: poisson.Problem(shape=(9, 9), source=F).solve().save(None), "folder: expected a path"),
    "folder with a zero": (lambda: poisson.Problem(shape=(9, 9), source=F).solve().save("a\0b"), "expected a path"),
    "file of None": (lambda: poisson.load(None), "file: expected a path"),
    "huge integer": (kept(source=10**400), "too large"),
    "text without encoding": (kept(source="x\ud800"), "cannot be written"),
    "title without encoding": (problem(title="\ud800"), "cannot be written"),
    "shape of halves": (problem(shape=(3.5, 4)), "whole numbers"),
    "nodes of words": (lambda: poisson.Problem(nodes=("abc", [0, 1, 2])), "nodes"),
    "dtype of words": (lambda: poisson.Problem(shape=(9, 9)).solver(dtype="wide"), "float64 or float32"),
    "dates": (kept(source=np.zeros((9, 9), "datetime64[s]")), "give real numbers"),
    "records": (kept(source=np.zeros((9, 9), [("a", float)])), "give real numbers"),
    "stream of words": (solve(stream="fast"), "stream: expected"),
    "nested expression": (kept(source="(" * 100000 + "x" + ")" * 100000), "characters"),
    "unknown field": (lambda: poisson.Problem(shape=(9, 9), source=F).solve().field("w"), "choose from"),
}


@pytest.mark.parametrize("name", CONFIGURATION)
def test_mistakes_are_configuration_errors(name):
    run, message = CONFIGURATION[name]
    with pytest.raises(poisson.ConfigurationError) as raised:
        run()
    assert re.search(message, str(raised.value)), str(raised.value)


def test_there_are_fifty_cases():
    assert len(CONFIGURATION) >= 50


def test_all_mistakes_are_reported_together():
    with pytest.raises(poisson.ConfigurationError) as raised:
        poisson.Problem(shape=(9, 9), coefficient=-1.0, boundary={"w-": 0.0}, solver={"cycle": "z"})
    assert len(str(raised.value).splitlines()) == 3


UNUSUAL = {
    "integers": np.arange(81).reshape(9, 9),
    "truth values": np.eye(9, dtype=bool),
    "half precision": np.ones((9, 9), np.float16),
    "long double": np.ones((9, 9), np.longdouble),
    "another byte order": np.arange(81.0).reshape(9, 9).astype(">f8"),
    "columns first": np.asfortranarray(np.arange(81.0).reshape(9, 9)),
    "falling strides": np.arange(81.0).reshape(9, 9)[::-1, ::-1],
    "strides of zero": np.broadcast_to(2.0, (9, 9)),
    "gaps": np.arange(324.0).reshape(18, 18)[::2, ::2],
    "no alignment": np.frombuffer(b"x" + np.arange(81.0).tobytes(), np.uint8)[1:].view(float).reshape(9, 9),
    "matrix": np.ones((9, 9)).view(np.matrix),
    "nothing masked": np.ma.masked_equal(np.ones((9, 9)), 7),
    "tiny": np.full((9, 9), 1e-320),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_arrays_have_their_values(name):
    values = UNUSUAL[name]
    plain = np.array(values, dtype=float, order="C")
    s = poisson.Problem(shape=(9, 9), boundary={"default": 0.0}).solver(tolerance=1e-10)
    s.source = plain
    expected = s.solve().u
    s.source = values
    assert np.array_equal(s.solve().u, expected)
    plain.setflags(write=False)
    assert np.array_equal(s.solve(plain, guess=plain).u, expected) or abs(s.solution - expected).max() < 1e-9


def test_calls_of_the_compiled_module_check_their_arguments():
    s = poisson.Problem(shape=(9, 9), centering="cell", source=F).solver()
    core, out = s._session, np.zeros((9, 9))
    calls = [lambda: core.gradient("kappa_in_cells", out, out, [], 0, 2, out),
             lambda: core.gradient("kappa_in_cells", None, out, [out, out], 0, 2, out),
             lambda: core.gradient("kappa_in_cells", out, None, [out, out], 0, 2, out),
             lambda: core.gradient("kappa_in_cells", out, out, [out, out], -5, 99, out),
             lambda: core.gradient("kappa_in_cells", out, out, [out] * 7, 0, 2, out),
             lambda: core.gradient("kappa_in_cells", out, out, [np.zeros((3, 3))] * 2, 0, 2, out),
             lambda: core.gradient("unknown", out, out, [], 0, 2, out),
             lambda: core.face_values(9, -1, True), lambda: core.update({3: 1.0}), lambda: core.update({"kappa": 1.0}),
             lambda: core.apply(np.zeros((3, 3))), lambda: core.solve_rhs(np.zeros((3, 3))),
             lambda: core.solve(np.zeros((3, 3)), print), lambda: core.write_solution(np.broadcast_to(0.0, (9, 9)))]
    for call in calls:
        with pytest.raises((ValueError, IndexError, TypeError)):
            call()


def test_a_freed_solver_has_nothing():
    s = poisson.Problem(shape=(9, 9), source=F).solver()
    r = s.solve()
    s.free()
    s.free()
    for call in (lambda: r.flows, s.solve, lambda: s.info, lambda: s.shape, lambda: s.block, lambda: repr(s)):
        with pytest.raises(poisson.SolverError, match="was freed"):
            call()


def test_a_solver_survives_wrong_data():
    s = poisson.Problem(shape=(9, 9), coefficient=np.ones((8, 8)), source=F).solver(tolerance=1e-10)
    u = s.solve().u
    for changes in ({"source": with_hole()}, {"coefficient": -np.ones((8, 8))}, {"boundary": {"x-": np.ones(3)}}):
        with pytest.raises(poisson.ConfigurationError):
            s.update(**changes)
            s.solve()
    s.update(source=F, coefficient=np.ones((8, 8)))
    assert np.array_equal(s.solve().u, u)


def test_deleted_arrays_of_jax():
    jax = pytest.importorskip("jax")
    f = jax.numpy.ones((9, 9))
    f.delete()
    with pytest.raises(poisson.ConfigurationError, match="cannot be read"):
        poisson.Problem(shape=(9, 9), source=f)


def test_a_source_may_be_deleted_after_it_was_set():
    s = poisson.Problem(shape=(33, 33), source=np.zeros((33, 33))).solver()
    s.source = np.ones((33, 33))
    junk = [np.full((33, 33), np.nan) for _ in range(50)]
    assert s.solve().converged and len(junk) == 50


def test_matrices_have_no_gradients():
    from poisson import _adjoint

    for problem_, reason in ((poisson.Problem(shape=(9, 9), scheme="compact4", source="x"), "compact4"),
                             (poisson.Problem(shape=(9, 9), scheme="q1", coefficient={"x": 1, "y": 2}), "scalar"),
                             (poisson.Problem(shape=(9, 9), boundary={"x-": [{"where": "y<0.5", "dirichlet": 1},
                                                                             {"neumann": 0}]}), "several conditions")):
        with pytest.raises(NotImplementedError, match=reason):
            _adjoint.of(problem_).check({})
