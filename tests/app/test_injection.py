#!/usr/bin/env python3
"""Makes runs on a GPU fail: each must end with its message and exit status 1, write a separate summary, and keep
earlier results. Exits with status 77 without a GPU.

    test_injection.py POISSON_PROGRAM
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)

SMALL = """\
title: A small box
domain: {lower: [0, 0, 0], upper: [1, 1, 1]}
grid: {cells: [12, 10, 8]}
equation: {source: 1, coefficient: 1+x*y}
backend: {device: cuda}
output: {directory: results, formats: [hdf5]}
"""


class Injection(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)
        (self.directory / "case.yaml").write_text(SMALL, encoding="utf-8")

    def poisson(self, fault=None):
        environment = {key: value for key, value in os.environ.items() if key != "POISSON_INJECT"}
        if fault:
            environment["POISSON_INJECT"] = fault
        return subprocess.run([PROGRAM, "--config", "case.yaml"], cwd=self.directory, env=environment, timeout=120,
                              capture_output=True, text=True)

    def summary(self):
        return json.loads((self.directory / "results/summary.json").read_text(encoding="utf-8"))

    def check_failure(self, run, *parts):
        """Checks that the run failed as expected; `parts` must be in its message."""
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        for part in ("poisson: ", "backend.device: cpu", *parts):
            self.assertIn(part, run.stderr)
        failed = self.directory / "results/summary.failed.json"
        summary = json.loads(failed.read_text(encoding="utf-8"))
        failed.unlink()
        self.assertEqual({path.name: path.read_bytes() for path in failed.parent.iterdir()}, self.earlier)
        self.assertFalse(summary["converged"])
        self.assertEqual("poisson: " + summary["reason"] + "\n", run.stderr)
        self.assertIsNone(summary["solution"]["max"])
        self.assertEqual((summary["error"], summary["probes"]), (None, []))

    def check_success(self, run):
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
        self.assertTrue(self.summary()["converged"])
        self.earlier = {path.name: path.read_bytes() for path in (self.directory / "results").iterdir()}
        self.assertEqual(sorted(self.earlier), ["solution.hdf", "summary.json"])

    def test_without_a_fault(self):
        self.check_success(self.poisson())

    def test_unknown_fault(self):
        run = self.poisson("memory:1")
        self.assertEqual(run.returncode, 2)
        self.assertIn("POISSON_INJECT", run.stderr)

    def test_out_of_memory_at_each_allocation_in_turn(self):
        self.check_success(self.poisson())  # its files must remain
        for number in range(1, 10000):
            with self.subTest(allocation=number):
                run = self.poisson(f"allocation:{number}")
                if run.returncode == 0:
                    self.check_success(run)
                    break
                self.check_failure(run, "cannot allocate", "are free", "--dry-run")
        self.assertGreater(number, 20)

    def test_failing_kernels(self):
        self.check_success(self.poisson())
        # A fault after the last kernel, or in a branch that is never executed, must not change the run.
        unharmed, failed, number = 0, 0, 1
        while unharmed < 3:
            with self.subTest(kernel=number):
                run = self.poisson(f"kernel:{number}")
                if run.returncode == 0:
                    unharmed += 1
                    self.check_success(run)
                else:
                    unharmed = 0
                    failed += 1
                    self.check_failure(run, "CUDA: ", "run again")
            number = max(number + 1, int(number * 1.2))
        self.assertGreater(failed, 10)  # small levels share launches


def without_device():
    """Returns why no GPU is available, or an empty string."""
    with tempfile.TemporaryDirectory() as name:
        case = pathlib.Path(name) / "case.yaml"
        case.write_text(SMALL, encoding="utf-8")
        run = subprocess.run([PROGRAM, "--config", str(case)], cwd=name, capture_output=True, text=True)
        return run.stderr.strip() if run.returncode == 2 else ""


if __name__ == "__main__":
    reason = without_device()
    if reason:
        print("skipped:", reason)
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
