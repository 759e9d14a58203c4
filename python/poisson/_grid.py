"""Operations on values at the nodes or in the cells of a grid, or of one of its faces, for arrays of any framework."""

import numpy as np


class Grid:
    """Is a product of axes, in the order of the axes of arrays.

    Args:
        cat: joins a list of arrays along an axis, as torch.cat and jax.numpy.concatenate do.
        constant: makes an array of the framework from a numpy array.
        widths: the widths of the cells along each axis.
        periodic: whether each axis is periodic; its nodes then omit the last one.
        at_nodes: whether unknowns are at nodes.
    """

    def __init__(self, cat, constant, widths, periodic, at_nodes):
        self.cat, self.constant = cat, constant
        self.widths, self.periodic, self.at_nodes = widths, periodic, at_nodes
        self.d = len(widths)
        self.cells = [len(w) for w in widths]
        self.sizes = [n + (at_nodes and not p) for n, p in zip(self.cells, periodic)]
        self.mass = [self._mass(a) if at_nodes else widths[a] for a in range(self.d)]

    def _mass(self, a):
        h = self.widths[a]
        return 0.5 * (h + np.roll(h, 1)) if self.periodic[a] else 0.5 * (np.append(h, 0) + np.append(0, h))

    @staticmethod
    def part(values, a, first, last):
        """Returns the values first ≤ i < last along an axis."""
        return values[tuple(slice(first, last) if i == a else slice(None) for i in range(values.ndim))]

    def along(self, numbers, a):
        """Returns numbers of one axis so that they multiply arrays."""
        return self.constant(np.asarray(numbers).reshape([-1 if i == a else 1 for i in range(self.d)]))

    def full(self, value, shape):
        """Returns a number as an array of a shape, and arrays as they are."""
        return value + self.constant(np.zeros(shape)) if value.ndim == 0 else value

    def without_repeated(self, values):
        """Returns values of all nodes without the repeated nodes of periodic axes."""
        for a in range(self.d):
            if self.at_nodes and self.periodic[a]:
                values = self.part(values, a, 0, self.cells[a])
        return values

    def next(self, u, a):
        """Returns the values above and below each cell along an axis of nodes, or each inner face between cells."""
        n = u.shape[a]
        if self.periodic[a]:
            return self.cat([self.part(u, a, 1, n), self.part(u, a, 0, 1)], a), u
        return self.part(u, a, 1, n), self.part(u, a, 0, n - 1)

    def scatter(self, upper, lower, a):
        """Adds values to the neighbours above and below: the transpose of next."""
        n = upper.shape[a]
        if self.periodic[a]:
            return self.cat([self.part(upper, a, n - 1, n), self.part(upper, a, 0, n - 1)], a) + lower
        zero = 0 * self.part(upper, a, 0, 1)
        return self.cat([zero, upper], a) + self.cat([lower, zero], a)

    def halves(self, values, axes=None):
        """Integrates values of cells: each node of these axes (of all) gets half of the cells on both sides."""
        for a in range(self.d) if axes is None else axes:
            half = values * self.along(0.5 * self.widths[a], a)
            values = self.scatter(half, half, a)
        return values

    def lumped(self, values):
        """Multiplies values by the volumes of their nodes or cells."""
        for a in range(self.d):
            values = values * self.along(self.mass[a], a)
        return values

    def consistent(self, values):
        """Multiplies values of nodes by the mass matrix of hat functions."""
        for a in range(self.d):
            above, below = self.next(values, a)
            h = self.along(self.widths[a] / 6, a)
            values = self.scatter(h * (2 * above + below), h * (2 * below + above), a)
        return values

    def means(self, values):
        """Returns the means of the nodes of each cell."""
        for a in range(self.d):
            n = values.shape[a]
            values = 0.5 * (self.part(values, a, 1, n) + self.part(values, a, 0, n - 1))
        return values

    def assembled(self, factor, u, differentiated=None):
        """Returns the product with the sum of element matrices times a factor of each cell.

        They are the mass along all axes, but the stiffness along one of them if it is given.
        """
        corners = {(): u}
        for a in range(self.d):
            split = {}
            for place, values in corners.items():
                split[place + (1,)], split[place + (0,)] = self.next(values, a)
            corners = split
        for a in range(self.d):
            done = {}
            for place, values in corners.items():
                other = corners[place[:a] + (1 - place[a],) + place[a + 1:]]
                if a == differentiated:
                    done[place] = self.along(1 / self.widths[a], a) * (values - other)
                else:
                    done[place] = self.along(self.widths[a] / 6, a) * (2 * values + other)
            corners = done
        corners = {place: factor * values for place, values in corners.items()}
        for a in reversed(range(self.d)):
            corners = {place: self.scatter(corners[place + (1,)], corners[place + (0,)], a)
                       for place in {p[:-1] for p in corners}}
        return corners[()]


def volume_of_cells(geometry):
    """Returns the volume of a control volume if u is in cells that are equal up to rounding, or None."""
    widths = [np.diff(nodes) for nodes in geometry["nodes"]]
    if geometry["centering"] == "node" or geometry["matrix"] or any(np.ptp(w) > 1e-12 * w.max() for w in widths):
        return None
    return float(np.prod([w.mean() for w in widths]))


def repeat_first(values, axis):
    """Returns an array with its first values along an axis repeated at the end."""
    return np.concatenate([values, np.take(values, [0], axis=axis)], axis=axis)
