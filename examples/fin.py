#!/usr/bin/env python3
"""Writes configs/fin.stl: a tapered fin on its base, drawn in mm, as a binary STL file.

    fin.py configs/fin.stl

The outline in the plane of x and z is extruded along y."""

import struct
import sys

DEPTH = 10.0
OUTLINE = [(0, 0), (20, 0), (20, 2), (12, 2), (11, 14), (9, 14), (8, 2), (0, 2)]
# Triangles of the outline: the base, then the fin.
SECTION = [(0, 1, 2), (0, 2, 3), (0, 3, 6), (0, 6, 7), (6, 3, 4), (6, 4, 5)]


def triangles():
    """Yields three corners for each triangle, counterclockwise seen from outside."""
    for a, b, c in SECTION:
        yield [(OUTLINE[i][0], 0, OUTLINE[i][1]) for i in (a, b, c)]
        yield [(OUTLINE[i][0], DEPTH, OUTLINE[i][1]) for i in (a, c, b)]
    for (xa, za), (xb, zb) in zip(OUTLINE, OUTLINE[1:] + OUTLINE[:1]):
        yield [(xa, 0, za), (xb, DEPTH, zb), (xb, 0, zb)]
        yield [(xa, 0, za), (xa, DEPTH, za), (xb, DEPTH, zb)]


def main(path):
    corners = list(triangles())
    with open(path, "wb") as file:
        file.write(b"A fin, written by examples/fin.py".ljust(80) + struct.pack("<I", len(corners)))
        for triangle in corners:
            file.write(struct.pack("<12fH", 0, 0, 0, *[x for corner in triangle for x in corner], 0))


if __name__ == "__main__":
    main(sys.argv[1])
