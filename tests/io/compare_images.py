#!/usr/bin/python3
"""Compares two pictures.

    compare_images.py A.png B.png BOUND

Prints the mean absolute difference of their pixels (0 to 255, over all colours). Exits with status 1 if it exceeds the
bound or the sizes differ."""

import sys
from pathlib import Path

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOImage import vtkPNGReader


def pixels(path):
    if not Path(path).is_file():
        sys.exit(f"{path} is not there")
    reader = vtkPNGReader()
    if not reader.CanReadFile(path):
        sys.exit(f"{path} is not a PNG file")
    reader.SetFileName(path)
    reader.Update()
    image = reader.GetOutput()
    width, height, _ = image.GetDimensions()
    return vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, -1).astype(float)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    first, second, bound = pixels(sys.argv[1]), pixels(sys.argv[2]), float(sys.argv[3])
    if first.shape != second.shape:
        sys.exit(f"the pictures differ in size or colours: {first.shape} and {second.shape} (rows, columns, colours)")
    difference = np.abs(first - second).mean()
    print(f"mean absolute difference {difference:.4f}, bound {bound:g}")
    sys.exit(0 if difference <= bound else 1)


if __name__ == "__main__":
    main()
