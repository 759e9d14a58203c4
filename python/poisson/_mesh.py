"""Problems on unstructured meshes: linear elements on arrays of points and cells, with adjoint gradients."""

import threading

import numpy as np

from . import _answers, _arrays, _core, _lifetime
from ._sparse import RowsResult

_SHAPES = {"vertex": 1, "vertices": 1, "line": 2, "lines": 2, "triangle": 3, "triangles": 3, "quad": 4,
           "quadrilateral": 4, "quadrilaterals": 4, "tetra": 4, "tetrahedron": 4, "tetrahedra": 4, "pyramid": 5,
           "pyramids": 5, "wedge": 6, "prism": 6, "prisms": 6, "hexahedron": 8, "hexahedra": 8}
_NAMES = {"vertex": "vertices", "line": "lines", "triangle": "triangles", "quad": "quadrilaterals",
          "quadrilateral": "quadrilaterals", "tetra": "tetrahedra", "tetrahedron": "tetrahedra",
          "pyramid": "pyramids", "wedge": "prisms", "prism": "prisms", "hexahedron": "hexahedra"}


class UnstructuredMesh:
    """Points, elements and named groups of elements. Make one with load_mesh, or of arrays.

    Args:
        points: array [n, 2] or [n, 3].
        cells: dictionary of arrays [n, corners] by the name of a shape: triangle, quadrilateral, tetrahedron, pyramid,
            prism, hexahedron, and line or vertex for sides. Corners count points from 0, in the order of VTK.
        groups: dictionary of groups by name: {"inlet": {"line": [0, 1, 2]}} lists elements of a shape.

    Attributes: points [n, 3]; cells, by plural names; groups, like the argument, with indices as arrays; dimension; and
    warnings about faults of the mesh. Raises ConfigurationError for arrays that describe no mesh.
    """

    def __init__(self, points, cells, groups=None):
        points = _arrays.numbers(points, "points")
        arrays = {}
        for shape, corners in _arrays.mapping(cells, "cells", "{'triangle': [[0, 1, 2]]}").items():
            if shape not in _SHAPES:
                raise _core.ConfigurationError(f"cells: there is no shape {_arrays.shown(shape)}; choose from "
                                               f"{', '.join(_NAMES)}")
            corners = _arrays.numbers(corners, f"cells.{shape}", "iub")
            if corners.size % _SHAPES[shape]:
                raise _core.ConfigurationError(f"cells.{shape}: the array has the shape {list(corners.shape)}; give "
                                               f"[n, {_SHAPES[shape]}]")
            arrays[_NAMES.get(shape, shape)] = corners.reshape(-1, _SHAPES[shape])
        listed, labels, of_cell = self._label(arrays, _arrays.mapping(groups, "groups", "{'inlet': {'line': [0, 1]}}"))
        self._set(*_core.make_mesh(points, [(name, corners, of_cell[name]) for name, corners in arrays.items()], listed,
                                   labels))

    @classmethod
    def _read(cls, file, scale, groups):
        mesh = cls.__new__(cls)
        mesh._set(*_core.read_mesh(_arrays.path(file, "file"), _arrays.number(scale, "scale"),
                                   "" if groups is None else _arrays.path(groups, "groups")))
        return mesh

    @staticmethod
    def _label(arrays, groups):
        """Returns the groups, the lists of groups, and which of these each cell has."""
        dimension = {"vertices": 0, "lines": 1, "triangles": 2, "quadrilaterals": 2}
        listed, sets = [], {name: [()] * len(corners) for name, corners in arrays.items()}
        for group, members in groups.items():
            if not isinstance(group, str):
                raise _core.ConfigurationError(f"groups: the names are texts, found {_arrays.shown(group)}")
            group = _arrays.text(group, "groups")
            for shape, indices in _arrays.mapping(members, f"groups.{group}", "{'line': [0, 1]}").items():
                name = _NAMES.get(shape, shape)
                if name not in arrays:
                    raise _core.ConfigurationError(f"groups.{group}: the mesh has no cells of the shape "
                                                   f"{_arrays.shown(shape)}")
                key = (dimension.get(name, 3), group)
                if key not in listed:
                    listed.append(key)
                number = listed.index(key)
                for index in _arrays.numbers(indices, f"groups.{group}.{shape}", "iub").reshape(-1):
                    if not 0 <= index < len(arrays[name]):
                        raise _core.ConfigurationError(f"groups.{group}: there is no element {index} of {name}")
                    if number not in sets[name][index]:
                        sets[name][index] += (number,)
        labels = sorted({own for of in sets.values() for own in of} | {()}, key=lambda own: (len(own), own))
        place = {own: number for number, own in enumerate(labels)}
        of_cell = {name: np.array([place[own] for own in of], dtype=np.int64) for name, of in sets.items()}
        return ([(d, number + 1, name) for number, (d, name) in enumerate(listed)], [list(own) for own in labels],
                of_cell)

    def _set(self, core, warnings):
        self._core, self.warnings = core, warnings
        parts = core.parts
        self.points, self.dimension = parts["points"], parts["dimension"]
        self.cells = {name: corners for name, _, corners, _ in parts["cells"]}
        self._blocks = [(name, corners, label) for name, d, corners, label in parts["cells"] if d == self.dimension]
        self._groups, labels = parts["groups"], parts["labels"]
        self.groups = {}
        for number, (_, tag, name) in enumerate(self._groups):
            holders = [k for k, own in enumerate(labels) if number in own]
            for shape, _, _, label in parts["cells"]:
                found = np.flatnonzero(np.isin(label, holders))
                if len(found):
                    self.groups.setdefault(name or str(tag), {})[shape] = found
        self._labels = labels

    @property
    def elements(self):
        """The number of elements of the mesh's own dimension, in whose order arrays of elements are."""
        return sum(len(corners) for _, corners, _ in self._blocks)

    @property
    def centres(self):
        """The means of the corners of all elements, [elements, 3]."""
        return np.concatenate([self.points[corners].mean(axis=1) for _, corners, _ in self._blocks])

    def in_group(self, name):
        """Returns whether each element of the mesh's own dimension belongs to a group, [elements]."""
        numbers = self._numbers(name, self.dimension, self.dimension)
        holders = [k for k, own in enumerate(self._labels) if set(own) & set(numbers)]
        return np.concatenate([np.isin(label, holders) for _, _, label in self._blocks])

    def _numbers(self, name, least, most):
        found = [n for n, (d, tag, own) in enumerate(self._groups) if (own or str(tag)) == name and least <= d <= most]
        if not found:
            known = sorted({own or str(tag) for d, tag, own in self._groups if least <= d <= most})
            raise _core.ConfigurationError(f"the mesh has no group {name!r} of this dimension; choose from "
                                           f"{', '.join(known) or 'none'}")
        return found

    def __str__(self):
        return "\n".join(_core.describe_mesh(self._core))


def load_mesh(file, *, scale=1.0, groups=None):
    """Reads a mesh: MSH 2.2 or 4.1 of Gmsh, or VTU. Returns an UnstructuredMesh.

    Args:
        file: path of the mesh.
        scale: factor of all coordinates.
        groups: cell array of a VTU file that numbers groups.

    Raises ConfigurationError, which names the file and its fault.
    """
    return UnstructuredMesh._read(file, scale, groups)


class MeshProblem:
    """−∇·(κ∇u) + σu = f on a mesh, with linear elements on the CPU.

    Args:
        mesh: an UnstructuredMesh.
        coefficient: κ: a number, an array with one value for each element, [elements, 6] for tensors with the entries
            xx, yy, zz, xy, xz, yz, or a function of the coordinates (x, y, z) of the centres.
        reaction, source: σ and f, likewise without tensors.
        boundary: conditions by group: {"dirichlet": u}, {"neumann": flux} or {"robin": {"alpha": a, "value": b}}.
            Values are numbers, arrays with one value for each point of the mesh, or functions of (x, y, z). "default" is
            the rest of the boundary, {"dirichlet": 0} if it is absent. Where conditions meet, the first one applies.
        tolerance, max_iterations, precision: of the solver.

    Raises ConfigurationError for unknown groups and wrong data.
    """

    def __init__(self, mesh, *, coefficient=1.0, reaction=0.0, source=0.0, boundary=None, tolerance=1e-8,
                 max_iterations=100, precision="mixed"):
        if not isinstance(mesh, UnstructuredMesh):
            raise _core.ConfigurationError(f"mesh: expected an UnstructuredMesh, found {_arrays.shown(mesh)}; use load_mesh")
        if not isinstance(precision, str) or precision not in ("mixed", "double"):
            raise _core.ConfigurationError(f"precision: {_arrays.shown(precision)}; choose mixed or double")
        _lifetime.require()
        self.mesh = mesh
        self._lock, self._device = threading.RLock(), -1
        boundary = dict(_arrays.mapping(boundary, "boundary", "{'inlet': {'dirichlet': 1}}"))
        rest = boundary.pop("default", {"dirichlet": 0.0})
        self._kinds, conditions = {}, []
        for name, condition in [*boundary.items(), ("default", rest)]:
            if not isinstance(condition, dict) or len(condition) != 1 or next(iter(condition)) not in ("dirichlet", "neumann", "robin"):
                raise _core.ConfigurationError(f"boundary.{name}: give {{'dirichlet': u}}, {{'neumann': flux}} or "
                                               f"{{'robin': {{'alpha': a, 'value': b}}}}")
            kind = next(iter(condition))
            most = mesh.dimension if kind == "dirichlet" else mesh.dimension - 1
            conditions.append((name, [] if name == "default" else mesh._numbers(name, 0, most), kind))
            self._kinds[name] = (len(self._kinds), kind)
        self.data = {"coefficient": self._of_elements(coefficient, "coefficient"),
                     "reaction": self._of_elements(reaction, "reaction"),
                     "source": self._of_elements(source, "source")}
        for name, condition in [*boundary.items(), ("default", rest)]:
            kind, value = next(iter(condition.items()))
            if kind == "robin":
                value = _arrays.mapping(value, f"boundary.{name}.robin", "{'alpha': 2, 'value': 0}")
                if "alpha" not in value or len({"value", "ambient"} & set(value)) != 1:
                    raise _core.ConfigurationError(f"boundary.{name}.robin: give alpha, and value or ambient")
                self.data[f"boundary.{name}.alpha"] = self._of_points(value["alpha"], name)
                value = value["value"] if "value" in value else self._of_points(value["ambient"], name) * self.data[f"boundary.{name}.alpha"]
            self.data[f"boundary.{name}"] = self._of_points(value, name)
        self._session = _core.mesh_session(mesh._core, self.data["coefficient"].ndim == 2, conditions,
                                           _arrays.number(tolerance, "tolerance"),
                                           _arrays.whole_number(max_iterations, "max_iterations", 1),
                                           precision == "double")
        self._set(self.data)
        _lifetime.register(self)

    def _of_elements(self, value, name):
        if callable(value):
            value = _called(value, self.mesh.centres, name)
        value = _arrays.numbers(value, name)
        shapes = [(), (self.mesh.elements,)] + ([(self.mesh.elements, 6)] if name == "coefficient" else [])
        if value.shape not in shapes:
            raise _core.ConfigurationError(f"{name}: the array has the shape {list(value.shape)}; give one value for "
                                           f"each of {self.mesh.elements} elements")
        return np.ascontiguousarray(np.broadcast_to(value, (self.mesh.elements,)) if value.ndim == 0 else value)

    def _of_points(self, value, name):
        if callable(value):
            value = _called(value, self.mesh.points, f"boundary.{name}")
        value = _arrays.numbers(value, f"boundary.{name}")
        count = len(self.mesh.points)
        if value.shape not in [(), (count,)]:
            raise _core.ConfigurationError(f"boundary.{name}: the array has the shape {list(value.shape)}; give one "
                                           f"value for each of {count} points")
        return np.ascontiguousarray(np.broadcast_to(value, (count,)))

    def _set(self, data):
        setters = {"coefficient": self._session.set_kappa, "reaction": self._session.set_reaction,
                   "source": self._session.set_density}
        for name, value in data.items():
            if name in setters:
                setters[name](np.ascontiguousarray(value, dtype=np.float64).reshape(-1))
                continue
            face = name.removeprefix("boundary.").removesuffix(".alpha")
            set_ = self._session.set_alpha if name.endswith(".alpha") else self._session.set_condition
            set_(self._kinds[face][0], np.ascontiguousarray(value, dtype=np.float64))

    def update(self, **data):
        """Replaces data: coefficient, reaction, source, and boundary={name: value or {"alpha": a, "value": b}}."""
        self._change(self._named(data))

    def _named(self, data):
        """Returns the data of `update` by the names of `self.data`."""
        named = {}
        for name, value in data.items():
            if name == "boundary":
                for face, datum in _arrays.mapping(value, "boundary", "{'inlet': 1.0}").items():
                    if face not in self._kinds:
                        raise _core.ConfigurationError(f"boundary.{face}: the problem has no such condition")
                    parts = datum if isinstance(datum, dict) else {"value": datum}
                    for part, own in parts.items():
                        named[f"boundary.{face}.alpha" if part == "alpha" else f"boundary.{face}"] = own
            elif name in ("coefficient", "reaction", "source"):
                named[name] = value
            else:
                raise _core.ConfigurationError(f"{name}: choose from coefficient, reaction, source and boundary")
        return named

    def _change(self, named):
        """Checks values and sets them. Returns them as arrays of all elements or points."""
        new = {}
        for name, value in named.items():
            if name.startswith("boundary."):
                new[name] = self._of_points(value, name.removeprefix("boundary.").removesuffix(".alpha"))
                continue
            new[name] = self._of_elements(value, name)
            if name == "coefficient" and new[name].ndim != self.data[name].ndim:
                raise _core.ConfigurationError("coefficient: numbers and tensors do not replace each other")
        with self._lock:
            self._set(new)
            self.data.update(new)
        return new

    def solve(self, check=True):
        """Solves with the present data. Returns a MeshResult; raises NotConverged if `check` is true."""
        with self._lock:
            return MeshResult(self, self._session.solve(), check)

    def gradient(self, u, derivative, check=True):
        """Returns the derivatives of a number J(u) with respect to all data, by one adjoint solve.

        Args:
            u: the solution with the present data, [points].
            derivative: ∂J/∂u, [points].

        Returns a dictionary with the keys of `data`: coefficient, reaction, source with a value for each element,
        boundary.NAME and boundary.NAME.alpha with one for each point.
        """
        u, derivative = _arrays.numbers(u, "u"), _arrays.numbers(derivative, "derivative")
        for name, values in (("u", u), ("derivative", derivative)):
            if values.shape != (len(self.mesh.points),):
                raise _core.ConfigurationError(f"{name}: the array has the shape {list(values.shape)}; give one value "
                                               f"for each of {len(self.mesh.points)} points")
        with self._lock:
            adjoint = RowsResult(self._session.adjoint(derivative), check).u
            found = self._session.derivatives(u, adjoint)
            held = self._session.held()
        gradients = {name: found[name].reshape(self.data[name].shape) for name in ("coefficient", "reaction", "source")}
        for name, (number, kind) in self._kinds.items():
            gradients[f"boundary.{name}"] = found["values"][number]
            if kind == "dirichlet":
                gradients[f"boundary.{name}"] += np.where(held == number, derivative, 0.0)
            if kind == "robin":
                gradients[f"boundary.{name}.alpha"] = found["alphas"][number]
        return gradients

    def matrix(self):
        """Returns (A, b, points): the system as a scipy.sparse.csr_array, and the point of each row."""
        import scipy.sparse
        arrays, b, points = self._session.system()
        return scipy.sparse.csr_array(arrays, shape=(len(b), len(b))), b, points


def _called(function, points, name):
    try:
        return function(*points.T)
    except Exception as error:
        raise _core.ConfigurationError(f"{name}: the function fails for the arrays x, y and z ({error})") from error


class MeshResult(RowsResult):
    """The solution on a mesh.

    Attributes: those of RowsResult, with u at the points of the mesh.
    """

    def __init__(self, problem, found, check):
        self._session = problem._session
        super().__init__(found, check)

    @property
    def flux(self):
        """−κ∇u of each element, [elements, 3]."""
        return self._session.flux(self.u)

    @property
    def flows(self):
        """∫ κ ∂u/∂n over the boundary of each condition, by name; positive into the domain."""
        return {name: face["flow"] for name, face in self.faces.items()}

    @property
    def faces(self):
        """Answers for the boundary of each condition, by name: flow, area, and the mean, min and max of u."""
        return _answers.Table(self._session.flows(self.u))

    @property
    def integral(self):
        """∫ u."""
        return self._session.integral(self.u)

    @property
    def estimated_flux_error(self):
        """The estimated error of the flux in energy, relative to its size."""
        return self._session.flux_error(self.u)

    def probe(self, *point):
        """Returns u at a point, or None outside of the mesh."""
        if not 2 <= len(point) <= 3:
            raise _core.ConfigurationError(f"probe: {len(point)} numbers; give x and y, or x, y and z")
        point = [_arrays.number(x, "probe") for x in point]
        return self._session.value_at(self.u, *point, *[0.0] * (3 - len(point)))

    def save(self, folder):
        """Writes solution.vtu with u and the flux, and returns its path."""
        return self._session.save(_arrays.path(folder, "folder"), self.u)
