#!/usr/bin/env python3
"""Prints the conductivity of simple cubic arrays of spheres, the reference of test_media.cpp.

u outside a sphere is a sum of solid harmonics, each with the singular part that the sphere adds. Their coefficients fit
the faces of the cell by least squares: u = 1/2 at z = 1/2, no flux through x = 1/2. The background has κ = 1.
"""

import numpy
from scipy.special import gammaln, lpmv


def harmonics(x, y, z, order, radius, kappa):
    r, phi = numpy.sqrt(x * x + y * y + z * z), numpy.arctan2(y, x)
    columns = []
    for l in range(1, order + 1, 2):
        t = (kappa - 1) * l / (l * kappa + l + 1) * radius ** (2 * l + 1)
        for m in range(0, l + 1, 4):
            angular = numpy.exp(0.5 * (gammaln(l - m + 1) - gammaln(l + m + 1))) * lpmv(m, l, z / r) * numpy.cos(m * phi)
            columns.append((r**l - t * r ** (-l - 1)) * angular / 0.75**l)
    return numpy.array(columns).T


def slope(point, axis, *of):
    def at(step):
        moved = [p + (step if e == axis else 0) for e, p in enumerate(point)]
        return harmonics(*moved, *of)

    d = 1e-4
    return (8 * (at(d) - at(-d)) - (at(2 * d) - at(-2 * d))) / (12 * d)


def conductivity(filling, kappa, order, points=24):
    of = (order, (3 * filling / (4 * numpy.pi)) ** (1 / 3), kappa)
    x, w = numpy.polynomial.legendre.leggauss(points)
    a, b = (p.ravel() for p in numpy.meshgrid((x + 1) / 4, (x + 1) / 4, indexing="ij"))
    half, weight = numpy.full_like(a, 0.5), numpy.sqrt(numpy.outer(w, w) / 16).ravel()
    matrix = numpy.vstack([harmonics(a, b, half, *of), slope((half, a, b), 0, *of)]) * numpy.tile(weight, 2)[:, None]
    wanted = numpy.concatenate([0.5 * weight, 0 * weight])
    fit = numpy.linalg.lstsq(matrix, wanted, rcond=1e-13)[0]
    return 4 * (slope((a, b, half), 2, *of) @ fit * weight**2).sum()


if __name__ == "__main__":
    for kappa in (10, 0.1):
        for filling in (0.1, 0.2, 0.3, 0.4, 0.45, 0.47):
            values = [conductivity(filling, kappa, order) for order in (25, 31, 37)]
            print(f"{kappa:5} {filling:5} " + " ".join(f"{value:.6f}" for value in values))
