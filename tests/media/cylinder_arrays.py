#!/usr/bin/env python3
"""Prints the conductivity of arrays of cylinders, the reference of test_media.cpp and test_answers.py.

Rayleigh's method (Phil. Mag. 34, 481, 1892; Perrins, McKenzie and McPhedran 1979): u around a cylinder is a sum of
multipoles, and the regular part is the field of all other cylinders. The background has κ = 1.
"""

import numpy
from scipy.special import comb

LATTICES = {"square": (1, 1j, 4), "hexagonal": (1, 0.5 + 0.5j * 3**0.5, 6)}


def sums(kind, order, reach=400):
    """Returns S[n], the sum of w^-n over the places w of all other cylinders, for even n up to 2 · order."""
    a, b, symmetry = LATTICES[kind]
    i = numpy.arange(-reach, reach + 1)
    w = (i[:, None] * a + i[None, :] * b).ravel()
    w = w[(w != 0) & (abs(w) < 0.8 * reach)]
    found = {n: (w ** (-1.0 * n)).sum().real if n % symmetry == 0 else 0 for n in range(4, 2 * order + 1, 2)}
    return {2: numpy.pi / abs((numpy.conj(a) * b).imag), **found}


def conductivity(kind, filling, kappa, order=41):
    a, b, _ = LATTICES[kind]
    area = abs((numpy.conj(a) * b).imag)
    radius, S = (filling * area / numpy.pi) ** 0.5, sums(kind, order)
    odd = range(1, order + 1, 2)
    matrix = [[comb(m + l - 1, l) * S[l + m] * radius ** (l + m) for m in odd] for l in odd]
    matrix = numpy.array(matrix) + numpy.eye(len(odd)) * (1 + kappa) / (1 - kappa)
    multipoles = numpy.linalg.solve(matrix, [radius] + [0] * (len(odd) - 1))
    return 1 - 2 * numpy.pi * multipoles[0] * radius / area


if __name__ == "__main__":
    for kind, fillings in (("square", (0.3, 0.5, 0.65, 0.7)), ("hexagonal", (0.3, 0.5, 0.7, 0.8))):
        for filling in fillings:
            values = [conductivity(kind, filling, kappa) for kappa in (10, 0.1, 100, 0.01)]
            print(f"{kind:9} {filling:4} " + " ".join(f"{value:.7f}" for value in values))
