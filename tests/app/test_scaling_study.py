#!/usr/bin/env python3
"""Tests scaling studies: the files of the completed runs, and one sentence per error.

    test_scaling_study.py POISSON_PROGRAM ROOT [unittest arguments]

Without mpirun, or if the program has no MPI, the tests count as skipped (status 77).
"""

import csv
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, ROOT = (os.path.abspath(word) for word in sys.argv[1:3])
SCRIPT = pathlib.Path(ROOT) / "scripts" / "poisson-scaling"
MATRIX = str(pathlib.Path(ROOT) / "configs" / "banded.yaml")

CASE = """\
parameters: {n: 20, half: 2}
domain: {lower: [0, 0, -1/half], upper: [1, 1, "min(1, half)"]}
grid: {cells: [n, 19, "max(2*n/half, n) + 4"]}
equation: {source: sin(3 * x) * y + z}
solver: {precision: double}
"""


class ScalingStudy(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)
        self.output = self.directory / "scaling"
        self.environment = {**os.environ, "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        (self.directory / "case.yaml").write_text(CASE, encoding="utf-8")

    def study(self, *words, config="case.yaml"):
        command = [sys.executable, str(SCRIPT), "--config", config, "--repeat", "1", "--program", PROGRAM, "--set",
                   "backend.device=cpu", "--output", "scaling", *words]
        run = subprocess.run(command, cwd=self.directory, text=True, check=False, env=self.environment,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertNotIn("Traceback", run.stderr)
        return run

    def rows(self):
        with open(self.output / "scaling.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_times(self):
        """Checks the parts of the times, and a model from measured messages. Cells may be an arithmetic expression."""
        run = self.study("--ranks", "1,3", "--mode", "both")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"inside a node: .* us and .* GB/s, measured; up to 8 processes")
        self.assertRegex(run.stdout, r"between nodes: .* us and .* GB/s, assumed")
        self.assertIn("all runs take multigrid", run.stdout)
        rows = self.rows()
        self.assertEqual([(row["mode"], row["ranks"], row["unknowns"]) for row in rows],
                         [("strong", "1", "7866"), ("strong", "3", "7866"), ("weak", "1", "7866"),
                          ("weak", "3", str(19 * 18 * 71))])
        for row in rows:
            parts = sum(float(row[part]) for part in ("computing", "exchanges", "coarse", "gathers"))
            self.assertAlmostEqual(parts, float(row["solve"]), delta=1e-6)
            self.assertEqual(row["latency"] != "", row["ranks"] == "3")
            if row["mode"] == "strong":
                self.assertLess(float(row["difference"]), 1e-12)
            else:  # the problem depends on the number of processes
                self.assertEqual(row["difference"], "")
        self.assertEqual("scaling.png" in run.stdout, (self.output / "scaling.png").exists())

    def test_model_of_several_machines(self):
        """Several machines measure messages between nodes. The replicated work of each process must remain in the
        model."""
        self.environment["POISSON_MACHINES"] = "2"
        run = self.study("--ranks", "1,2", "--mode", "both")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"inside a node: .* us and .* GB/s, assumed; up to 8 processes")
        self.assertRegex(run.stdout, r"between nodes: .* us and .* GB/s, measured")
        coarse = min(*(float(row[part]) for row, part in zip(self.rows(), ("solve", "coarse"))))
        self.assertGreater(coarse, 0)
        model = json.loads((self.output / "scaling.json").read_text(encoding="utf-8"))["model"]
        self.assertEqual(model[-1]["ranks"], 10000)
        for predicted in model:
            self.assertGreaterEqual(predicted["seconds"], coarse)

    def test_runs_before_one_that_fails_are_kept(self):
        """Files of an earlier study must not be mistaken for them."""
        self.output.mkdir()
        for name in ("scaling.csv", "scaling.png"):
            (self.output / name).write_text("mode,ranks\nstrong,8\n", encoding="utf-8")
        run = self.study("--ranks", "1,2,23")
        self.assertEqual(run.returncode, 1)
        self.assertIn("too small for 23 processes", run.stderr)
        self.assertEqual([row["ranks"] for row in self.rows()], ["1", "2"])
        run = self.study("--ranks", "23")
        self.assertEqual(run.returncode, 1)
        self.assertFalse(list(self.output.glob("scaling.*")))

    def test_what_has_no_cells_to_multiply(self):
        """Only strong scaling is possible."""
        nodes = ", ".join(f"{axis}: {{nodes: {list(range(13))}}}" for axis in "xyz")
        (self.directory / "nodes.yaml").write_text(f"grid: {{axes: {{{nodes}}}}}\n", encoding="utf-8")
        for config in (MATRIX, "nodes.yaml"):
            self.assertEqual(self.study("--ranks", "1,2", config=config).returncode, 0)
            run = self.study("--ranks", "1,2", "--mode", "weak", config=config)
            self.assertEqual(run.returncode, 1)
            self.assertIn("take --mode strong", run.stderr)

    def test_weak_scaling_keeps_the_shape_of_cells(self):
        """The box must grow with the cells; otherwise other relaxation and fewer iterations would change the
        efficiencies."""
        self.assertEqual(self.study("--ranks", "1,3", "--mode", "weak").returncode, 0)
        one, three = (json.loads((self.output / f"weak-auto-{ranks}" / "summary.json").read_text(encoding="utf-8"))
                      for ranks in (1, 3))
        self.assertEqual(three["unknowns"], 19 * 18 * 71)
        for key in ("least", "widest"):
            self.assertAlmostEqual(three["cell_width"][key], one["cell_width"][key])

    def test_model(self):
        """The model has the dimensions of the problem and up to 10⁴ processes. It uses measured times of coarse
        levels."""
        square = str(pathlib.Path(ROOT) / "configs" / "cavity-2d.yaml")
        sides = {}
        for ranks in ("1", "1,2"):
            run = self.study("--ranks", ranks, config=square)
            self.assertEqual(run.returncode, 0, run.stderr)
            study = json.loads((self.output / "scaling.json").read_text(encoding="utf-8"))
            self.assertEqual(study["model"][-1]["ranks"], 10000)
            sides[ranks] = study
            said = "assumed" if ranks == "1" else "as on 2"
            self.assertIn(f"of coarse levels, which every process computes ({said})", study["assumptions"][0])
        # With 127² unknowns per process, neither 4 nor 10⁴ processes share a coarser level: 8 exchanges of 127 values.
        first, *_ = sides["1"]["runs"]
        at = {(row["mode"], row["ranks"]): row["seconds"] for row in sides["1"]["model"]}
        gather = 7e-6 * 2 + 4 * 127 ** 2 * 4 / 300e9 + 7e-6
        self.assertAlmostEqual(at["weak", 4] - at["weak", 1], first["iterations"] * gather, places=9)
        levels, gather = 5, 25e-6 * math.log2(10000) + (3 << 17) * 4 / 40e9 + 25e-6
        exchanges = sum(8 * (25e-6 + 127 / 2 ** level * 4 / 40e9) for level in range(levels))
        self.assertAlmostEqual(at["weak", 10000] - at["weak", 1], first["iterations"] * (exchanges + gather), places=9)

    def test_runs_that_were_not_what_was_asked_for(self):
        for launcher, said in (("env A={ranks}", "ran on one process instead of 2"), ("true {ranks}", "left no ")):
            run = self.study("--ranks", "1,2", "--launcher", launcher)
            self.assertEqual(run.returncode, 1)
            self.assertIn(said, run.stderr)
            self.assertEqual((self.output / "scaling.csv").exists(), launcher.startswith("env"))

    def test_answers_that_differ(self):
        """The launcher changes the problem between the runs."""
        launcher = "sh -c 'exec mpirun -n {ranks} --bind-to none \"$@\" --set equation.source={ranks}' sh"
        run = self.study("--ranks", "1,2", "--launcher", launcher)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, "^the answer of 2 processes messages differs from that of one process by 1.0e\\+00 of")
        self.assertEqual(len(self.rows()), 2)

    def test_what_cannot_be(self):
        file = str(self.directory / "case.yaml")
        (self.directory / "taken" / "scaling.csv").mkdir(parents=True)
        for words, status, said in ((("--timeout", "1e-3"), 1, "give it more by --timeout"),
                                    (("--timeout", "0"), 2, "--timeout takes seconds"),
                                    (("--repeat", "0"), 2, "--repeat takes a number from 1 on"),
                                    (("--ranks", "2,x"), 2, "not '2,x'"),
                                    (("--ranks", "0"), 2, "numbers from 1 on"),
                                    (("--launcher", "mpirun -n 2"), 2, "has {ranks} where"),
                                    (("--launcher", "nowhere -n {ranks}"), 2, "there is no program nowhere"),
                                    (("--launcher", "mpirun -n {ranks} '"), 2, "is no command line"),
                                    (("--launcher", "env A={no} false {ranks}"), 1, "failed with status 1"),
                                    (("--output", "taken"), 2, "scaling.csv is in the way (Is a directory)"),
                                    (("--output", file), 2, "cannot be made a directory"),
                                    (("--output", file + "/below"), 2, "cannot be made a directory")):
            with self.subTest(words=words):
                run = self.study(*words)
                self.assertEqual(run.returncode, status, run.stderr)
                self.assertIn(said, run.stderr)


if __name__ == "__main__":
    linked = subprocess.run(["ldd", PROGRAM], stdout=subprocess.PIPE, text=True, check=False)
    if not shutil.which("mpirun") or "libmpi" not in linked.stdout:
        print("no mpirun, or a program without MPI")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
