"""Problems: dictionaries with the keys of configuration files, and arrays in place of expressions."""

import copy
import json
import operator
import pathlib

import numpy as np

from . import _arrays, _core
from ._core import ConfigurationError
from ._solver import Solver

_NAME = "Problem"
_SECTIONS = ("domain", "grid", "equation", "discretization", "solver", "backend", "output")
_MEDIA = ("materials", "bodies", "background", "surfaces", "contacts", "sheets")


class Problem:
    """Describes −∇·(κ ∇u) + σ u = f on a box with conditions on its faces. Nothing is allocated before solver().

    Args:
        shape: the shape of u, [nz, ny, nx] or [ny, nx]: the numbers of nodes, or of cells with centering="cell".
            It may be omitted if `source` or `coefficient` is an array, or if `grid` is given.
        lower, upper: corners of the box, in the order x, y, z; the unit box by default.
        spacing: width of the cells along x, y and z, or one number, in place of `upper`.
        nodes: coordinates of the nodes along x, y and z, in place of shape, lower and upper.
        coefficient, reaction, source: κ, σ and f: a number, an expression, or an array on nodes or cells. `coefficient`
            may be a dictionary with the keys x, y, z.
        boundary: conditions by the names of the faces (x-, x+, …, default): a Dirichlet value (a number, an expression
            or an array), "periodic", or a dictionary such as {"neumann": 0} or {"robin": {"alpha": 10, "ambient": 25}}.
        centering: "node" or "cell"; scheme: "fv", "q1" or "compact4".
        exact, title, parameters: as in configuration files.
        materials, bodies, background, surfaces, contacts, sheets: as in configuration files; a body is poisson.Body(…).
            They need centering="cell".
        sections: domain, grid, equation, discretization, solver, backend, output, with the keys of configuration files.

    Raises ConfigurationError, with all mistakes, the keys and the remedies.
    """

    def __init__(self, shape=None, *, lower=None, upper=None, spacing=None, nodes=None, coefficient=None, reaction=None,
                 source=None, boundary=None, centering="node", scheme="fv", exact=None, title="", parameters=None,
                 **sections):
        unknown = set(sections) - set(_SECTIONS) - set(_MEDIA)
        if unknown:
            raise ConfigurationError(f"{_NAME}: unknown argument '{sorted(unknown)[0]}'; give shape, lower, upper, spacing, "
                                     f"nodes, coefficient, reaction, source, boundary, centering, scheme, exact, title, "
                                     f"parameters, {', '.join(_MEDIA)}, or a section: {', '.join(_SECTIONS)}")
        self._model = next((a for a in (source, coefficient) if _arrays.is_array(a)), None)
        self._copies = 0
        self._there = []  # arrays of devices
        tree = {"title": title, "parameters": parameters or {}}
        data = {"coefficient": coefficient, "reaction": reaction, "source": source, "exact": exact}
        tree["equation"] = {key: value for key, value in data.items() if value is not None}
        if boundary:
            tree["boundary"] = {name: _condition(value) for name, value in boundary.items()}
        if (centering, scheme) != ("node", "fv"):
            tree["discretization"] = {"centering": centering, "scheme": scheme}
        if "grid" not in sections:
            if shape is None and nodes is None:
                shape = self._shape(tree["equation"], centering)
            tree.update(_grid(shape, lower, upper, spacing, nodes, centering))
        elif any(value is not None for value in (shape, spacing, nodes)):
            raise ConfigurationError(f"{_NAME}: grid and shape, spacing or nodes are both given; keep one of the two")
        if "domain" in sections and (lower is not None or upper is not None or spacing is not None):
            raise ConfigurationError(f"{_NAME}: domain and lower, upper or spacing are both given; keep one of the two")
        for name in _MEDIA:
            if sections.get(name) is not None:
                tree[name] = sections.pop(name)
        for name, section in sections.items():
            if section is None and name in _MEDIA:
                continue
            if not isinstance(section, dict):
                raise ConfigurationError(f"{_NAME}: {name}: expected a dictionary, found {section!r}; give the keys of "
                                         "the section, such as solver={'tolerance': 1e-8}")
            tree[name] = {**tree.get(name, {}), **section}
        self._tree = self._plain(tree, "")
        self._file = None
        self._config = _core.configure(self._tree, _NAME)

    @classmethod
    def _of_file(cls, file, overrides):
        self = cls.__new__(cls)
        self._model, self._copies, self._there = None, 0, []
        self._tree, self._file, self._overrides = None, _arrays.path(file, "file"), overrides
        self._config = _core.load(self._file, overrides)
        return self

    @staticmethod
    def _shape(equation, centering):
        for name in ("source", "coefficient"):
            value = equation.get(name)
            if _arrays.is_array(value):
                cells = name == "coefficient" and centering == "node"
                return tuple(n + 1 if cells else n for n in value.shape)
        raise ConfigurationError(f"{_NAME}: the grid is missing; give shape=(nz, ny, nx), or an array as source")

    def _plain(self, value, path):
        """Replaces arrays by numpy arrays on the host, and numbers and lists of numpy by those of Python."""
        if isinstance(value, dict):
            return {key: self._plain(item, f"{path}.{key}" if path else str(key)) for key, item in value.items()}
        if isinstance(value, np.generic):
            return value.item()
        of_space = path.startswith(("equation.", "boundary.", "solver.initial"))
        if path in ("equation.source", "equation.reaction") or path.startswith("equation.coefficient"):
            found = _arrays.on_device(value, f"{_NAME}: {path}")
            if found and len(value.shape) > 0:
                self._there.append(found[0])
                self._copies += found[2]
                return found[0]
        if path.endswith((".mesh.vertices", ".mesh.triangles")):
            return value
        if _arrays.package(value):
            host, copies = _arrays.to_host(value, f"{_NAME}: {path}")
            if host.ndim == 0 or not of_space:
                return host.tolist()
            self._copies += copies + 1
            return host
        if isinstance(value, (list, tuple)):
            return [self._plain(item, f"{path}[]") for item in value]
        if isinstance(value, pathlib.Path):
            return str(value)
        if isinstance(value, str):
            return _arrays.text(value, f"{_NAME}: {path}")
        return value

    def _given_source(self):
        """Returns the source if it is an array on the host, or None."""
        source = (self._tree or {}).get("equation", {}).get("source")
        return source if isinstance(source, np.ndarray) else None

    @property
    def config(self):
        """The complete configuration with every default, as a dictionary. Arrays are described by their shape."""
        return json.loads(self._config.effective)

    @property
    def geometry(self):
        """Nodes, kinds of faces, centering and scheme, as a dictionary."""
        return self._config.geometry

    def solver(self, *, device=None, dtype=None, allocator=None, **keys):
        """Makes the levels and returns a Solver, which solves repeatedly.

        Args:
            device: "auto", "cpu", "cuda" or "cuda:1".
            dtype: precision of u in results: float64, or float32 if the source is an array of float32.
            allocator: who lends memory of the device: "torch", "cupy", or a pair of functions allocate(bytes), which
                returns an address, and release(address).
            keys: keys of the section `solver`, such as tolerance, method, max_iterations, precision.

        Raises ConfigurationError for invalid keys and data, and SolverError if memory or a device is missing.
        """
        narrow = _arrays.is_narrow(self._model) if dtype is None else _is_float32(dtype)
        return Solver(self, self._configured(device, keys), narrow, self._model, _arrays.allocator(allocator))

    def _configured(self, device, keys):
        if device is None and not keys:
            return self._config
        if self._file:
            extra = [f"solver.{key}={json.dumps(_json(value))}" for key, value in keys.items()]
            return _core.load(self._file, self._overrides + extra + ([f"backend.device={device}"] if device else []))
        tree = copy.copy(self._tree)
        tree["solver"] = {**tree.get("solver", {}), **self._plain(keys, "solver")}
        if device is not None:
            tree["backend"] = {**tree.get("backend", {}), "device": str(device)}
        return _core.configure(tree, _NAME)

    def solve(self, *, device=None, dtype=None, check=True, **keys):
        """Returns the Result of one solve; arguments as solver(). Raises NotConverged unless check=False."""
        return self.solver(device=device, dtype=dtype, **keys).solve(check=check)

    def system(self):
        """Returns (A, b): the matrix as SciPy CSR and the right-hand side, for the values where `unknowns` is true.

        Equations are integrated over control volumes, and A is symmetric. b contains the data of the faces.
        """
        from . import _operators

        return _operators.system(self)

    def matrix(self):
        """Returns A of system()."""
        return self.system()[0]

    @property
    def unknowns(self):
        """True at the values of u that A and b contain: all but Dirichlet nodes and repeated periodic nodes."""
        from . import _operators

        return _operators.unknowns(self.geometry)

    def __repr__(self):
        geometry = self.geometry
        cells = " × ".join(str(len(nodes) - 1) for nodes in geometry["nodes"])
        return f"<poisson.Problem {geometry['scheme']}, {geometry['centering']}s, {cells} cells>"


def _condition(value):
    """Returns the condition of a face. Numbers, arrays and expressions that are not a single word are Dirichlet values."""
    number = isinstance(value, (int, float, np.generic)) and not isinstance(value, bool)
    expression = isinstance(value, str) and not (len(value) > 1 and value.isalpha())
    return {"dirichlet": value} if number or expression or _arrays.is_array(value) else value


def _grid(shape, lower, upper, spacing, nodes, centering):
    if nodes is not None:
        try:
            nodes = [np.asarray(n, dtype=float).tolist() for n in nodes]
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"{_NAME}: nodes: expected the nodes along x, y and z, found {nodes!r}") from error
        if lower is not None or upper is not None or spacing is not None:
            raise ConfigurationError(f"{_NAME}: nodes and lower, upper or spacing are both given; keep one of the two")
        axes = dict(zip("xyz", ({"nodes": n} for n in nodes)))
        return {"grid": {"type": "tensor-product", "axes": axes}}
    try:
        shape = tuple(operator.index(n) for n in shape)
    except TypeError as error:
        raise ConfigurationError(f"{_NAME}: shape is {shape!r}; give whole numbers, such as (64, 64, 64)") from error
    if len(shape) not in (2, 3):
        raise ConfigurationError(f"{_NAME}: shape has {len(shape)} numbers; give (ny, nx) or (nz, ny, nx)")
    cells = [n - (centering == "node") for n in reversed(shape)]
    lower = [0.0] * len(cells) if lower is None else _corner(lower, cells, "lower")
    if spacing is not None and upper is not None:
        raise ConfigurationError(f"{_NAME}: spacing and upper are both given; keep one of the two")
    if spacing is not None:
        widths = [float(spacing)] * len(cells) if np.ndim(spacing) == 0 else _corner(spacing, cells, "spacing")
        upper = [low + n * h for low, n, h in zip(lower, cells, widths)]
    upper = [1.0] * len(cells) if upper is None else _corner(upper, cells, "upper")
    return {"domain": {"lower": lower, "upper": upper}, "grid": {"cells": cells}}


def _corner(values, cells, name):
    values = [float(v) if isinstance(v, (int, float, np.generic)) else v for v in values]
    if len(values) != len(cells):
        raise ConfigurationError(f"{_NAME}: {name} has {len(values)} numbers in {len(cells)} dimensions; give "
                                 f"{len(cells)}, in the order x, y, z")
    return values


def _is_float32(dtype):
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = None
    if found not in (np.float32, np.float64):
        raise ConfigurationError(f"{_NAME}: dtype is {dtype}; give float64 or float32")
    return found == np.float32


def _json(value):
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def load(file, parameters=None, set=None):  # noqa: A002 (the option of the program)
    """Returns the Problem of a configuration file.

    Args:
        file: path of the YAML file.
        parameters: values for its `parameters`, such as {"h": 30}.
        set: other keys, such as {"solver.tolerance": 1e-10}.

    Raises ConfigurationError with file, line and column of each mistake.
    """
    overrides = [f"parameters.{name}={_json(value)}" for name, value in (parameters or {}).items()]
    overrides += [f"{key}={json.dumps(_json(value))}" for key, value in (set or {}).items()]
    return Problem._of_file(file, overrides)


def solve(source, *, spacing=None, boundary=None, device=None, check=True, **arguments):
    """Solves a problem once and returns u in the package, the place and the precision of `source`.

    Args:
        source: f, an array on the nodes of the box, or on its cells with centering="cell".
        spacing: width of the cells along x, y and z, or one number. Without it the box is the unit box.
        arguments: as Problem, or keys of the section `solver` such as tolerance.
    """
    problem_keys = {"shape", "lower", "upper", "nodes", "coefficient", "reaction", "centering", "scheme", "exact",
                    "title", "parameters", *_SECTIONS, *_MEDIA}
    problem = Problem(source=source, spacing=spacing, boundary=boundary,
                      **{key: value for key, value in arguments.items() if key in problem_keys})
    keys = {key: value for key, value in arguments.items() if key not in problem_keys}
    return problem.solve(device=device, check=check, **keys).u
