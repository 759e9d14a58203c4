#!/usr/bin/python3
"""Compares the field files of two runs, by one process and by several.

    same_fields.py ONE SEVERAL BOUND

Opens the files of both directories with VTK's readers, including those of pieces, and with h5py. Compares grids, names,
shapes and values. Values may differ by BOUND times the maximum of a field; for the residual this is the maximum of the
source. If they differ more, exits with status 1 and prints a sentence."""

import sys
from pathlib import Path

import h5py
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy

from check_files import READERS


def vtk_contents(path):
    reader = READERS[path.suffix]()
    reader.SetFileName(str(path))
    reader.Update()
    data = reader.GetOutputDataObject(0)
    contents = {"bounds": np.array(data.GetBounds()), "dimensions": np.array(data.GetDimensions())}
    for place, attributes in (("node", data.GetPointData()), ("cell", data.GetCellData())):
        for number in range(attributes.GetNumberOfArrays()):
            name = attributes.GetArrayName(number)
            if name != "vtkGhostType":  # added by readers of pieces
                contents[f"{name} at {place}s"] = vtk_to_numpy(attributes.GetArray(name))
        contents[f"active at {place}s"] = np.array([ord(c) for active in (attributes.GetScalars(), attributes.GetVectors())
                                                    if active for c in active.GetName()])
    return contents


def hdf5_contents(path):
    contents = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: contents.update({name: item[()]})
                        if isinstance(item, h5py.Dataset) and item.dtype.kind == "f" else None)
    return contents


def compare(one, several, bound):
    contents = [vtk_contents(path) if path.suffix in READERS else hdf5_contents(path) for path in (one, several)]
    if contents[0].keys() != contents[1].keys():
        sys.exit(f"{several} holds {sorted(contents[1])}, and {one} {sorted(contents[0])}")
    for name, wanted in contents[0].items():
        found = contents[1][name]
        if found.shape != wanted.shape:
            sys.exit(f"{several}: {name} has the shape {found.shape} and not {wanted.shape}")
        measure = contents[0][name.replace("residual", "source")]
        if wanted.size and np.max(np.abs(found - wanted)) > bound * max(1e-300, np.max(np.abs(measure))):
            sys.exit(f"{several}: {name} is off by {np.max(np.abs(found - wanted)):.3g}")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    one, several = map(Path, sys.argv[1:3])
    compared = 0
    for suffix, joined in ((".vti", ".pvti"), (".vtr", ".pvtr"), (".hdf", ".hdf"), (".h5", ".h5")):
        if (one / f"solution{suffix}").exists():
            compare(one / f"solution{suffix}", several / f"solution{joined}", float(sys.argv[3]))
            compared += 1
    print(f"{compared} files")


if __name__ == "__main__":
    main()
