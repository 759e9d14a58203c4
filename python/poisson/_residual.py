"""Discretizations as operations on arrays of any framework, for derivatives with respect to the data.

With u the solution, b(data) − A(data) u = 0 at the unknowns. The frameworks differentiate `load` and `operator` by their
own rules; the compiled solver only solves with A. Terms of fixed data are left out, because their derivatives are zero.

Arrays have the layout of u, with one difference: periodic axes omit their repeated last node.
"""

import copy
import functools
import itertools

import numpy as np

from ._core import ConfigurationError
from ._grid import Grid
from ._operators import unknowns


def check_supported(geometry, data):
    """Raises NotImplementedError with the reason if the scheme has no derivatives with respect to these data."""
    if geometry["matrix"]:
        raise NotImplementedError("a matrix from a file has no data to differentiate: give a problem on a grid")
    if geometry["scheme"] == "compact4":
        raise NotImplementedError("scheme compact4 corrects the source with its own derivatives, which gradients do not "
                                  "know: use scheme fv or q1")
    if geometry["full_tensor"] or geometry["scheme"] == "q1" and not geometry["isotropic"]:
        raise NotImplementedError("gradients of scheme q1 know a scalar coefficient only: use scheme fv, or one coefficient "
                                  "for all directions")
    if geometry["mixed"]:
        raise NotImplementedError(f"face {geometry['mixed'][0]} has several conditions, whose parts gradients do not know: "
                                  "give one condition for each face")
    faces = geometry["faces"]
    for name in data:
        if not name.startswith("boundary."):
            continue
        face, _, alpha = name[len("boundary."):].partition(".")
        if face not in faces or faces[face] == "periodic":
            raise ConfigurationError(f"{name}: there is no such face with a value; choose from "
                             f"{', '.join(f for f, kind in faces.items() if kind != 'periodic')}")
        if alpha and faces[face] != "robin":
            raise ConfigurationError(f"{name}: only Robin faces have alpha; {face} is a {faces[face]} face")


class Residual(Grid):
    """Is A and b of a problem, as functions of its data.

    Args:
        geometry: Problem.geometry.
        cat, constant: as in Grid.
    """

    def __init__(self, geometry, cat, constant):
        kinds = geometry["faces"]
        self.names = ["xyz"[geometry["dimension"] - 1 - a] for a in range(geometry["dimension"])]
        self.kinds = [[kinds[name + "-"], kinds[name + "+"]] for name in self.names]
        super().__init__(cat, constant, [np.diff(n) for n in reversed(geometry["nodes"])],
                         [pair[0] == "periodic" for pair in self.kinds], geometry["centering"] == "node")
        self.elements = geometry["scheme"] == "q1"
        self._geometry = geometry

    @functools.cached_property
    def mask(self):
        """1 at unknowns, 0 at Dirichlet nodes."""
        return unknowns(self._geometry)[tuple(slice(0, n) for n in self.sizes)].astype(float)

    def in_framework(self, cat, constant):
        """Returns the same discretization for arrays of a framework."""
        other = copy.copy(self)
        other.cat, other.constant = cat, constant
        return other

    core = Grid.without_repeated

    def expanded(self, values):
        """Returns the inverse of core: repeats the first node of periodic axes as the last."""
        for a in range(self.d):
            if self.at_nodes and self.periodic[a]:
                values = self.cat([values, self.part(values, a, 0, 1)], a)
        return values

    def face(self, skipped):
        """Returns the grid of the faces across an axis."""
        axes = [a for a in range(self.d) if a != skipped]
        return Grid(self.cat, self.constant, [self.widths[a] for a in axes], [self.periodic[a] for a in axes],
                    self.at_nodes)

    def _axes_of(self, face):
        """Returns the array axis and the end of a face."""
        return self.names.index(face[0]), int(face[1] == "+")

    def integral(self, value, name, grid=None):
        """Returns the integrals of a datum over the control volumes of this grid, or of the grid of a face.

        `value` is a number, or has one value for each node or cell. Raises ConfigurationError for other shapes.
        """
        grid = grid or self
        nodes = [n + 1 for n in grid.cells]
        value = grid.full(value, nodes if self.at_nodes else grid.cells)
        shape = list(value.shape)
        if shape not in (nodes, grid.cells) or shape == nodes and not self.at_nodes and grid is not self:
            raise ConfigurationError(f"{name}: the array has the shape {tuple(shape)}; give {tuple(nodes)} (nodes) or "
                             f"{tuple(grid.cells)} (cells)")
        if not self.at_nodes:
            return grid.lumped(grid.means(value) if shape == nodes else value)
        if shape == grid.cells:
            return grid.halves(value)
        value = grid.without_repeated(value)
        return grid.consistent(value) if self.elements else grid.lumped(value)

    def _on_layer(self, layer, a, end):
        """Returns an array like core(u) that is zero except for values on the layer of a face."""
        shape = list(layer.shape)
        layer = layer.reshape(shape[:a] + [1] + shape[a:])
        zeros = self.constant(np.zeros(shape[:a] + [self.sizes[a] - 1] + shape[a:]))
        return self.cat([layer, zeros] if end == 0 else [zeros, layer], a)

    def _layer(self, u, a, end):
        n = u.shape[a]
        return self.part(u, a, 0, 1) if end == 0 else self.part(u, a, n - 1, n)

    # ---- data ----

    def kappa(self, data):
        """Returns κ for each array axis, as arrays of cells, or None where it is fixed."""
        found = []
        for a in range(self.d):
            name = "coefficient" if "coefficient" in data else f"coefficient.{self.names[a]}"
            value = data.get(name)
            if value is not None:
                value = self.full(value, self.cells)
                if list(value.shape) != self.cells:
                    raise ConfigurationError(f"{name}: the array has the shape {tuple(value.shape)}; gradients need one value for "
                                     f"each cell, {tuple(self.cells)}")
            found.append(value)
        return found

    def boundary_values(self, data):
        """Returns an array like core(u) with the Dirichlet values in `data`, zero elsewhere; cells have none.

        A node on several Dirichlet faces has the mean of their values.
        """
        total = self.constant(np.zeros(self.sizes))
        if not self.at_nodes:
            return total
        count = np.zeros(self.sizes)
        for a, end in itertools.product(range(self.d), range(2)):
            if self.kinds[a][end] == "dirichlet":
                self._layer(count, a, end)[...] += 1
        for name, value, a, end in self._faces(data, "dirichlet"):
            grid = self.face(a)
            nodes = [n + 1 for n in grid.cells]
            value = grid.full(value, nodes)
            if list(value.shape) != nodes:
                raise ConfigurationError(f"{name}: the array has the shape {tuple(value.shape)}; a Dirichlet face of a problem at "
                                 f"nodes needs one value for each node, {tuple(nodes)}")
            value = grid.without_repeated(value)
            total = total + self._on_layer(value, a, end) * self.constant(1 / np.maximum(count, 1))
        return total

    def _faces(self, data, kind):
        for name, value in data.items():
            if name.startswith("boundary.") and not name.endswith(".alpha"):
                a, end = self._axes_of(name[len("boundary."):])
                if self.kinds[a][end] == kind:
                    yield name, value, a, end

    # ---- A and b ----

    def load(self, data):
        """Returns the terms of b that do not depend on κ and α, and for cells those that do through `operator`."""
        total = self.constant(np.zeros(self.sizes))
        if "source" in data:
            total = total + self.integral(data["source"], "source")
        kinds = ("neumann", "robin") if self.at_nodes else ("neumann",)
        for kind in kinds:
            for name, value, a, end in self._faces(data, kind):
                total = total + self._on_layer(self.integral(value, name, self.face(a)), a, end)
        return total

    def operator(self, data, u, values=None):
        """Returns A u − b of the terms that contain κ, σ or α.

        Args:
            u: like core(u). At nodes it contains the Dirichlet values.
            values: data of the faces of a problem in cells (g, and the right-hand side of Robin's condition) by the names
                of their faces; None for zero.
        """
        total = 0 * u
        if "reaction" in data:
            total = total + self._reaction(data["reaction"], u)
        kappa = self.kappa(data)
        if self.elements and kappa[0] is not None:
            total = total + self._stiffness(kappa[0], u)
        elif self.at_nodes:
            for a in range(self.d):
                if kappa[a] is not None:
                    total = total + self._flow_at_nodes(kappa[a], u, a)
        if self.at_nodes:
            return total + self._robin_at_nodes(data, u)
        for a in range(self.d):
            if kappa[a] is not None:
                total = total + self._flow_in_cells(kappa[a], u, a)
        return total + self._faces_of_cells(data, kappa, u, values or {})

    def _reaction(self, sigma, u):
        if self.elements:
            sigma = self.full(sigma, self.cells)
            if list(sigma.shape) != self.cells:
                raise ConfigurationError(f"reaction: the array has the shape {tuple(sigma.shape)}; gradients of scheme q1 need one "
                                 f"value for each cell, {tuple(self.cells)}")
            return self.assembled(sigma, u)
        return self.integral(sigma, "reaction") * u

    def _flow_at_nodes(self, kappa, u, a):
        weights = self.halves(kappa, [other for other in range(self.d) if other != a])
        upper, lower = self.next(u, a)
        flow = weights * self.along(1 / self.widths[a], a) * (upper - lower)
        return self.scatter(flow, -flow, a)

    def _stiffness(self, kappa, u):
        total = 0
        for a in range(self.d):
            total = total + self.assembled(kappa, u, a)
        return total

    def _robin_at_nodes(self, data, u):
        total = 0
        for name, alpha in data.items():
            if not name.endswith(".alpha"):
                continue
            a, end = self._axes_of(name[len("boundary."):])
            layer = self._layer(u, a, end).reshape([self.sizes[i] for i in range(self.d) if i != a])
            if self.elements:
                product = self._face_mass(alpha, layer, a, name)
            else:
                product = self.integral(alpha, name, self.face(a)) * layer
            total = total + self._on_layer(product, a, end)
        return total

    def _face_mass(self, alpha, layer, skipped, name):
        """Returns α times the mass matrix of a face, for α on its cells."""
        grid = self.face(skipped)
        alpha = grid.full(alpha, grid.cells)
        if list(alpha.shape) != grid.cells:
            raise ConfigurationError(f"{name}: the array has the shape {tuple(alpha.shape)}; gradients of scheme q1 need one value "
                             f"for each cell of the face, {tuple(grid.cells)}")
        return grid.assembled(alpha, layer)

    def _area(self, a, kappa):
        area = kappa
        for other in range(self.d):
            if other != a:
                area = area * self.along(self.widths[other], other)
        return area

    def _flow_in_cells(self, kappa, u, a):
        h = self.along(self.widths[a], a)
        resistance = 0.5 * h / self._area(a, kappa)
        upper, lower = self.next(resistance, a)
        above, below = self.next(u, a)
        flow = (above - below) / (upper + lower)
        return self.scatter(flow, -flow, a)

    def _faces_of_cells(self, data, kappa, u, values):
        total = 0
        for a, end in itertools.product(range(self.d), range(2)):
            kind, face = self.kinds[a][end], self.names[a] + "-+"[end]
            if kind not in ("dirichlet", "robin"):
                continue
            shape = [self.cells[i] for i in range(self.d) if i != a]
            k = values.get(f"kappa.{face}") if kappa[a] is None \
                else self._layer(kappa[a], a, end).reshape(shape)
            g = data.get(f"boundary.{face}", values.get(face))
            alpha = data.get(f"boundary.{face}.alpha", values.get(f"{face}.alpha"))
            if kappa[a] is None and f"boundary.{face}" not in data and f"boundary.{face}.alpha" not in data:
                continue
            h = float(self.widths[a][0 if end == 0 else -1])
            layer = self._layer(u, a, end).reshape(shape)
            g = self.constant(np.zeros(shape)) if g is None else self._on_cells(g, shape, face)
            if kind == "dirichlet":
                flow = 2 * k / h * (layer - g)
            else:
                alpha = self._on_cells(alpha, shape, face + ".alpha")
                flow = k / (k + 0.5 * h * alpha) * (alpha * layer - g)
            total = total + self._on_layer(self.face(a).lumped(flow), a, end)
        return total

    def add_face_terms(self, gradient, axes, data, u, adjoint, values):
        """Adds to the derivative with respect to κ along axes of the array what the faces of a problem in cells give.

        Args:
            gradient: changed in place; data, values: as in operator; u, adjoint: like core(u).
        """
        for a, end in itertools.product(axes, range(2)):
            kind, face = self.kinds[a][end], self.names[a] + "-+"[end]
            if kind not in ("dirichlet", "robin"):
                continue
            name = "coefficient" if "coefficient" in data else f"coefficient.{self.names[a]}"
            shape = [self.cells[i] for i in range(self.d) if i != a]
            g = self._on_cells(data.get(f"boundary.{face}", values.get(face)), shape, face)
            h = float(self.widths[a][0 if end == 0 else -1])
            layer, weight = (self._layer(x, a, end).reshape(shape) for x in (u, adjoint))
            if kind == "dirichlet":
                slope = 2 / h * (layer - g)
            else:
                alpha = self._on_cells(data.get(f"boundary.{face}.alpha", values.get(f"{face}.alpha")), shape, face)
                k = self._layer(data[name], a, end).reshape(shape)
                slope = 0.5 * h * alpha / (k + 0.5 * h * alpha) ** 2 * (alpha * layer - g)
            term = self.face(a).lumped(slope * weight)
            self._layer(gradient, a, end)[...] -= term.reshape(shape[:a] + [1] + shape[a:])

    def _on_cells(self, value, shape, name):
        value = self.full(value, shape)
        if list(value.shape) != shape:
            raise ConfigurationError(f"boundary.{name}: the array has the shape {tuple(value.shape)}; gradients of a problem in "
                             f"cells need one value for each cell of the face, {tuple(shape)}")
        return value
