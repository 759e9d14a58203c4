#!/usr/bin/env python3
"""Tests user input: arguments split by a shell, files that are not configurations, and layers and ambient values in
complete runs.

    test_input.py POISSON_PROGRAM SOURCE_DIRECTORY [unittest arguments]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
SOURCE = pathlib.Path(sys.argv[2]).resolve()

BOX = "domain: {lower: [0, 0, 0], upper: [1, 1, 1.7e-3]}\n"
LAYERS = BOX + """\
grid: {cells: [6, 5], axes: {z: {segments: [[1.6e-3, 4], [1e-4, 2]]}}}
equation: {coefficient: "z < 1.6e-3 ? 1 : 3", source: 1e3*x}
boundary: {z+: {robin: {alpha: 2 + x, ambient: 5*y}}}
output: {formats: [vtk, hdf5]}
"""


class Input(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)
        (self.directory / "case.yaml").write_text(LAYERS, encoding="utf-8")

    def poisson(self, *arguments, **options):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=self.directory, **options)

    def summary(self, name):
        return json.loads((self.directory / name / "summary.json").read_text(encoding="utf-8"))

    def refusal(self, *arguments):
        run = self.poisson(*arguments)
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        return run.stderr

    def test_assignments_that_the_shell_has_cut(self):
        cut = "poisson: --set grid.cells=[6, ends at a blank, where the shell split it; quote it: --set '{}'\n"
        for tail in ((), ("--quiet",), ("case.yaml",)):
            self.assertEqual(self.refusal("--set", "grid.cells=[6,", "5,", "7]", *tail),
                             cut.format("grid.cells=[6, 5, 7]"))
        for before in (("case.yaml", "-s"), ("case.yaml", "--set", "solver.cycle=w")):
            self.assertEqual(self.refusal(*before, "grid.cells=[6,", "5]"), cut.format("grid.cells=[6, 5]"))
        self.assertIn("quote it: --set 'boundary.x-={neumann: -1}'",
                      self.refusal("case.yaml", "--set=boundary.x-={neumann:", "-1}"))
        self.assertIn("quote it: --set 'output.probes=[[1, 2'",
                      self.refusal("case.yaml", "--set", "output.probes=[[1,", "2"))
        self.assertIn("unexpected argument y; a run accepts one configuration; quote a value with blanks",
                      self.refusal("case.yaml", "--set", "equation.source=x", "y"))

    def test_expressions_that_the_shell_has_cut(self):
        cut = "poisson: --set {} ends at a blank, where the shell split it; quote it: --set '{}'\n"
        for words in ("equation.source=x + 1", "equation.source=x - 1", "equation.source=2* y",
                      "equation.source=x > 0 ? 1 : 2", "equation.source=x == 1", "equation.source=x /2"):
            first, *rest = words.split()
            for before, after in (((), ("case.yaml",)), (("case.yaml",), ()), (("case.yaml",), ("--quiet",)),
                                  (("case.yaml",), ("solver.cycle=w",)), ((), ("--validate", "case.yaml"))):
                self.assertEqual(self.refusal(*before, "--set", first, *rest, *after), cut.format(first, words))
        run = self.poisson("--set", "equation.source=x", "-", "--validate", input=LAYERS)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        (self.directory / "case").write_text(LAYERS, encoding="utf-8")
        for file in ("case", str(self.directory / "case")):
            run = self.poisson("--set", "equation.source=x", file, "--validate")
            self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_assignments_without_their_sign(self):
        for words in (("solver.tolerance", "1e-6"), ("solver.tolerance", "=", "1e-6"), ("solver.tolerance=", "1e-6"),
                      ("solver.tolerance:", "1e-6"), ("solver.tolerance", "=1e-6")):
            message = self.refusal("case.yaml", "--set", *words)
            self.assertIn("key and value must be one word; write --set solver.tolerance=1e-6\n", message)
        self.assertIn("write --set grid.cells='[4, 4, 6]'\n", self.refusal("--set", "grid.cells", "[4, 4, 6]"))
        for words in (("solver.tolerance", "case.yaml"), ("solver.tolerance", "solver.cycle=w", "case.yaml")):
            self.assertIn("is not an assignment; write --set key.path=value", self.refusal("--set", *words))

    def test_whole_assignments_are_left_alone(self):
        for words in (("--set", "grid.cells=[6, 5, 6]", "case.yaml"), ("case.yaml", "--set", "boundary.x-=", "--quiet"),
                      ("--set", "title='[a'", "case.yaml"), ("--set", "solver.cycle=w", "title=a b", "case.yaml"),
                      ("--set", "equation.source=-1", "case.yaml", "--validate"),
                      ("--set", "boundary.x-=", "case.yaml")):
            run = self.poisson(*words, "--validate")
            self.assertEqual((run.returncode, run.stderr), (0, ""), words)

    def test_layers_in_a_whole_run(self):
        run = self.poisson("case.yaml", "--dry-run")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("cells 5e-05 to 0.2 wide", " ".join(run.stdout.split()))
        run = self.poisson("case.yaml", "--set", "output.directory=one")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        summary = self.summary("one")
        self.assertEqual(summary["config"]["grid"]["cells"], [6, 5, 6])
        self.assertEqual(summary["config"]["grid"]["axes"]["z"], {"segments": [[1.6e-3, 4], [1e-4, 2]]})
        self.assertEqual([f["name"] for f in summary["files"]], ["solution.vtr", "solution.h5"])
        # The same nodes in explicit form must give the same problem, and its solution starts the next run.
        nodes = "grid.axes.z={nodes: [0, 0.4e-3, 0.8e-3, 1.2e-3, 1.6e-3, 1.65e-3, 1.7e-3]}"
        run = self.poisson("case.yaml", "--set", nodes, "output.directory=two",
                           "solver.initial={file: one/solution.h5, dataset: /u}")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertAlmostEqual(self.summary("two")["solution"]["max"] / summary["solution"]["max"], 1, delta=1e-7)

    def test_an_ambient_value_solves_what_the_right_hand_side_does(self):
        forms = {"ambient": "{alpha: 2 + x, ambient: 5*y}", "value": "{alpha: 2 + x, value: (2 + x)*(5*y)}"}
        for scheme in ("{centering: node}", "{centering: cell}", "{scheme: q1}"):
            for faces in ("{{robin: {}}}", "[{{where: y < 0.5, robin: {}}}, {{dirichlet: 1}}]"):
                for name, form in forms.items():
                    run = self.poisson("case.yaml", "--set", f"output.directory={name}", "output.formats=[]",
                                       "boundary.z+=" + faces.format(form), f"discretization={scheme}")
                    self.assertEqual((run.returncode, run.stderr), (0, ""))
                one, other = (self.summary(name) for name in forms)
                for part in ("solution", "flux", "balance", "iterations"):
                    self.assertEqual(one[part], other[part])

    def test_a_summary_is_told_from_its_configuration(self):
        self.poisson("case.yaml", "--set", "output.directory=one", "output.formats=[]")
        for overrides in ((), ("--set", "solver.cycle=w")):
            message = self.refusal("one/summary.json", *overrides)
            self.assertEqual(message, "one/summary.json:1:1: is the summary of a run; save its member "
                                      "`config` as a separate file and solve that\n")
        (self.directory / "again.json").write_text(json.dumps(self.summary("one")["config"]), encoding="utf-8")
        self.assertEqual(self.poisson("again.json", "--validate").returncode, 0)

    def test_meshes_are_told_as_such(self):
        for name in ("box.msh", "body.STL"):
            (self.directory / name).write_bytes(b"\x00\xff")
            self.assertIn(f"{name}: is a mesh, not a configuration; write grid: {{type: unstructured", self.refusal(name))

    def test_stacks_that_no_thread_can_have(self):
        own = {**os.environ, "OMP_NUM_THREADS": "2"}
        run = self.poisson("case.yaml", "--validate", env={**own, "OMP_STACKSIZE": "300000g"})
        self.assertEqual(run.returncode, 1)
        self.assertIn("with the stacks of OMP_STACKSIZE=300000g: unset that variable", run.stderr)
        for size in ("8m", "4096", " 2 M ", "nonsense"):
            run = self.poisson("case.yaml", "--validate", env={**own, "OMP_STACKSIZE": size})
            self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
