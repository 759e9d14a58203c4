#!/usr/bin/env python3
"""Runs on meshes: hypre against the own solver by several processes, pieces of files, and all files in ParaView's VTK.

    test_mesh_runs.py POISSON_PROGRAM ROOT FAULT_SHIM [unittest arguments]
"""

import json
import re
import subprocess
import unittest
from pathlib import Path

from several_processes import CONFIGS, PROGRAM, PYTHON, SeveralProcesses, main

# Prints points, cells and the range of u of each file, as VTK reads them.
READ = r"""
import json, sys
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader, vtkXMLPUnstructuredGridReader
found = {}
for path in sys.argv[1:]:
    if path.endswith(".hdf"):
        from vtkmodules.vtkIOHDF import vtkHDFReader
        reader = vtkHDFReader()
    else:
        reader = vtkXMLPUnstructuredGridReader() if path.endswith(".pvtu") else vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutputDataObject(0)
    cells = grid.GetCellData()
    found[path] = {"points": grid.GetNumberOfPoints(), "cells": grid.GetNumberOfCells(), "bounds": grid.GetBounds(),
                   "range": grid.GetPointData().GetArray("u").GetRange(),
                   "flux": cells.GetArray("flux").GetNumberOfComponents(),
                   "groups": cells.GetArray("group").GetRange(),
                   "volume": sum(abs(grid.GetCell(c).GetNumberOfPoints()) for c in range(grid.GetNumberOfCells()))}
print(json.dumps(found))
"""


def has_hypre():
    return (Path(PROGRAM).resolve().parent / "poisson-hypre.so").exists()


class MeshRuns(SeveralProcesses):
    def mesh(self, count, folder, name, *assignments):
        return self.solved(count, folder, *assignments, case=CONFIGS / f"{name}.yaml")

    def read(self, *paths):
        self.write("read.py", READ)
        run = subprocess.run([PYTHON, "read.py", *paths], cwd=self.directory, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, check=False)
        if run.returncode and "No module named 'vtkmodules.vtkIOHDF'" in run.stderr:
            self.skipTest("this VTK reads no VTKHDF")
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_hypre_agrees_with_the_own_solver(self):
        if not has_hypre():
            self.skipTest("a program without hypre")
        for name, counts in (("mesh-l-shape", (0, 2, 4)), ("mesh-ball", (4,)), ("mesh-bracket", (2,))):
            own = self.mesh(0, f"{name}-own", name)
            size = max(abs(own["solution"]["min"]), abs(own["solution"]["max"]))
            for count in counts:
                with self.subTest(name=name, count=count):
                    found = self.mesh(count, f"{name}-{count}", name, "solver.amg=hypre")
                    self.assertTrue(found["converged"], found["reason"])
                    for key in ("min", "max", "l2", "integral"):
                        self.assertAlmostEqual(found["solution"][key], own["solution"][key], delta=1e-6 * size)
                    for mine, other in zip(own["faces"], found["faces"]):
                        scale = max(abs(face["flow"]) for face in own["faces"])
                        self.assertAlmostEqual(other["flow"], mine["flow"], delta=1e-6 * scale)

    def test_hypre_solves_singular_problems(self):
        if not has_hypre():
            self.skipTest("a program without hypre")
        data = ("boundary={default: {neumann: 0}}", "equation={source: x}", "materials={}")
        own = self.mesh(0, "own", "mesh-l-shape", *data)
        found = self.mesh(2, "hypre", "mesh-l-shape", *data, "solver.amg=hypre")
        self.assertTrue(found["converged"], found["reason"])
        for key in ("min", "max", "l2"):
            self.assertAlmostEqual(found["solution"][key], own["solution"][key], delta=1e-6)

    def test_hypre_solves_matrices(self):
        if not has_hypre():
            self.skipTest("a program without hypre")
        rows = [f"{i} {j} {2.01 if i == j else -1}" for i in range(1, 101) for j in (i - 1, i, i + 1) if 0 < j < 101]
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n100 100 298\n" + "\n".join(rows))
        self.write("matrix.yaml", "grid: {type: matrix, file: a.mtx}\nequation: {source: 1}\n")
        case = self.directory / "matrix.yaml"
        own = self.solved(0, "own", case=case)
        found = self.solved(0, "hypre", "solver.amg=hypre", case=case)
        self.assertTrue(found["converged"], found["reason"])
        self.assertNotEqual(found["residual"]["history"], own["residual"]["history"])
        for key in ("min", "max", "l2"):
            self.assertAlmostEqual(found["solution"][key], own["solution"][key], delta=1e-6 * own["solution"]["max"])

    def test_several_processes_need_hypre(self):
        run = self.poisson(2, case=CONFIGS / "mesh-l-shape.yaml")
        self.assertEqual(run.returncode, 2)
        self.assertRegex("\n".join(self.message(run)), "several processes solve meshes with solver.amg: hypre only")

    def test_blocks_are_shared(self):
        """Processes must agree with one process, with cut blocks and without."""
        for name, counts in (("l-shape", (2, 3)), ("bend", (2, 3)), ("heat-sink", (3,))):
            case = CONFIGS / f"blocks-{name}.yaml"
            more = ("solver.tolerance=1e-10", "output.formats=[]")
            wanted = self.solved(0, "one", *more, case=case)
            for count in counts:
                found = self.solved(count, "other", *more, case=case)
                self.near(found, wanted, 1e-8, f"{name}, {count} processes")

    # A list of conditions on a patch gives the answer of a patch for each condition.
    def test_conditions_of_lists(self):
        blocks = """grid:
  type: blocks
  cells: 8
  vertices: [[0, 0], [1, 0], [2.2, 0.1], [0, 1], [1, 1.2], [2, 1]]
  blocks: [{corners: [0, 1, 4, 3]}, {corners: [1, 2, 5, 4]}]
  patches: %s
equation: {source: x*y}
boundary: %s
output: {formats: []}
"""
        ways = {"list": ("{floor: [[0, 1], [1, 2]]}",
                         "{floor: [{where: x < 1, dirichlet: 1}, {robin: {alpha: 2, value: 3}}], default: "
                         "[{where: y > 0.95, neumann: x}, {neumann: 0}]}"),
                "patches": ("{floor: [[0, 1]], more: [[1, 2]], top: [[3, 4], [4, 5]]}",
                            "{floor: {dirichlet: 1}, more: {robin: {alpha: 2, value: 3}}, top: {neumann: x}, default: "
                            "{neumann: 0}}")}
        found = {}
        for name, of in ways.items():
            self.write(f"{name}.yaml", blocks % of)
            found[name] = self.solved(0, name, case=Path(self.directory) / f"{name}.yaml")
            self.assertTrue(found[name]["converged"])
        for key in ("min", "max", "l2", "integral"):
            self.assertAlmostEqual(found["list"]["solution"][key], found["patches"]["solution"][key], delta=1e-9)
        faces = {face["name"]: face for face in found["list"]["faces"]}
        others = {face["name"]: face for face in found["patches"]["faces"]}
        self.assertEqual(faces["floor"]["condition"], "several")
        self.assertEqual(faces["floor"]["cells"], 16)
        for mine, theirs in (("floor[0]", "floor"), ("floor[1]", "more"), ("default[0]", "top")):
            for key in ("flow", "area", "mean", "min", "max"):
                self.assertAlmostEqual(faces[mine][key], others[theirs][key], delta=1e-9)
        self.assertAlmostEqual(found["list"]["flux"]["floor"], others["floor"]["flow"] + others["more"]["flow"],
                               delta=1e-9)

    # A list on points alone has no area, and its mean is that of the points. Flows of a constant are rounding.
    def test_conditions_of_points(self):
        nodes = [f"{1 + i + 5 * j} {i / 4} {j / 4} 0" for j in range(5) for i in range(5)]
        squares = [f"3 2 0 1 {a} {a + 1} {a + 6} {a + 5}" for a in range(1, 20) if a % 5]
        elements = [f"{i + 1} {e}" for i, e in enumerate(["15 2 1 1 1", "15 2 1 1 5", "15 2 1 1 25"] + squares)]
        self.write("points.msh", "\n".join(
            ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "1", '0 1 "pins"', "$EndPhysicalNames",
             "$Nodes", "25", *nodes, "$EndNodes", "$Elements", str(len(elements)), *elements, "$EndElements", ""]))
        text = "grid: {type: unstructured, file: points.msh}\noutput: {formats: []}\nboundary: {pins: %s}\n"
        self.write("points.yaml", text % "[{where: x < 0.5, dirichlet: 1}, {dirichlet: 4}], default: {neumann: 0}")
        case = Path(self.directory) / "points.yaml"
        faces = {face["name"]: face for face in self.solved(0, "points", case=case)["faces"]}
        self.assertAlmostEqual(faces["pins"]["mean"], 3, delta=1e-12)
        self.assertAlmostEqual(faces["pins[1]"]["mean"], 4, delta=1e-12)
        self.write("points.yaml", text % "{dirichlet: 1}, default: {neumann: 0}")
        run = self.poisson(0, case=case)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("balance although", run.stdout + run.stderr)

    def test_restarts(self):
        """A run starts from its own result, also if sides are periodic and other processes share the blocks."""
        grid = {"type": "blocks", "cells": 40, "vertices": [[0, 0], [1, 0], [2, 0], [0, 1], [1.2, 0.9], [2, 1]],
                "blocks": [{"corners": [0, 1, 4, 3]}, {"corners": [1, 2, 5, 4]}],
                "patches": {"left": [[0, 3]], "right": [[2, 5]]}, "periodic": [["left", "right"]]}
        ring = {"type": "unstructured", "file": str(CONFIGS / "meshes/ring.msh")}
        for name, of in (("blocks", grid), ("mesh", ring)):
            self.write(f"{name}.yaml", json.dumps({
                "grid": of, "equation": {"source": "1 + sin(3*x)"}, "solver": {"tolerance": 1e-9},
                "output": {"formats": ["hdf5"]}}))
            case = Path(self.directory) / f"{name}.yaml"
            first = self.solved(0, name, case=case)
            self.assertGreater(first["iterations"], 3)
            start = "solver.initial={file: %s, dataset: /VTKHDF/PointData/u}" % (self.directory / name / "solution.hdf")
            for count in (0, 2) if name == "blocks" else (0,):
                again = self.solved(count, "again", start, "solver.tolerance=2e-9", case=case)
                self.assertLessEqual(again["iterations"], 1)
                for key in ("max", "l2", "integral"):
                    self.assertAlmostEqual(again["solution"][key] / first["solution"][key], 1, delta=1e-7)
        run = self.poisson(0, start, case="blocks.yaml")
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stderr, r"solver.initial: the dataset has \d+ values, but the mesh has a list of 3321 points")
        run = self.poisson(0, start.replace("Data/u", "Data/v"), case="blocks.yaml")
        self.assertEqual(run.returncode, 2)
        self.assertIn("solver.initial: ", run.stderr)

    def test_blocks_beyond_the_memory(self):
        """Counts of cells are compared with the memory before the mesh is made; a block needs a free node."""
        grid = {"type": "blocks", "vertices": [[0, 0], [1, 0], [1, 1], [0, 1]], "blocks": [{"corners": [0, 1, 2, 3]}]}
        for cells, message in ((20000, "needs about 32 GB on the host, but ulimit -v allows"),
                               (1, "give u at all nodes of the blocks")):
            self.write("large.yaml", json.dumps({"grid": {**grid, "cells": cells}, "output": {"formats": []}}))
            run = subprocess.run(["bash", "-c", f"ulimit -v 4000000; {PROGRAM} large.yaml"], cwd=self.directory,
                                 capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(message, run.stderr)

    # Points on edges belong to two patches. Flows of a linear u are exact there too, whatever corner comes first.
    def test_flows_of_warped_blocks(self):
        places = [(0, 0, 0.1), (1.1, 0, -0.1), (1, 0.9, 0.2), (0.1, 1, 0), (0, 0.1, 1), (0.9, -0.1, 1.2), (1, 1, 0.8),
                  (-0.1, 1.1, 1)]
        sides = {"bottom": (3, 2, 1, 0), "top": (4, 5, 6, 7), "front": (0, 1, 5, 4), "back": (2, 3, 7, 6),
                 "left": (3, 0, 4, 7), "right": (1, 2, 6, 5)}  # counterclockwise as seen from outside

        def flow(corners):
            a, b, c, d = (places[corner] for corner in corners)
            (x, y, z), (u, v, w) = ([q - p for p, q in zip(*ends)] for ends in ((a, c), (b, d)))
            return (2 * (y * w - z * v) - (z * u - x * w) + 3 * (x * v - y * u)) / 2

        for corners in ("0, 1, 2, 3, 4, 5, 6, 7", "1, 2, 3, 0, 5, 6, 7, 4", "6, 5, 4, 7, 2, 1, 0, 3"):
            grid = {"type": "blocks", "cells": 3, "vertices": places, "patches": {n: [c] for n, c in sides.items()},
                    "blocks": [{"corners": json.loads(f"[{corners}]")}]}
            case = Path(self.directory) / "warped.yaml"
            self.write(case.name, json.dumps({"grid": grid, "output": {"formats": []},
                                              "boundary": {n: {"dirichlet": "2*x - y + 3*z"} for n in sides}}))
            flows = {face["name"]: face["flow"] for face in self.solved(0, "warped", case=case)["faces"]}
            for name, wanted in sides.items():
                self.assertAlmostEqual(flows[name], flow(wanted), delta=1e-9, msg=f"{corners}: {name}")

    def test_boxes_refuse_hypre(self):
        run = self.poisson(0, "solver.amg=hypre")
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stderr, "solver.amg: hypre solves meshes")

    def test_files(self):
        formats = "output.formats=[vtk, hdf5]"
        one = self.mesh(0, "one", "mesh-ball", formats)
        paths = ["one/solution.vtu", "one/solution.hdf"]
        if has_hypre():
            several = self.mesh(3, "three", "mesh-ball", formats, "solver.amg=hypre")
            self.assertEqual(sorted(file["name"] for file in several["files"] if "solution" in file["name"]),
                             ["solution.hdf", "solution.pvtu", "solution_0.vtu", "solution_1.vtu", "solution_2.vtu"])
            paths += ["three/solution.pvtu", "three/solution.hdf"]
        found = self.read(*paths)
        first = found[paths[0]]
        self.assertEqual(first["range"], [one["solution"]["min"], one["solution"]["max"]])
        for path in paths[1:]:
            with self.subTest(path=path):
                for key in ("cells", "bounds", "flux", "groups", "volume"):
                    self.assertEqual(found[path][key], first[key], key)
                for mine, other in zip(first["range"], found[path]["range"]):
                    self.assertAlmostEqual(mine, other, delta=1e-6)

    def test_pictures(self):
        for name in ("mesh-ring", "mesh-bracket"):
            summary = self.mesh(0, name, name, "output.formats=[png]")
            self.assertIn("solution.png", [file["name"] for file in summary["files"]])
            self.assertEqual((self.directory / name / "solution.png").read_bytes()[:4], b"\x89PNG")

    def test_matrices(self):
        lines = [f"{i} {i} 2" for i in range(1, 101)] + [f"{i + 1} {i} -1" for i in range(1, 100)]
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n100 100 199\n" + "\n".join(lines) + "\n")
        self.write("m.yaml", "grid: {type: matrix, file: a.mtx}\nequation: {source: 1}\n"
                             "output: {fields: [u, residual], formats: [mtx, npy]}\n")
        summary = self.solved(0, "m", case="m.yaml")
        self.assertTrue(summary["converged"])
        self.assertEqual((summary["matrix"]["rows"], summary["matrix"]["entries"]), (100, 298))
        values = [float(line) for line in (self.directory / "m/u.mtx").read_text().splitlines()[2:]]
        for i, value in enumerate(values, 1):
            self.assertAlmostEqual(value, i * (101 - i) / 2, delta=1e-4)
        listed = self.poisson(0, case="m.yaml", options=("--validate",)).stdout
        self.assertRegex(listed, re.compile("100 rows, 298 entries.*symmetric.*valid", re.S))
        run = self.poisson(0, case="m.yaml", options=("--dry-run",))
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_validation_lists_groups(self):
        run = self.poisson(0, "boundary={outer: {dirichlet: 0}}", case=CONFIGS / "mesh-l-shape.yaml",
                           options=("--validate",))
        self.assertRegex(run.stdout, r"corner +1 +1 .*not named in the configuration")
        self.assertRegex(run.stdout, r"plate +2 +\d+ +\d+ +3 ")
        wrong = self.poisson(0, "boundary={cornr: {dirichlet: 0}}", case=CONFIGS / "mesh-l-shape.yaml",
                             options=("--validate",))
        self.assertRegex(wrong.stderr, "no group of this name.*corner")


if __name__ == "__main__":
    main()
