#!/usr/bin/env python3
"""Opens the files of one process and of several with ParaView, and compares their contents with the summary.

    test_paraview.py POISSON_PROGRAM ROOT FAULT_SHIM [unittest arguments]

Without ParaView, its Python or a display (scripts/setup --tests) the tests count as skipped (status 77).
"""

import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from several_processes import CONFIGS, PROGRAM, PYTHON, ROOT, SeveralProcesses, main

# scripts/setup unpacks python3-paraview here, because it cannot be installed together with python3-vtk9.
UNPACKED = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache").glob("poisson-paraview-*")
MODULES = "usr/lib/python3/dist-packages"
DISPLAY = ["xvfb-run", "-a", "timeout", "-s", "KILL", "100", "pvbatch"]

# The script prints numbers, box, extrema and ∫u as ParaView finds them, and the number of colours in a picture of the
# middle.
SCRIPT = r"""
import json, sys
from paraview import servermanager, simple
from vtkmodules.vtkIOImage import vtkPNGReader
found = {}
for path in sys.argv[2:]:
    reader = simple.OpenDataFile(path)
    reader.UpdatePipeline()
    data = reader.GetDataInformation()
    kind = "POINTS" if data.GetPointDataInformation().GetArrayInformation("u") else "CELLS"
    of_kind = data.GetPointDataInformation() if kind == "POINTS" else data.GetCellDataInformation()
    integral = servermanager.Fetch(simple.IntegrateVariables(Input=reader))
    of_integral = integral.GetPointData() if kind == "POINTS" else integral.GetCellData()
    view = simple.CreateView("RenderView")
    view.ViewSize = [200, 200]
    view.OrientationAxesVisibility = 0
    flat = len(set(data.GetBounds()[4:])) == 1
    middle = reader if flat else simple.Slice(Input=reader)
    if not flat:
        middle.SliceType.Normal = [0, 0, 1]
    shown = simple.Show(middle, view)
    shown.SetRepresentationType("Surface")
    simple.ColorBy(shown, (kind, "u"))
    shown.RescaleTransferFunctionToDataRange(True)
    simple.ResetCamera(view)
    simple.Render(view)
    simple.SaveScreenshot(path + ".png", view)
    picture = vtkPNGReader()
    picture.SetFileName(path + ".png")
    picture.Update()
    colours = picture.GetOutput().GetPointData().GetArray(0)
    found[path] = {"points": data.GetNumberOfPoints(), "cells": data.GetNumberOfCells(), "bounds": data.GetBounds(),
                   "kind": kind, "range": of_kind.GetArrayInformation("u").GetComponentRange(0),
                   "integral": of_integral.GetArray("u").GetTuple1(0),
                   "colours": len({colours.GetTuple(i) for i in range(colours.GetNumberOfTuples())})}
    simple.Delete(view)
json.dump(found, open(sys.argv[1], "w"))
"""


# The script prints the times of a series and the range of u at each.
SERIES = r"""
import json, sys
from paraview import simple
reader = simple.OpenDataFile(sys.argv[2])
times, ranges = list(reader.TimestepValues), []
for time in times:
    reader.UpdatePipeline(time)
    ranges.append(reader.GetDataInformation().GetCellDataInformation().GetArrayInformation("u").GetComponentRange(0))
json.dump({"times": times, "ranges": ranges}, open(sys.argv[1], "w"))
"""


def paraview():
    """Returns the environment in which pvbatch finds its modules, or None."""
    if not all(shutil.which(word) for word in ("pvbatch", "xvfb-run")):
        return None
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "find.py"
        script.write_text("import paraview.simple\n", encoding="utf-8")
        for own in ({}, *({"PYTHONPATH": str(place / MODULES)} for place in UNPACKED)):
            run = subprocess.run(["pvbatch", script], env={**os.environ, **own}, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, check=False)
            if run.returncode == 0:
                return own
    return None


PARAVIEW = paraview()


class ParaView(SeveralProcesses):
    def opened(self, paths, script=SCRIPT):
        self.write("open.py", script)
        environment = {**self.environment, **PARAVIEW, "XDG_RUNTIME_DIR": str(self.directory)}
        for _ in range(3):  # a new display may fail shortly after another one was closed
            run = subprocess.run([*DISPLAY, "open.py", "found.json", *paths], cwd=self.directory, env=environment,
                                 text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if "bad X server" not in run.stdout:
                break
        self.assertTrue((self.directory / "found.json").is_file(), run.stdout)
        return json.loads((self.directory / "found.json").read_text(encoding="utf-8"))

    def test_files(self):
        plane = ("domain={lower: [0, 0], upper: [1, 1]}", "grid.cells=[25, 31]", "equation.source=sin(3 * x) * y")
        stretched = ("grid={type: tensor-product, cells: [20, 19, 23], axes: {z: {stretching: tanh, strength: 1, "
                     "at: both}}}",)
        cases = {"nodes": ((), "vti"), "cells": (("discretization.centering=cell",), "vti"), "plane": (plane, "vti"),
                 "stretched": (stretched, "vtr")}
        summaries = {}
        for name, (assignments, kind) in cases.items():
            formats = "output.formats=[vtk, hdf5]" if name == "nodes" else "output.formats=[vtk]"
            for count in (0, 3):
                folder = f"{name}-{count}"
                summary = self.solved(count, folder, *assignments, "output.fields=[u]", formats)
                summaries[f"{folder}/solution.{'p' if count else ''}{kind}"] = summary
                if name == "nodes":
                    summaries[f"{folder}/solution.hdf"] = summary
        found = self.opened(list(summaries))
        self.assertEqual(sorted(found), sorted(summaries))
        for path, summary in summaries.items():
            with self.subTest(path=path):
                one = found[path.replace("-3/", "-0/").replace(".p", ".")]
                cells = summary["config"]["grid"]["cells"]
                self.assertEqual(found[path]["points"], math.prod(n + 1 for n in cells))
                self.assertEqual(found[path]["cells"], math.prod(cells))
                self.assertEqual(found[path]["kind"], "CELLS" if path.startswith("cells") else "POINTS")
                self.assertEqual(found[path]["bounds"], [0, 1, 0, 1, 0, 1 if len(cells) == 3 else 0])
                low, high = found[path]["range"]
                if not path.startswith("cells"):
                    self.assertEqual((low, high), (summary["solution"]["min"], summary["solution"]["max"]))
                # Pieces share a layer of nodes, which must not count twice.
                self.assertAlmostEqual(found[path]["integral"], one["integral"], delta=1e-6 * abs(one["integral"]))
                self.assertAlmostEqual(found[path]["integral"], summary["solution"]["integral"],
                                       delta=0.02 * abs(summary["solution"]["integral"]))
                self.assertGreater(found[path]["colours"], 50)

    def test_blocks(self):
        """Multiblock files and VTKHDF of blocks, with blocks that processes have cut."""
        summaries = {}
        for name, count in (("blocks-cylinder", 0), ("blocks-bend", 0), ("blocks-cylinder", 3)):
            folder = f"{name}-{count}"
            summary = self.solved(count, folder, "output.formats=[vtk, hdf5]", "output.fields=[u, flux]",
                                  case=CONFIGS / f"{name}.yaml")
            summaries |= {f"{folder}/solution.vtm": summary, f"{folder}/solution.hdf": summary}
        found = self.opened(list(summaries))
        for path, summary in summaries.items():
            with self.subTest(path=path):
                low, high = found[path]["range"]
                self.assertEqual((low, high), (summary["solution"]["min"], summary["solution"]["max"]))
                self.assertAlmostEqual(found[path]["integral"], summary["solution"]["integral"],
                                       delta=0.02 * abs(summary["solution"]["integral"]))
                self.assertGreater(found[path]["colours"], 50)
                self.assertEqual(found[path]["cells"], found[path.replace("vtm", "hdf")]["cells"])

    def test_meshes(self):
        summaries = {}
        for name in ("mesh-ball", "mesh-ring"):
            summary = self.solved(0, name, "output.formats=[vtk, hdf5]", "output.fields=[u, flux, group]",
                                  case=CONFIGS / f"{name}.yaml")
            summaries |= {f"{name}/solution.vtu": summary, f"{name}/solution.hdf": summary}
        if (pathlib.Path(PROGRAM).resolve().parent / "poisson-hypre.so").exists():
            summary = self.solved(3, "pieces", "output.formats=[vtk]", "output.fields=[u, flux, group]",
                                  "solver.amg=hypre", case=CONFIGS / "mesh-ball.yaml")
            summaries["pieces/solution.pvtu"] = summary
        found = self.opened(list(summaries))
        for path, summary in summaries.items():
            with self.subTest(path=path):
                self.assertEqual(found[path]["range"], [summary["solution"]["min"], summary["solution"]["max"]])
                self.assertAlmostEqual(found[path]["integral"], summary["solution"]["integral"],
                                       delta=0.02 * abs(summary["solution"]["integral"]))
                self.assertGreater(found[path]["colours"], 50)

    def test_steps_in_time(self):
        subprocess.run([PYTHON, f"{ROOT}/examples/time_steps.py", "--program", PROGRAM, "--steps", "3",
                        CONFIGS / "time-step.yaml", self.directory / "steps"], check=True, stdout=subprocess.DEVNULL)
        found = self.opened(["steps/time-step.vti.series"], SERIES)
        self.assertEqual(found["times"], [0.5, 1.0, 1.5])
        for number, (low, high) in enumerate(found["ranges"], 1):
            summary = json.loads((self.directory / f"steps/step-{number:04}/summary.json").read_text(encoding="utf-8"))
            self.assertEqual((low, high), (summary["solution"]["min"], summary["solution"]["max"]))


if __name__ == "__main__":
    if PARAVIEW is None:
        print("no pvbatch with its Python modules, or no xvfb-run")
        sys.exit(77)
    main()
