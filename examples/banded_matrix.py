#!/usr/bin/env python3
"""Writes a matrix as another program might provide it, for configs/banded.yaml.

    banded_matrix.py matrix.mtx rhs.mtx

The problem is heat conduction in a plate of 24 x 16 points with a copper bar (1000 times the conductivity). The left
edge is at 0 and the right edge at 1; both are eliminated from the unknowns. The format is Matrix Market, lower
triangle, x fastest."""

import sys

NX, NY = 24, 16


def conductivity(x, y):
    return 1000 if 6 <= y < 10 and 4 <= x < 20 else 1


def face(a, b):
    """Returns the harmonic mean of two points' conductivities."""
    ka, kb = conductivity(*a), conductivity(*b)
    return 2 * ka * kb / (ka + kb)


def assemble():
    diagonal = [0.0] * (NX * NY)
    rhs = [0.0] * (NX * NY)
    lower = []  # row, column, entry
    for y in range(NY):
        for x in range(NX):
            i = x + NX * y
            for there in ((x + 1, y), (x, y + 1)):
                if there[0] == NX or there[1] == NY:
                    continue
                a = face((x, y), there)
                j = there[0] + NX * there[1]
                lower.append((j, i, -a))
                diagonal[i] += a
                diagonal[j] += a
            if x in (0, NX - 1):
                a = 2 * conductivity(x, y)  # over half a cell to the edge
                diagonal[i] += a
                rhs[i] += a * (x == NX - 1)
    return diagonal, lower, rhs


def main(matrix, right):
    diagonal, lower, rhs = assemble()
    entries = sorted([(i, i, d) for i, d in enumerate(diagonal)] + lower)
    with open(matrix, "w", encoding="ascii") as file:
        file.write("%%MatrixMarket matrix coordinate real symmetric\n")
        file.write(f"% a plate of {NX} x {NY} points with a bar of copper; written by examples/banded_matrix.py\n")
        file.write(f"{NX * NY} {NX * NY} {len(entries)}\n")
        for row, column, value in entries:
            file.write(f"{row + 1} {column + 1} {value!r}\n")
    with open(right, "w", encoding="ascii") as file:
        file.write("%%MatrixMarket matrix array real general\n")
        file.write(f"{NX * NY} 1\n")
        for value in rhs:
            file.write(f"{value!r}\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
