"""Problems: dictionaries with the keys of configuration files, and arrays in place of expressions."""

import copy
import json
import pathlib

import numpy as np

from . import _arrays, _box, _core, _image
from ._answers import Effective
from ._core import ConfigurationError, DeviceArray
from ._result import NotConverged
from ._solver import Solver

_NAME = "Problem"
_LARGEST = 10**308  # of whole numbers
_SECTIONS = ("domain", "grid", "equation", "discretization", "solver", "backend", "output")
_MEDIA = ("materials", "bodies", "background", "surfaces", "contacts", "sheets")
_IMAGE = ("image", "voxel", "crop")
_QUESTIONS = ("effective", "capacitance")


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
        centering: "node" or "cell"; by default "cell" with materials or an image, otherwise "node". scheme: "fv", "q1" or "compact4".
        exact, title, parameters: as in configuration files.
        materials, bodies, background, surfaces, contacts, sheets: as in configuration files; a body is poisson.Body(…).
        image, voxel, crop: an image as background: an array of whole numbers [nz, ny, nx] or [ny, nx], or a path.
            `materials` then also maps values of voxels to a coefficient (0: an insulator), a name or a dictionary.
            Without a grid, each voxel is a cell. An array of bytes is read where it is: keep its values.
        effective: axes of the effective coefficient, such as "all", or a dictionary {"axes": …, "faces": …}.
        capacitance: names of bodies with fixed values. The questions are answered by `effective` and `capacitance` of
            the result.
        sections: domain, grid, equation, discretization, solver, backend, output, with the keys of configuration files.

    Raises ConfigurationError, with all mistakes, the keys and the remedies.
    """

    def __init__(self, shape=None, *, lower=None, upper=None, spacing=None, nodes=None, coefficient=None, reaction=None,
                 source=None, boundary=None, centering=None, scheme="fv", exact=None, title="", parameters=None,
                 **sections):
        unknown = set(sections) - set(_SECTIONS) - set(_MEDIA) - set(_IMAGE) - set(_QUESTIONS)
        if unknown:
            raise ConfigurationError(f"{_NAME}: unknown argument '{sorted(unknown)[0]}'; give shape, lower, upper, spacing, "
                                     f"nodes, coefficient, reaction, source, boundary, centering, scheme, exact, title, "
                                     f"parameters, {', '.join(_MEDIA + _IMAGE + _QUESTIONS)}, or a section: {', '.join(_SECTIONS)}")
        self._model = next((a for a in (source, coefficient) if _arrays.is_array(a)), None)
        self._copies = 0
        self._there = []  # arrays of devices
        tree = {"title": title, "parameters": {} if parameters is None else parameters}
        data = {"coefficient": coefficient, "reaction": reaction, "source": source, "exact": exact}
        tree["equation"] = {key: value for key, value in data.items() if value is not None}
        boundary = _arrays.mapping(boundary, f"{_NAME}: boundary", "{'x-': 1.0, 'default': 0.0}")
        if boundary:
            tree["boundary"] = {name: _condition(value) for name, value in boundary.items()}
        if centering is None:
            centering = "cell" if any(sections.get(name) is not None for name in (*_MEDIA, "image")) else "node"
        for name, value in (("centering", centering), ("scheme", scheme)):
            if not isinstance(value, str):
                raise ConfigurationError(f"{_NAME}: {name}: expected a word, found {_arrays.shown(value)}")
        if (centering, scheme) != ("node", "fv"):
            tree["discretization"] = {"centering": centering, "scheme": scheme}
        self._add_media(tree, sections)
        if "grid" not in sections:
            if shape is None and nodes is None and "image" not in tree:
                shape = self._shape(tree["equation"], centering)
            if shape is not None or nodes is not None:
                tree.update(_box.grid(shape, lower, upper, spacing, nodes, centering))
            elif any(value is not None for value in (lower, upper, spacing)):
                tree["domain"] = _box.domain(lower, upper, spacing)
        elif any(value is not None for value in (shape, spacing, nodes)):
            raise ConfigurationError(f"{_NAME}: grid and shape, spacing or nodes are both given; keep one of the two")
        if "domain" in sections and (lower is not None or upper is not None or spacing is not None):
            raise ConfigurationError(f"{_NAME}: domain and lower, upper or spacing are both given; keep one of the two")
        for name, section in sections.items():
            if not isinstance(section, dict):
                raise ConfigurationError(f"{_NAME}: {name}: expected a dictionary, found {_arrays.shown(section)}; give "
                                         "the keys of the section, such as solver={'tolerance': 1e-8}")
            tree[name] = {**tree.get(name, {}), **section}
        self._tree = self._plain(tree, "")
        self._file = None
        self._config = _core.configure(self._tree, _NAME)

    @staticmethod
    def _add_media(tree, sections):
        """Moves materials, the image and the questions from arguments to the keys of files."""
        materials = sections.get("materials")
        if materials is not None and not isinstance(materials, dict):
            raise ConfigurationError(f"{_NAME}: materials: expected a dictionary, found {_arrays.shown(materials)}; give "
                                     "properties by names, such as {'steel': {'coefficient': 15}}")
        image, sections["materials"] = _image.background(*(sections.pop(name, None) for name in _IMAGE), materials)
        if image is not None:
            tree["image"] = image
        for name in _MEDIA:
            value = sections.pop(name, None)
            if value is not None and not (name == "materials" and materials is None and not value):
                tree[name] = value
        questions = {name: sections.pop(name, None) for name in _QUESTIONS}
        if questions["effective"] is not None and not isinstance(questions["effective"], dict):
            questions["effective"] = {"axes": questions["effective"]}
        asked = {name: value for name, value in questions.items() if value is not None}
        if asked and isinstance(sections.get("output", {}), dict):
            sections["output"] = {**sections.get("output", {}), **asked}

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
            if _arrays.is_array(value) and isinstance(getattr(value, "shape", None), tuple):
                cells = name == "coefficient" and centering == "node"
                return tuple(n + 1 if cells else n for n in value.shape)
        raise ConfigurationError(f"{_NAME}: the grid is missing; give shape=(nz, ny, nx), or an array as source")

    def _plain(self, value, path):
        """Replaces arrays by numpy arrays on the host, and numbers and lists of numpy by those of Python."""
        try:
            return self._plain_of(value, path)
        except RecursionError:
            raise ConfigurationError(f"{_NAME}: {path[:40]}: lists or dictionaries are nested too deeply, or contain "
                                     "themselves; give plain values") from None

    def _plain_of(self, value, path):
        if isinstance(value, dict):
            keys = [_arrays.text(key, f"{_NAME}: {path}") if isinstance(key, str) else key for key in value]
            return {key: self._plain(item, f"{path}.{key}" if path else str(key)) for key, item in zip(keys, value.values())}
        if isinstance(value, np.generic):
            return value.item()
        if path == "image.file" and _arrays.package(value):
            return _arrays.to_labels(value, f"{_NAME}: image")
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
        if value is not None and not isinstance(value, (bool, int, float, DeviceArray)):
            raise ConfigurationError(f"{_NAME}: {path} is {_arrays.shown(value)}; give a number, a string, a list, a "
                                     "dictionary or an array")
        if isinstance(value, int) and not -_LARGEST < value < _LARGEST:
            raise ConfigurationError(f"{_NAME}: {path}: the integer is too large; give a number below 1e308")
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

    def _configured(self, device, keys, questions=None):
        """Returns the configuration with other keys of the section `solver`, another device and further questions."""
        given = self.config["output"] if questions else {}
        if questions:  # the keys that are not given stay
            questions = {name: {"axes": "all", "faces": "fixed", **(given.get(name) or {}), **value}
                         if name == "effective" else value for name, value in questions.items()}
        if device is not None and not isinstance(device, str):
            raise ConfigurationError(f"device: expected a text, found {_arrays.shown(device)}; give cpu, cuda or cuda:1")
        if device is None and not keys and not questions:
            return self._config
        if self._file:
            extra = [f"solver.{key}={_json(value, key)}" for key, value in keys.items()]
            extra += [f"output.{key}={_json(value, key)}" for key, value in (questions or {}).items()]
            return _core.load(self._file, self._overrides + extra + ([f"backend.device={device}"] if device else []))
        tree = copy.copy(self._tree)
        tree["solver"] = {**tree.get("solver", {}), **self._plain(keys, "solver")}
        if questions:
            tree["output"] = {**tree.get("output", {}), **self._plain(questions, "output")}
        if device is not None:
            tree["backend"] = {**tree.get("backend", {}), "device": _arrays.text(device, "device")}
        return _core.configure(tree, _NAME)

    def solve(self, *, device=None, dtype=None, check=True, **keys):
        """Returns the Result of one solve; arguments as solver(). Raises NotConverged unless check=False."""
        return self.solver(device=device, dtype=dtype, **keys).solve(check=check)

    def effective(self, *, axes=None, faces=None, device=None, check=True, **keys):
        """Returns the Effective coefficient: one solve for each axis.

        Args:
            axes: "all", "x", or a list such as ["x", "z"]; by default those of the problem, or all.
            faces: "fixed" (u is 1 and 0 on the faces across the axis, nothing flows through others) or "periodic".
            device, keys: as solver().

        The problem has neither conditions on faces nor sources. Raises NotConverged unless check=False.
        """
        asked = {name: value for name, value in (("axes", axes), ("faces", faces)) if value is not None}
        config = self._configured(device, keys, {"effective": asked})
        solver = Solver(self, config, False, None)
        found = solver._solve_once(None).effective
        if check and not found.converged:
            raise NotConverged(found)
        return found

    def capacitance(self, names=None, *, device=None, **keys):
        """Returns the Capacitance matrix of conductors: bodies whose material has a fixed value.

        Args:
            names: the bodies; by default those of the problem.
            device, keys: as solver().
        """
        if names is not None and not isinstance(names, (list, tuple)):
            raise ConfigurationError(f"capacitance: expected a list of names of bodies, found {_arrays.shown(names)}")
        config = self._configured(device, keys, {} if names is None else {"capacitance": list(names)})
        return Solver(self, config, False, None)._capacitance()

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


def _is_float32(dtype):
    try:
        found = np.dtype(dtype)
    except Exception:
        found = None
    if found not in (np.float32, np.float64):
        raise ConfigurationError(f"{_NAME}: dtype is {_arrays.shown(dtype)}; give float64 or float32")
    return found == np.float32


def _json(value, name):
    """Returns a value of a key as JSON. Raises ConfigurationError for other objects."""
    try:
        return json.dumps(value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{name}: the value cannot be written ({error}); give numbers, texts, lists or "
                                 "dictionaries") from error


def load(file, parameters=None, set=None):  # noqa: A002 (the option of the program)
    """Returns the Problem of a configuration file.

    Args:
        file: path of the YAML file.
        parameters: values for its `parameters`, such as {"h": 30}.
        set: other keys, such as {"solver.tolerance": 1e-10}.

    Raises ConfigurationError with file, line and column of each mistake.
    """
    parameters = _arrays.mapping(parameters, "parameters", "{'h': 30}")
    overrides = [f"parameters.{name}={_json(value, name)}" for name, value in parameters.items()]
    overrides += [f"{key}={_json(value, key)}" for key, value in
                  _arrays.mapping(set, "set", "{'solver.tolerance': 1e-10}").items()]
    return Problem._of_file(file, [_arrays.text(override, "a key") for override in overrides])


def effective(image, materials, *, voxel=None, crop=None, axes="all", faces="fixed", device=None, check=True,
              **arguments):
    """Returns the Effective coefficient of an image of materials: tensor, tortuosity and porosity.

    Args:
        image: an array of whole numbers [nz, ny, nx], or [ny, nx] in the plane, or the path of a .npy, TIFF or HDF5 file.
        materials: the material of each value: a coefficient (0: an insulator), a list with one for each axis, or a
            dictionary with the keys of configuration files: {0: 1.0, 255: 0.0}.
        voxel: the width of a voxel, or one along x, y and z; 1 by default.
        crop: the first voxel and the one past the last along x, y and z.
        axes: "all", "x", or a list such as ["x", "z"].
        faces: "fixed" (u is 1 and 0 on the faces across the axis, nothing flows through others) or "periodic".
        arguments: as Problem, or keys of the section `solver`, such as flow_tolerance=1e-4.

    Raises NotConverged unless check=False.
    """
    problem, keys = _split({**arguments, "image": image, "materials": materials, "voxel": voxel, "crop": crop})
    problem = Problem(**{"effective": {"axes": axes, "faces": faces}, **problem})
    return problem.effective(device=device, check=check, **keys)


def _split(arguments):
    """Returns the arguments of Problem, and the others."""
    names = {"shape", "lower", "upper", "spacing", "nodes", "coefficient", "reaction", "source", "boundary", "centering",
             "scheme", "exact", "title", "parameters", *_SECTIONS, *_MEDIA, *_IMAGE, *_QUESTIONS}
    return ({key: value for key, value in arguments.items() if key in names},
            {key: value for key, value in arguments.items() if key not in names})


def solve(source, *, spacing=None, boundary=None, device=None, check=True, **arguments):
    """Solves a problem once and returns u in the package, the place and the precision of `source`.

    Args:
        source: f, an array on the nodes of the box, or on its cells with centering="cell".
        spacing: width of the cells along x, y and z, or one number. Without it the box is the unit box.
        arguments: as Problem, or keys of the section `solver` such as tolerance.
    """
    problem, keys = _split({**arguments, "source": source, "spacing": spacing, "boundary": boundary})
    return Problem(**problem).solve(device=device, check=check, **keys).u
