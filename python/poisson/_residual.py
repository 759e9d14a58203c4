"""Discretizations as operations on arrays of any framework, for derivatives with respect to the data.

With u the solution, b(data) − A(data) u = 0 at the unknowns. The frameworks differentiate `load` and `operator` by their
own rules; the compiled solver only solves with A. Terms of fixed data are left out, because their derivatives are zero.

Arrays have the layout of u, with one difference: periodic axes omit their repeated last node.
"""

import itertools

import numpy as np

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
            raise ValueError(f"{name}: there is no such face with a value; choose from "
                             f"{', '.join(f for f, kind in faces.items() if kind != 'periodic')}")
        if alpha and faces[face] != "robin":
            raise ValueError(f"{name}: only Robin faces have alpha; {face} is a {faces[face]} face")


class Residual:
    """Is A and b of a problem, as functions of its data.

    Args:
        geometry: Problem.geometry.
        cat: joins a list of arrays along an axis, as torch.cat and jax.numpy.concatenate do.
        constant: makes an array of the framework from a numpy array.
    """

    def __init__(self, geometry, cat, constant):
        self.cat, self.constant = cat, constant
        self.d = geometry["dimension"]
        self.at_nodes = geometry["centering"] == "node"
        self.elements = geometry["scheme"] == "q1"
        nodes = [np.asarray(n) for n in reversed(geometry["nodes"])]  # as array axes: z, y, x
        kinds = geometry["faces"]
        self.names = ["xyz"[self.d - 1 - a] for a in range(self.d)]
        self.kinds = [[kinds[name + "-"], kinds[name + "+"]] for name in self.names]
        self.periodic = [pair[0] == "periodic" for pair in self.kinds]
        self.widths = [np.diff(n) for n in nodes]
        self.cells = [len(w) for w in self.widths]
        self.sizes = [n + (self.at_nodes and not p) for n, p in zip(self.cells, self.periodic)]
        core = tuple(slice(0, n) for n in self.sizes)
        self.mask = unknowns(geometry)[core].astype(float)
        self.mass = [self._mass(a) if self.at_nodes else self.widths[a] for a in range(self.d)]

    def _mass(self, a):
        h = self.widths[a]
        if self.periodic[a]:
            return 0.5 * (h + np.roll(h, 1))
        return 0.5 * (np.append(h, 0) + np.append(0, h))

    # ---- shapes ----

    def core(self, values):
        """Returns values of nodes without the repeated nodes of periodic axes."""
        for a in range(self.d):
            if self.at_nodes and self.periodic[a]:
                values = self.part(values, a, 0, self.cells[a])
        return values

    def expanded(self, values):
        """Returns the inverse of core: repeats the first node of periodic axes as the last."""
        for a in range(self.d):
            if self.at_nodes and self.periodic[a]:
                values = self.cat([values, self.part(values, a, 0, 1)], a)
        return values

    @staticmethod
    def part(values, a, first, last):
        return values[tuple(slice(first, last) if i == a else slice(None) for i in range(values.ndim))]

    def along(self, numbers, a, d=None):
        """Returns numbers of one axis so that they multiply arrays."""
        d = self.d if d is None else d
        return self.constant(np.asarray(numbers).reshape([-1 if i == a else 1 for i in range(d)]))

    # ---- one axis ----

    def _next(self, u, a):
        """Returns the values above and below each cell along an axis of nodes, or each inner face between cells."""
        n = u.shape[a]
        if self.periodic[a]:
            return self.cat([self.part(u, a, 1, n), self.part(u, a, 0, 1)], a), u
        return self.part(u, a, 1, n), self.part(u, a, 0, n - 1)

    def _scatter(self, upper, lower, a):
        """Adds values of cells to the nodes above and below: the transpose of _next."""
        n = upper.shape[a]
        if self.periodic[a]:
            return self.cat([self.part(upper, a, n - 1, n), self.part(upper, a, 0, n - 1)], a) + lower
        zero = 0 * self.part(upper, a, 0, 1)
        return self.cat([zero, upper], a) + self.cat([lower, zero], a)

    def _to_nodes(self, q, a, widths):
        """Gives half of each cell's width times its value to the nodes on both sides."""
        half = q * self.along(0.5 * widths, a, q.ndim)
        return self._scatter(half, half, a)

    # ---- integrals ----

    def _axes_of(self, face):
        """Returns the array axis and the end of a face."""
        return self.names.index(face[0]), int(face[1] == "+")

    def _full(self, value, shape):
        return value + self.constant(np.zeros(shape)) if value.ndim == 0 else value

    def integral(self, value, name, skipped=None):
        """Returns the integrals of a datum over the control volumes, or over their areas on a face.

        `value` is a number, or has one value for each node or cell. Raises ValueError for other shapes.
        """
        axes = [a for a in range(self.d) if a != skipped]
        cells = [self.cells[a] for a in axes]
        sizes = [self.sizes[a] for a in axes]
        whole = [self.cells[a] + 1 for a in axes]
        value = self._full(value, sizes)
        if self.at_nodes and list(value.shape) == whole:
            for i, a in enumerate(axes):
                if self.periodic[a]:
                    value = self.part(value, i, 0, self.cells[a])
        shape = list(value.shape)
        if shape == sizes and not (self.at_nodes and shape == cells and self._ambiguous(axes)):
            return self._consistent(value, axes) if self.elements else self._lumped(value, axes)
        if not self.at_nodes and shape == whole and skipped is None:
            for i in range(len(axes)):
                n = value.shape[i]
                value = 0.5 * (self.part(value, i, 1, n) + self.part(value, i, 0, n - 1))
            return self._lumped(value, axes)
        if self.at_nodes and shape == cells:
            for i, a in enumerate(axes):
                value = self._cells_to_nodes(value, i, a)
            return value
        raise ValueError(f"{name}: the array has the shape {tuple(shape)}; give {tuple(whole)} (nodes) or {tuple(cells)} "
                         "(cells)")

    def _ambiguous(self, axes):
        """Returns whether every axis is periodic, so that an array like core(u) could also be one of cells."""
        return all(self.periodic[a] for a in axes)

    def _lumped(self, value, axes):
        for i, a in enumerate(axes):
            value = value * self.along(self.mass[a], i, len(axes))
        return value

    def _cells_to_nodes(self, value, i, a):
        half = value * self.along(0.5 * self.widths[a], i, value.ndim)
        n = value.shape[i]
        if self.periodic[a]:
            return self.cat([self.part(half, i, n - 1, n), self.part(half, i, 0, n - 1)], i) + half
        zero = 0 * self.part(half, i, 0, 1)
        return self.cat([zero, half], i) + self.cat([half, zero], i)

    def _consistent(self, value, axes):
        """Multiplies by the mass matrix of hat functions."""
        for i, a in enumerate(axes):
            h = self.along(self.widths[a] / 6, i, len(axes))
            n = value.shape[i]
            if self.periodic[a]:
                up, low = self.cat([self.part(value, i, 1, n), self.part(value, i, 0, 1)], i), value
                upper, lower = h * (2 * up + low), h * (2 * low + up)
                m = n
                value = self.cat([self.part(upper, i, m - 1, m), self.part(upper, i, 0, m - 1)], i) + lower
            else:
                up, low = self.part(value, i, 1, n), self.part(value, i, 0, n - 1)
                upper, lower = h * (2 * up + low), h * (2 * low + up)
                zero = 0 * self.part(upper, i, 0, 1)
                value = self.cat([zero, upper], i) + self.cat([lower, zero], i)
        return value

    def _on_layer(self, layer, a, end):
        """Returns an array like core(u) that is zero except for values on the layer of a face."""
        shape = list(layer.shape)
        layer = layer.reshape(shape[:a] + [1] + shape[a:])
        rest = shape[:a] + [self.sizes[a] - 1] + shape[a:]
        zeros = self.constant(np.zeros(rest))
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
                value = self._full(value, self.cells)
                if list(value.shape) != self.cells:
                    raise ValueError(f"{name}: the array has the shape {tuple(value.shape)}; gradients need one value for "
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
            sizes = [self.sizes[i] for i in range(self.d) if i != a]
            value = self._full(value, sizes)
            others = [i for i in range(self.d) if i != a]
            if list(value.shape) == [self.cells[i] + 1 for i in others]:
                for i, other in enumerate(others):
                    if self.periodic[other]:
                        value = self.part(value, i, 0, self.cells[other])
            if list(value.shape) != sizes:
                raise ValueError(f"{name}: the array has the shape {tuple(value.shape)}; a Dirichlet face of a problem at "
                                 f"nodes needs one value for each node, {tuple(sizes)}")
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
                total = total + self._on_layer(self.integral(value, name, a), a, end)
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
            sigma = self._full(sigma, self.cells)
            if list(sigma.shape) != self.cells:
                raise ValueError(f"reaction: the array has the shape {tuple(sigma.shape)}; gradients of scheme q1 need one "
                                 f"value for each cell, {tuple(self.cells)}")
            return self._assembled(sigma, u, None)
        return self.integral(sigma, "reaction") * u

    def _flow_at_nodes(self, kappa, u, a):
        weights = kappa
        for other in range(self.d):
            if other != a:
                weights = self._to_nodes(weights, other, self.widths[other])
        upper, lower = self._next(u, a)
        flow = weights * self.along(1 / self.widths[a], a) * (upper - lower)
        return self._scatter(flow, -flow, a)

    def _stiffness(self, kappa, u):
        total = 0
        for a in range(self.d):
            total = total + self._assembled(kappa, u, a)
        return total

    def _assembled(self, factor, u, differentiated):
        """Sums element matrices: mass along all axes, but stiffness along one of them if it is given."""
        corners = {(): u}
        for a in range(self.d):
            split = {}
            for place, values in corners.items():
                split[place + (1,)], split[place + (0,)] = self._next(values, a)
            corners = split
        for a in range(self.d):
            done = {}
            for place in corners:
                other = place[:a] + (1 - place[a],) + place[a + 1:]
                if a == differentiated:
                    done[place] = self.along(1 / self.widths[a], a) * (corners[place] - corners[other])
                else:
                    done[place] = self.along(self.widths[a] / 6, a) * (2 * corners[place] + corners[other])
            corners = done
        corners = {place: factor * values for place, values in corners.items()}
        for a in reversed(range(self.d)):
            corners = {place: self._scatter(corners[place + (1,)], corners[place + (0,)], a)
                       for place in {p[:-1] for p in corners}}
        return corners[()]

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
                product = self.integral(alpha, name, a) * layer
            total = total + self._on_layer(product, a, end)
        return total

    def _face_mass(self, alpha, layer, skipped, name):
        """Returns α times the mass matrix of a face, for α on its cells."""
        axes = [a for a in range(self.d) if a != skipped]
        alpha = self._full(alpha, [self.cells[a] for a in axes])
        if list(alpha.shape) != [self.cells[a] for a in axes]:
            raise ValueError(f"{name}: the array has the shape {tuple(alpha.shape)}; gradients of scheme q1 need one value "
                             f"for each cell of the face, {tuple(self.cells[a] for a in axes)}")
        part = _Face(self, axes)
        return part.assembled(alpha, layer)

    def _area(self, a, kappa):
        area = kappa
        for other in range(self.d):
            if other != a:
                area = area * self.along(self.widths[other], other)
        return area

    def _flow_in_cells(self, kappa, u, a):
        h = self.along(self.widths[a], a)
        resistance = 0.5 * h / self._area(a, kappa)
        upper, lower = self._next(resistance, a)
        above, below = self._next(u, a)
        flow = (above - below) / (upper + lower)
        return self._scatter(flow, -flow, a)

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
            for i, other in enumerate(o for o in range(self.d) if o != a):
                flow = flow * self.along(self.widths[other], i, self.d - 1)
            total = total + self._on_layer(flow, a, end)
        return total

    def _on_cells(self, value, shape, name):
        value = self._full(value, shape)
        if list(value.shape) != shape:
            raise ValueError(f"boundary.{name}: the array has the shape {tuple(value.shape)}; gradients of a problem in "
                             f"cells need one value for each cell of the face, {tuple(shape)}")
        return value


class _Face(Residual):
    """Is a face as a grid of its own, for its mass matrix."""

    def __init__(self, whole, axes):
        self.cat, self.constant, self.d = whole.cat, whole.constant, len(axes)
        self.widths = [whole.widths[a] for a in axes]
        self.periodic = [whole.periodic[a] for a in axes]

    def assembled(self, factor, u):
        return self._assembled(factor, u, None)
