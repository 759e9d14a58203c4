"""Runs the program under mpirun, for tests that are called as

    TEST POISSON_PROGRAM ROOT FAULT_SHIM [unittest arguments]

Without mpirun, or if the program has no MPI, they count as skipped (status 77).
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, ROOT, SHIM = (os.path.abspath(word) for word in sys.argv[1:4])
PYTHON = "/usr/bin/python3"  # has the distribution's VTK and h5py
CONFIGS = pathlib.Path(ROOT) / "configs"
PATIENCE = 10  # seconds within which a run with a lost process must end

SMALL = """\
domain: {lower: [0, 0, 0], upper: [1, 1, 1]}
grid: {cells: [%s]}
equation: {source: sin(3 * x) * y + z}
solver: {precision: double}
output: {directory: results, fields: [u, gradient, residual, source], formats: [vtk]}
"""


class SeveralProcesses(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)
        self.write("case.yaml", SMALL % "20, 19, 23")
        self.environment = {**os.environ, "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl_base_warn_component_unused": "0"}

    def write(self, name, text):
        (self.directory / name).write_text(text, encoding="utf-8")

    def command(self, count, *assignments, case="case.yaml", options=("--quiet",)):
        launcher = ["mpirun", "-n", str(count), "--oversubscribe", "--bind-to", "none"] if count > 0 else []
        words = [word for assignment in ("backend.device=cpu", *assignments) for word in ("--set", assignment)]
        return [*launcher, PROGRAM, "--config", str(case), *words, *options]

    def poisson(self, count, *assignments, **more):
        return subprocess.run(self.command(count, *assignments, **more), cwd=self.directory, text=True, check=False,
                              env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)

    def solved(self, count, name, *assignments, **more):
        run = self.poisson(count, f"output.directory={self.directory / name}", *assignments, **more)
        self.assertIn(run.returncode, (0, 3), run.stderr)
        return json.loads((self.directory / name / "summary.json").read_text(encoding="utf-8"))

    def message(self, run):
        """Returns the program's own lines, without the launcher's."""
        return [line for line in run.stderr.splitlines() if "poisson: " in line or ".yaml" in line]

    def same_fields(self, one, several, bound, files):
        found = subprocess.run([PYTHON, f"{ROOT}/tests/io/same_fields.py", one, several, bound], cwd=self.directory,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual((found.returncode, found.stdout), (0, f"{files} files\n"))

    def near(self, found, wanted, share, what):
        self.assertLessEqual(abs(found["iterations"] - wanted["iterations"]), 1, what)
        size = max(abs(wanted["solution"]["min"]), abs(wanted["solution"]["max"]))
        for key in ("min", "max", "l2"):
            self.assertLessEqual(abs(found["solution"][key] - wanted["solution"][key]), share * size, f"{what}: {key}")


def main():
    linked = subprocess.run(["ldd", PROGRAM], stdout=subprocess.PIPE, text=True, check=False)
    if not shutil.which("mpirun") or "libmpi" not in linked.stdout:
        print("no mpirun, or a program without MPI")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
