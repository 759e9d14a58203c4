#!/usr/bin/env python3
"""Runs the scripts of examples/ that use the program and checks their results.

    test_examples.py POISSON_PROGRAM SOURCE_DIRECTORY [unittest arguments]
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
PYTHON = "/usr/bin/python3"  # has the distribution's h5py


class TimeSteps(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "results, of steps"

    def stepped(self, *arguments, steps):
        run = subprocess.run([PYTHON, SOURCE / "examples/time_steps.py", "--program", PROGRAM, "--steps", str(steps),
                              SOURCE / "configs/time-step.yaml", self.folder, *arguments], capture_output=True,
                             text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
        self.assertEqual(len(run.stdout.splitlines()), steps)
        return [json.loads((self.folder / f"step-{number:04}/summary.json").read_text(encoding="utf-8"))
                for number in range(1, steps + 1)]

    @staticmethod
    def factor(cells, widths, dt):
        """Returns the factor by which a step multiplies the first mode."""
        rate = sum((2 * n / w * math.sin(math.pi / (2 * n))) ** 2 for n, w in zip(cells, widths))
        return 1 / (1 + dt * 50 / 3.9e6 * rate)

    def test_each_step_multiplies_the_mode_by_the_known_factor(self):
        # An odd number of cells has a central cell.
        steps, cells = 6, (33, 17)
        found = self.stepped("--set", "grid.cells=[33, 17]", "parameters.dt=0.8", steps=steps)
        for number, summary in enumerate(found, 1):
            wanted = 20 + 80 * self.factor(cells, (0.04, 0.02), 0.8) ** number
            self.assertAlmostEqual(summary["solution"]["max"], wanted, delta=1e-9, msg=f"step {number}")

    def test_heat_reaches_the_steady_state(self):
        # A plate with q = 1e7 W/m³ is cooled only at its long edges: b² q/(8 κ) = 10 °C in the middle.
        settings = ("--set", "parameters.q=1e7", "parameters.dt=1000", "boundary.x-={neumann: 0}",
                    "boundary.x+={neumann: 0}")
        last = self.stepped(*settings, steps=3)[-1]
        # Cell centres are h²/8 q/κ below the parabola, and the wall is half a cell away.
        self.assertAlmostEqual(last["solution"]["max"], 30, delta=0.02)

    def test_the_series_lists_the_files_with_their_times(self):
        self.stepped("--set", "grid.cells=[8, 4]", "parameters.dt=0.25", steps=3)
        series = json.loads((self.folder / "time-step.vti.series").read_text(encoding="utf-8"))
        self.assertEqual(series["file-series-version"], "1.0")
        self.assertEqual([file["time"] for file in series["files"]], [0.25, 0.5, 0.75])
        for file in series["files"]:
            self.assertTrue((self.folder / file["name"]).is_file(), file["name"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
