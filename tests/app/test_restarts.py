#!/usr/bin/env python3
"""Tests runs that start from a result, and runs in a precision that cannot represent their problem.

    test_restarts.py POISSON_PROGRAM [unittest arguments]
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)

METHODS = ("auto", "direct", "multigrid", "cg", "jacobi")
CELLS = {"plane": [14, 11], "space": [8, 9, 7]}
STRETCHED = {"y": {"stretching": "tanh", "strength": 2}}
FACES = {
    "mixed": {"x-": {"dirichlet": "1 + y"}, "x+": {"robin": {"alpha": 2, "ambient": 3}}, "y-": {"neumann": 0.5},
              "y+": [{"where": "x < 0.5", "dirichlet": 2}, {"neumann": 0}]},
    "kinds": {"x-": {"dirichlet": "1 + y"}, "x+": {"robin": {"alpha": 2, "ambient": 3}}, "y-": "periodic",
              "y+": "periodic"},
    "lid": {"y+": {"dirichlet": 1}},
    "insulated": {"default": {"neumann": 0}},
}
SOURCES = {"mixed": 1, "kinds": "x - y", "lid": 0, "insulated": "cos(pi*x)"}


class Runs(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)

    def poisson(self, case):
        """Returns the exit status, and the summary or else the messages."""
        (self.directory / "case.yaml").write_text(json.dumps(case), encoding="utf-8")
        shutil.rmtree(self.directory / "results", ignore_errors=True)
        run = subprocess.run([PROGRAM, "case.yaml", "--quiet", "--threads", "1"], capture_output=True, text=True,
                             cwd=self.directory)
        summary = self.directory / "results/summary.json"
        return run.returncode, json.loads(summary.read_text(encoding="utf-8")) if summary.exists() else run.stderr


class Restarts(Runs):
    def restart(self, case, about):
        """Solves, and solves again from the result, which must need no iterations."""
        status, first = self.poisson(case)
        self.assertEqual(status, 0, f"{about}: {first}")
        name = next(file["name"] for file in first["files"] if file["name"].endswith((".h5", ".hdf")))
        shutil.copy(self.directory / "results" / name, self.directory / name)
        dataset = "/u" if name.endswith(".h5") else "/VTKHDF/PointData/u"
        case["solver"]["initial"] = {"file": name, "dataset": dataset}
        status, again = self.poisson(case)
        del case["solver"]["initial"]
        self.assertEqual(status, 0, f"{about}: {again}")
        self.assertLessEqual(again["iterations"], 1, about)
        self.assertLessEqual(again["residual"]["relative"], case["solver"]["tolerance"], about)
        self.assertLess(again["estimated_error"], 1e-5, about)
        for bound in ("min", "max"):
            self.assertAlmostEqual(again["solution"][bound], first["solution"][bound], delta=1e-6, msg=about)
        return name.rpartition(".")[2], again["method"]

    def check(self, centering, faces):
        endings, methods = set(), set()
        for where, cells in CELLS.items():
            grids = [{"cells": cells}]
            if faces in ("mixed", "kinds"):
                grids.append({"cells": cells, "axes": STRETCHED})
            for grid in grids:
                for method in METHODS:
                    if faces == "mixed" and method == "direct":
                        continue  # mixed faces are not separable
                    case = {"domain": {"lower": [0] * len(cells), "upper": [1] * len(cells)}, "grid": grid,
                            "equation": {"source": SOURCES[faces]}, "boundary": FACES[faces],
                            "discretization": {"centering": centering},
                            "solver": {"method": method, "tolerance": 1e-8, "max_iterations": 5000},
                            "output": {"formats": ["hdf5"], "directory": "results"}}
                    ending, used = self.restart(case, (where, grid, method, centering, faces))
                    endings.add(ending)
                    methods.add(used)
        return endings, methods

    def test_nodes(self):
        self.assertEqual(self.check("node", "mixed")[0], {"h5", "hdf"})
        self.assertLessEqual({"direct", "multigrid", "cg", "jacobi"}, self.check("node", "kinds")[1])

    def test_cells(self):
        self.check("cell", "mixed")
        self.assertLessEqual({"direct", "multigrid", "cg", "jacobi"}, self.check("cell", "kinds")[1])

    def test_data_of_one_face_alone(self):
        self.check("node", "lid")
        self.check("cell", "lid")

    def test_insulated(self):
        self.check("node", "insulated")
        self.check("cell", "insulated")

    def test_materials_with_gaps(self):
        """Cells of insulators have no value in the file."""
        for cells in ([20, 17, 14], [33, 26], [40, 37, 3]):
            ends = [0.4] * len(cells)
            case = {"domain": {"lower": [0] * len(cells), "upper": [1] * len(cells)}, "grid": {"cells": cells},
                    "materials": {"air": {"coefficient": 1}, "core": {"coefficient": 200, "power": 3},
                                  "hole": "insulator", "held": {"fixed": 2}},
                    "background": "air",
                    "bodies": [{"material": "core", "box": {"lower": [0.1] * len(cells), "upper": ends}},
                               {"material": "hole", "sphere": {"center": [0.6] * len(cells), "radius": 0.2}},
                               {"material": "held", "box": {"lower": [0.8, 0.1, 0][:len(cells)],
                                                            "upper": [0.9, 0.3, 1][:len(cells)]}}],
                    "boundary": {"x-": {"dirichlet": 0}, "default": {"neumann": 0}},
                    "solver": {"method": "multigrid", "tolerance": 1e-8},
                    "output": {"formats": ["hdf5"], "directory": "results"}}
            self.restart(case, cells)


    def test_images_under_bodies(self):
        """Bodies cover an image of pores, whose grains have no value in the file."""
        for shape in ([31, 20, 17], [40, 33, 3], [57, 38]):
            strides = [1, shape[0], shape[0] * shape[1]]
            count = strides[len(shape) - 1] * shape[-1]
            (self.directory / "image.raw").write_bytes(
                bytes(255 if n * 2654435761 % 2**32 < 2**30 else 0 for n in range(count)))
            case = {"image": {"file": "image.raw", "type": "uint8", "shape": shape,
                              "materials": {0: "pore", 255: "grain"}},
                    "materials": {"pore": {"coefficient": 1}, "grain": "insulator",
                                  "core": {"coefficient": 1000, "power": 3}},
                    "bodies": [{"material": "core", "sphere": {"center": [n / 2 for n in shape], "radius": 5}}],
                    "boundary": {"x-": {"dirichlet": 0}, "x+": {"robin": {"alpha": 0.5, "ambient": 2}},
                                 "default": {"neumann": 0}},
                    "solver": {"method": "multigrid", "tolerance": 1e-8},
                    "output": {"formats": ["hdf5"], "directory": "results"}}
            self.restart(case, shape)


class SinglePrecision(Runs):
    """A precision that cannot represent the problem must not end a run with status 1."""

    def test_extreme_boxes(self):
        widened = 0
        for upper in ([1e-6, 1], [1, 1e-6, 1], [1e-9, 1e-9]):
            for expansion in (1, 1e3, 1e6):
                for kappa in (1, 1e12, 1e-12, {"x": 1e6, "y": 1e-6}):
                    axes = {name: {"stretching": "geometric", "expansion": expansion} for name in "xyz"[:len(upper)]}
                    if isinstance(kappa, dict) and len(upper) == 3:
                        kappa = kappa | {"z": 1}
                    case = {"domain": {"lower": [0] * len(upper), "upper": upper},
                            "grid": {"cells": [8, 7, 5][:len(upper)]} | ({"axes": axes} if expansion > 1 else {}),
                            "equation": {"coefficient": kappa, "source": 1},
                            "boundary": {"default": {"neumann": 0}, "x+": {"dirichlet": 1}},
                            "solver": {"method": "multigrid", "precision": "single", "tolerance": 1e-4},
                            "output": {"formats": [], "directory": "results"}}
                    status, summary = self.poisson(case)
                    self.assertIn(status, (0, 3), (upper, expansion, kappa, summary))
                    steps = summary.get("steps", [])
                    widened += bool(steps) and "in single precision): restart in mixed precision" in steps[0]
        self.assertGreater(widened, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
