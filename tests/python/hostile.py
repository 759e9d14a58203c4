"""Passes every hostile value to every argument of the module, and writes how each call ended:

    python tests/python/hostile.py FIRST

Each line is the number of a case, its name and its outcome; the line of a case that ends the process has no outcome.
FIRST is the number of the first case to run.
"""

import array
import datetime
import decimal
import faulthandler
import fractions
import logging
import sys

import numpy as np

import poisson

N = 7
F = np.ones((N, N))
IMAGE = np.arange(N * N, dtype=np.uint8).reshape(N, N) % 2


class Raises:
    """Is an array whose values cannot be read."""

    shape = (N, N)

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("gone")


class Lies:
    """Is an array with another shape than it says."""

    shape = (N, N)
    dtype = np.dtype(float)

    def __array__(self, dtype=None, copy=None):
        return np.ones(3)


class ShapeOfWords:
    shape = "wide"
    __array__ = None


class DeadCapsule:
    """Shares memory by a capsule that was consumed before."""

    def __init__(self):
        self.capsule = F.__dlpack__()
        np.from_dlpack(self)

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_):
        return self.capsule


class ForeignDevice:
    """Is an array in memory of a device that nobody knows."""

    shape = (N, N)

    def __dlpack_device__(self):
        return (7, 0)

    def __dlpack__(self, **_):
        raise BufferError("not here")


class NoText:
    def __repr__(self):
        return "NoText"

    def __str__(self):
        raise ValueError("no text")

    def __float__(self):
        raise ValueError("no number")


def deep(levels):
    value = 1.0
    for _ in range(levels):
        value = [value]
    return value


def cyclic():
    value = {}
    value["self"] = value
    return value


def frozen():
    values = F.copy()
    values.flags.writeable = False
    return values


VALUES = {
    "None": lambda: None, "True": lambda: True, "NaN": lambda: float("nan"), "infinity": lambda: -float("inf"),
    "-1": lambda: -1, "0": lambda: 0, "2^63": lambda: 2**63, "10^400": lambda: 10**400, "1e308": lambda: 1e308,
    "complex": lambda: 1j, "decimal": lambda: decimal.Decimal("1.5"), "fraction": lambda: fractions.Fraction(1, 3),
    "date": lambda: datetime.date(2020, 1, 1), "empty text": lambda: "", "word": lambda: "abc", "sum": lambda: "x +",
    "zero byte": lambda: "a\0b", "half a pair": lambda: "\ud800", "bytes": lambda: b"abc", "list": lambda: [],
    "list of None": lambda: [None, None], "ragged": lambda: [[1, 2], [3]], "deep": lambda: deep(100000),
    "dictionary": lambda: {}, "numbers as keys": lambda: {1: 2, 3.5: None}, "cyclic": cyclic,
    "half a pair as key": lambda: {"\ud800": 1}, "set": lambda: {1, 2}, "object": object, "no text": NoText,
    "function": lambda: len, "generator": lambda: (i for i in range(3)), "type": lambda: float,
    "buffer": lambda: memoryview(bytearray(8)), "array.array": lambda: array.array("d", [1.0, 2.0]),
    "scalar": lambda: np.float32(2), "0-d": lambda: np.array(2.0), "empty": lambda: np.zeros((0, N)),
    "one axis": lambda: np.ones(N), "five axes": lambda: np.ones((1, 1, 1, N, N)), "with NaN": lambda: F * np.nan,
    "other shape": lambda: np.ones((2, 3)), "complex array": lambda: F * 1j, "objects": lambda: F.astype(object),
    "objects of None": lambda: np.full((N, N), None), "texts": lambda: np.full((N, N), "a"),
    "dates": lambda: np.zeros((N, N), "datetime64[s]"), "records": lambda: np.zeros((N, N), [("a", float)]),
    "masked": lambda: np.ma.masked_equal(F, 1), "read only": frozen, "big-endian": lambda: F.astype(">f8"),
    "integers": lambda: F.astype(">i2"), "backwards": lambda: F[::-1, ::-1], "columns": lambda: np.asfortranarray(F),
    "broadcast": lambda: np.broadcast_to(1.0, (N, N)), "half": lambda: F.astype(np.float16),
    "long double": lambda: F.astype(np.longdouble), "tiny": lambda: F * 1e-320, "huge": lambda: F * 1e308,
    "unreadable": Raises, "lies": Lies, "shape of words": ShapeOfWords, "dead capsule": DeadCapsule,
    "foreign device": ForeignDevice, "a problem": lambda: poisson.Problem(shape=(3, 3)), "a shape": lambda:
    poisson.Sphere([0, 0], 1),
}


def problem(**changes):
    return poisson.Problem(**{"shape": (N, N), "source": F, **changes})


def solve(**changes):
    return problem(**changes).solver(device="cpu").solve(check=False)


def of_kept(call):
    """Returns a call with a solver whose data are valid."""
    return lambda value: call(poisson.Problem(shape=(N, N), centering="cell", coefficient=F, source=F,
                                              boundary={"default": 0.0}).solver(device="cpu"), value)


def updated(name):
    def call(solver, value):
        solver.update(**{name: value})
        solver.solve(check=False)

    return of_kept(call)


def face(solver, value):
    solver.boundary["x-"] = value
    solver.solve(check=False)


def body(shape):
    problem(materials={"m": {"coefficient": 2}}, bodies=[poisson.Body("m", shape)])


def in_media(name):
    media = {"materials": {"m": {"coefficient": 2}}, "bodies": [poisson.Body("m", poisson.Sphere([0.5, 0.5], 0.2))]}
    return lambda value: solve(**{**media, name: value})


def gradients(**data):
    from poisson import _adjoint

    names = _adjoint.names(data)
    core = _adjoint.of(poisson.Problem(shape=(N, N), centering="cell"))
    core.check(names)
    core.solve(names, np.empty((N, N)))


SQUARE = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0.5]], dtype=float)
CELLS = {"triangle": [[0, 1, 4], [1, 3, 4], [3, 2, 4], [2, 0, 4]]}
ROWS = (np.full(4, 2.0), np.arange(4), np.arange(5))


def mesh(points=SQUARE, cells=CELLS, groups=None):
    return poisson.UnstructuredMesh(points, cells, groups)


def on_mesh(**data):
    result = poisson.MeshProblem(mesh(groups={"some": {"triangle": [0]}}), **data).solve(check=False)
    result.flows, result.flux, result.probe(0.3, 0.2)


def updated_mesh(**data):
    problem = poisson.MeshProblem(mesh(), boundary={"default": {"robin": {"alpha": 1.0, "value": 0.0}}})
    problem.update(**data)
    problem.solve(check=False)


PROBLEM = ("shape", "lower", "upper", "spacing", "nodes", "coefficient", "reaction", "source", "boundary", "centering",
           "scheme", "exact", "title", "parameters", "domain", "grid", "equation", "discretization", "solver", "backend",
           "image", "voxel", "crop")
KEYS = ("tolerance", "method", "max_iterations", "precision", "smoother", "cycle", "krylov", "initial")
CALLS = {f"Problem({name})": lambda v, name=name: solve(**{name: v}) for name in PROBLEM}
CALLS |= {f"Problem({name})": in_media(name) for name in ("materials", "bodies", "background", "surfaces", "contacts",
                                                          "sheets", "output", "effective", "capacitance")}
CALLS |= {f"Problem(boundary x-, {kind})": lambda v, kind=kind: solve(boundary={"x-": {kind: v}})
          for kind in ("dirichlet", "neumann", "robin")}
CALLS |= {f"solver({name})": lambda v, name=name: problem().solver(**{"device": "cpu", name: v}).solve(check=False)
          for name in (*KEYS, "device", "dtype", "allocator")}
CALLS |= {f"update({name})": updated(name) for name in ("source", "coefficient", "reaction", "boundary")}
CALLS |= {
    "Problem(coefficient y)": lambda v: solve(coefficient={"x": 1.0, "y": v}),
    "Problem(boundary x-)": lambda v: solve(boundary={"x-": v}),
    "Problem(robin alpha)": lambda v: solve(boundary={"x-": {"robin": {"alpha": v, "value": 0}}}),
    "boundary[x-]": of_kept(face),
    "boundary[name]": of_kept(lambda s, v: s.update(boundary={v if isinstance(v, (str, int, tuple)) else str: 1.0})),
    "solve(source)": of_kept(lambda s, v: s.solve(v, check=False)),
    "solve(guess)": of_kept(lambda s, v: s.solve(guess=v, check=False)),
    "solve(stream)": of_kept(lambda s, v: s.solve(stream=v, check=False)),
    "field": of_kept(lambda s, v: s.solve().field(v)),
    "aspreconditioner": of_kept(lambda s, v: s.aspreconditioner(v)),
    "poisson.solve": lambda v: poisson.solve(v, boundary={"default": 0.0}, device="cpu", check=False),
    "load": lambda v: poisson.load(v),
    "load(parameters)": lambda v: poisson.load("/nowhere.yaml", parameters=v),
    "load(set)": lambda v: poisson.load("/nowhere.yaml", set={"solver.tolerance": v}),
    "effective(image)": lambda v: poisson.effective(v, {0: 1.0, 1: 2.0}, check=False),
    "effective(materials)": lambda v: poisson.effective(IMAGE, v, check=False),
    "effective(material)": lambda v: poisson.effective(IMAGE, {0: 1.0, 1: v}, check=False),
    "effective(axes)": lambda v: poisson.effective(IMAGE, {0: 1.0, 1: 2.0}, axes=v, check=False),
    "effective(faces)": lambda v: poisson.effective(IMAGE, {0: 1.0, 1: 2.0}, faces=v, check=False),
    "capacitance": lambda v: problem(materials={"m": {"fixed": 1}}, boundary={"default": 0.0}, source=0.0, bodies=[
        poisson.Body("m", poisson.Sphere([0.5, 0.5], 0.2), name="a")]).capacitance(v),
    "Box": lambda v: body(poisson.Box(v, [1, 1])), "Sphere": lambda v: body(poisson.Sphere([0.5, 0.5], v)),
    "Cylinder": lambda v: body(poisson.Cylinder([0, 0, 0], v, 1)),
    "Cone": lambda v: body(poisson.Cone([0, 0, 0], [0, 0, 1], v)),
    "Torus": lambda v: body(poisson.Torus([0, 0], v)), "Revolve": lambda v: body(poisson.Revolve(v)),
    "Mesh": lambda v: body(poisson.Mesh(v)), "Mesh(vertices)": lambda v: body(poisson.Mesh(v, [[0, 1, 2]])),
    "Mesh(triangles)": lambda v: body(poisson.Mesh(np.eye(3), v)),
    "Ellipsoid": lambda v: body(poisson.Ellipsoid([0, 0], v)), "Polygon": lambda v: body(poisson.Polygon(v)),
    "Layer": lambda v: body(poisson.Layer(v)), "Layer(lower)": lambda v: body(poisson.Layer("x", v)),
    "Where": lambda v: body(poisson.Where(v)), "Body": lambda v: body(v),
    "scale": lambda v: body(poisson.Sphere([0, 0], 1).scale(v)),
    "rotate": lambda v: body(poisson.Sphere([0, 0], 1).rotate(v)),
    "move": lambda v: body(poisson.Sphere([0, 0], 1).move(v)),
    "repeat": lambda v: body(poisson.Sphere([0, 0], 1).repeat(v, [1, 1])),
    "|": lambda v: poisson.Sphere([0, 0], 1) | v,
    "gradients(problem)": lambda v: __import__("poisson._adjoint")._adjoint.of(v),
    "gradients(source)": lambda v: gradients(source=v), "gradients(coefficient)": lambda v: gradients(coefficient=v),
    "gradients(boundary)": lambda v: gradients(boundary=v), "gradients(face)": lambda v: gradients(boundary={"x-": v}),
}
CALLS |= {
    "mesh(points)": lambda v: mesh(points=v), "mesh(cells)": lambda v: mesh(cells=v),
    "mesh(triangles)": lambda v: mesh(cells={"triangle": v}), "mesh(groups)": lambda v: mesh(groups=v),
    "mesh(group)": lambda v: mesh(groups={"a": v}), "mesh(members)": lambda v: mesh(groups={"a": {"triangle": v}}),
    "load_mesh": lambda v: poisson.load_mesh(v), "load_mesh(scale)": lambda v: poisson.load_mesh("/nowhere.msh", scale=v),
    "MeshProblem": lambda v: poisson.MeshProblem(v),
    "MeshProblem(face)": lambda v: on_mesh(boundary={"some": v}),
    "MeshProblem(value)": lambda v: on_mesh(boundary={"default": {"dirichlet": v}}),
    "MeshProblem(robin)": lambda v: on_mesh(boundary={"default": {"robin": v}}),
    "MeshProblem(alpha)": lambda v: on_mesh(boundary={"default": {"robin": {"alpha": v, "value": 1}}}),
    "mesh.probe": lambda v: poisson.MeshProblem(mesh()).solve().probe(0.5, v),
    "mesh.gradient(u)": lambda v: poisson.MeshProblem(mesh()).gradient(v, np.ones(5)),
    "mesh.gradient(derivative)": lambda v: poisson.MeshProblem(mesh()).gradient(np.ones(5), v),
    "Rows": lambda v: poisson.Rows(v), "Rows(data)": lambda v: poisson.Rows((v, *ROWS[1:])),
    "Rows(indices)": lambda v: poisson.Rows((ROWS[0], v, ROWS[2])),
    "Rows(indptr)": lambda v: poisson.Rows((*ROWS[:2], v)),
    "Rows.solve": lambda v: poisson.Rows(ROWS).solve(v, check=False),
    "Rows.solve(guess)": lambda v: poisson.Rows(ROWS).solve(np.ones(4), v, check=False),
}
CALLS |= {f"Rows({name})": lambda v, name=name: poisson.Rows(ROWS, **{name: v}).solve(np.ones(4), check=False)
          for name in ("tolerance", "max_iterations", "preconditioner", "precision")}
CALLS |= {f"MeshProblem({name})": lambda v, name=name: on_mesh(**{name: v})
          for name in ("coefficient", "reaction", "source", "boundary", "tolerance", "max_iterations", "precision")}
CALLS |= {f"mesh.update({name})": lambda v, name=name: updated_mesh(**{name: v})
          for name in ("coefficient", "reaction", "source", "boundary")}
CASES = [(call, value) for call in CALLS for value in VALUES]
EXPECTED = (poisson.ConfigurationError, poisson.SolverError, NotImplementedError)


def outcome(call, value):
    try:
        CALLS[call](VALUES[value]())
    except EXPECTED as error:
        return "refused" if len(str(error)) > 10 else f"no remedy: {error!r}"
    except Exception as error:
        return f"unexpected {type(error).__name__}: {str(error)[:150]!r}"
    return "accepted"


def main():
    faulthandler.enable()
    logging.disable(logging.CRITICAL)
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    for i in range(int(sys.argv[1]), len(CASES)):
        call, value = CASES[i]
        print(f"{i}\t{call}\t{value}\t", end="", flush=True)
        print(outcome(call, value), flush=True)


if __name__ == "__main__":
    main()
