#!/usr/bin/python3
"""Checks the files of a run against its summary.

    check_files.py DIRECTORY

Opens every .vti, .vtr, .hdf and .h5 file of the directory with VTK's readers and h5py, and for several processes the
.pvti and .pvtr files that join pieces. Compares the minimum and maximum of u with those in summary.json. If they
differ, exits with status 1 and prints a sentence."""

import json
import sys
from pathlib import Path

import h5py
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkCommand
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOXML import (vtkXMLImageDataReader, vtkXMLPImageDataReader, vtkXMLPRectilinearGridReader,
                                 vtkXMLRectilinearGridReader)

READERS = {".vti": vtkXMLImageDataReader, ".vtr": vtkXMLRectilinearGridReader, ".pvti": vtkXMLPImageDataReader,
           ".pvtr": vtkXMLPRectilinearGridReader, ".hdf": vtkHDFReader}


class Wrong(Exception):
    pass


def vtk_field(path, reader):
    """Returns u as VTK's reader finds it, and the number of its places."""
    errors = []
    reader.AddObserver(vtkCommand.ErrorEvent, lambda *_: errors.append(path))
    reader.SetFileName(str(path))
    reader.Update()
    data = reader.GetOutputDataObject(0)
    if errors or data is None:
        raise Wrong("VTK cannot read it")
    for attributes, places in ((data.GetPointData(), data.GetNumberOfPoints()),
                               (data.GetCellData(), data.GetNumberOfCells())):
        if attributes.GetArray("u"):
            return vtk_to_numpy(attributes.GetArray("u")), places
    raise Wrong("it has no field u")


def hdf5_field(path):
    """Returns u as h5py finds it. Its shape must match the axes, in nodes or in cells."""
    with h5py.File(path) as file:
        group = file["poisson"] if "poisson" in file else file
        axes = [group[name][:] for name in "zyx" if name in group]
        json.loads(group["configuration"][()])
        found = next((file[name] for name in ("VTKHDF/PointData/u", "poisson/u", "u") if name in file), None)
        if found is None:
            raise Wrong("it has no field u")
        if found.shape not in (tuple(map(len, axes)), tuple(len(axis) - 1 for axis in axes)):
            raise Wrong(f"u has the shape {found.shape}, and the axes have {[len(axis) for axis in axes]} nodes")
        for axis in axes:
            if np.any(np.diff(axis) <= 0):
                raise Wrong("an axis does not increase")
        return found[:]


def check(path, expected):
    fields = []
    if path.suffix in READERS:
        values, places = vtk_field(path, READERS[path.suffix]())
        if len(values) != places:
            raise Wrong(f"u has {len(values)} values for {places} places")
        fields.append(values)
    if path.suffix in (".hdf", ".h5"):
        fields.append(hdf5_field(path))
    for values in fields:
        for name, seen in (("min", np.min(values)), ("max", np.max(values))):
            scale = max(abs(expected["min"]), abs(expected["max"]))
            if not abs(seen - expected[name]) <= 1e-12 * scale:
                raise Wrong(f"the {name} of u is {seen!r}, and the summary states {expected[name]!r}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = Path(sys.argv[1])
    try:
        expected = json.loads((directory / "summary.json").read_text())["solution"]
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"{directory / 'summary.json'} cannot be read ({error})")
    if expected["min"] is None or expected["max"] is None:
        sys.exit(f"{directory / 'summary.json'}: the solution is not finite")
    files = sorted(path for path in directory.iterdir()
                   if path.suffix in (*READERS, ".h5") and not path.stem.startswith("solution_"))  # pieces are skipped
    if not files:
        sys.exit(f"{directory} has no field files")
    failed = False
    for path in files:
        try:
            check(path, expected)
            print(f"{path}: u from {expected['min']:.6g} to {expected['max']:.6g}, as the summary states")
        except (Wrong, OSError, KeyError, ValueError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
