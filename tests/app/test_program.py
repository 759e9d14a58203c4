#!/usr/bin/env python3
"""Tests the program from the user's view: exit statuses, messages, files.

    test_program.py POISSON_PROGRAM SOURCE_DIRECTORY [unittest arguments]
"""

import json
import os
import pathlib
import pty
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
SOURCE = pathlib.Path(sys.argv[2]).resolve()
PYTHON = "/usr/bin/python3"  # has the distribution's vtk and h5py

SMALL = """\
title: A small cube
domain: {lower: [0, 0, 0], upper: [1, 1, 1]}
grid: {cells: [12, 10, 8]}
equation: {source: 3*pi^2*sin(pi*x)*sin(pi*y)*sin(pi*z)}
output: {probes: [[0.5, 0.5, 0.5]]}
"""


class Program(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)
        self.config = self.directory / "case.yaml"
        self.config.write_text(SMALL, encoding="utf-8")
        self.results = self.directory / "results"

    def poisson(self, *arguments, config=True, **options):
        command = [PROGRAM, *(["--config", str(self.config), "--set", f"output.directory={self.results}"]
                              if config else []), *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=self.directory, **options)

    def sets(self, **values):
        return [word for key, value in values.items() for word in ("--set", f"{key.replace('__', '.')}={value}")]

    def summary(self):
        return json.loads((self.results / "summary.json").read_text(encoding="utf-8"))

    def fields(self):
        return sorted(path.name for path in self.results.glob("solution.*"))

    def test_bare_program_shows_its_help_and_is_a_usage_error(self):
        run = self.poisson(config=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn("--config", run.stdout)

    def matrix(self, entries, solver):
        rows = "\n".join(f"{i} {j} {value}" for i, j, value in entries)
        (self.directory / "m.mtx").write_text(
            f"%%MatrixMarket matrix coordinate real general\n9 9 {len(entries)}\n{rows}\n", encoding="utf-8")
        self.config.write_text(
            "grid: {type: banded, file: m.mtx, shape: [3, 3]}\nequation: {source: 1 + x}\n" + solver,
            encoding="utf-8")
        return self.poisson()

    def test_matrix_from_a_file_is_checked_and_solved(self):
        entries = [(i, i, 4) for i in range(1, 10)] + [(i, i + 3, -1) for i in range(1, 7)]
        run = self.matrix(entries, "solver: {method: cg}\n")
        self.assertEqual(run.returncode, 2)
        self.assertIn("case.yaml:3:18: solver.method: cg needs a symmetric matrix", run.stderr)
        run = self.matrix(entries, "solver: {method: auto}\noutput: {fields: [u, residual, source]}\n")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("unsymmetric (by 0.25 of the diagonal), diagonally dominant", " ".join(run.stdout.split()))
        summary = self.summary()
        self.assertEqual(summary["matrix"]["bands"], 2)
        self.assertEqual(summary["matrix"]["asymmetry"], 0.25)
        # Beginning with the last row, u = (b + u of the row above) / 4 with b = 1, 2, 3 along x.
        expected, above = 0, [0, 0, 0]
        for _ in range(3):
            above = [(1 + x + above[x]) / 4 for x in range(3)]
            expected += sum(above)
        self.assertAlmostEqual(summary["solution"]["integral"], expected, places=7)
        run = self.matrix(entries + [(i + 3, i, -1) for i in range(1, 7)], "")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("Galerkin coarse operators", " ".join(run.stdout.split()))
        self.assertEqual(self.summary()["matrix"]["asymmetry"], 0)

    def test_levels_are_those_of_the_sampled_coefficient(self):
        # The plan is made before the jump is known. The jump needs coarse cells that are unions of cells.
        self.config.write_text("""\
domain: {lower: [0, 0], upper: [1, 1]}
grid: {cells: [9, 8]}
discretization: {centering: cell}
equation: {coefficient: "x < 0.5 ? 1 : 8", source: 1}
boundary: {default: {dirichlet: 0}}
solver: {method: multigrid, krylov: none, smoother: {type: chebyshev, pre: 2, post: 2}}
output: {formats: []}
""", encoding="utf-8")
        run = self.poisson()
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertTrue(self.summary()["converged"])

    def test_version_and_help(self):
        for option in ("--version", "-v"):
            self.assertRegex(self.poisson(option, config=False).stdout, r"^poisson \d+\.\d+\.\d+\n$")
        self.assertEqual(self.poisson("help", config=False).stdout, self.poisson("--help", config=False).stdout)
        run = self.poisson("--help", config=False)
        self.assertEqual(run.returncode, 0)
        for option in ("--set", "--validate", "--dry-run", "--profile", "--schema", "--quiet", "--version"):
            self.assertIn(option, run.stdout)

    def test_version_is_the_one_of_changes_and_citation(self):
        version = self.poisson("--version", config=False).stdout.split()[1]
        changes = (SOURCE / "CHANGELOG.md").read_text(encoding="utf-8")
        self.assertEqual(re.search(r"^## (\d\S*)$", changes, re.MULTILINE)[1], version)  # the first release
        self.assertIn(f"\nversion: {version}\n", (SOURCE / "CITATION.cff").read_text(encoding="utf-8"))

    def test_the_configuration_needs_no_option_and_may_come_from_standard_input(self):
        overrides = self.sets(output__directory=self.results)
        for arguments in (["case.yaml"], ["-c", "case.yaml"], ["-"], ["--config", "-"]):
            with self.subTest(arguments=arguments):
                run = self.poisson(*arguments, *overrides, config=False, input=SMALL)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertEqual(self.summary()["title"], "A small cube")
        run = self.poisson("-", "--quiet", config=False, input=SMALL)
        self.assertEqual(run.returncode, 0)
        self.assertTrue((self.directory / "results/stdin/summary.json").exists())
        run = self.poisson("-", config=False, input="domain: 3\n")
        self.assertEqual(run.returncode, 2)
        self.assertIn("standard input:1:9: domain: expected", run.stderr)
        for arguments, word in ((["case.yaml", "other.yaml"], "unexpected argument other.yaml"),
                                (["case.yaml", "-c", "other.yaml"], "--config already names other.yaml"),
                                (["case.yaml", "a.b=1"], "write --set a.b=1"), ([*overrides], "no configuration")):
            run = self.poisson(*arguments, config=False)
            self.assertEqual(run.returncode, 2)
            self.assertIn(word, run.stderr)

    def test_several_assignments_follow_one_set(self):
        for words in (["-s", "title=b", "grid.cells=[6, 6, 6]", "--validate", "case.yaml"],
                      ["case.yaml", "--set", "title=b", "grid.cells=[6, 6, 6]"],
                      ["--set=title=b", "grid.cells=[6, 6, 6]", "case.yaml", "-q"]):
            with self.subTest(words=words):
                run = self.poisson(*words, config=False)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
        config = json.loads((self.directory / "results/case/summary.json").read_text(encoding="utf-8"))["config"]
        self.assertEqual((config["title"], config["grid"]["cells"]), ("b", [6, 6, 6]))

    def test_paths_of_the_file_start_at_its_folder_and_those_of_the_command_line_here(self):
        inner = self.directory / "inner"
        inner.mkdir()
        (inner / "case.yaml").write_text(SMALL.replace("output: {", "output: {directory: out, "), encoding="utf-8")
        self.assertEqual(self.poisson("inner/case.yaml", "-q", config=False).returncode, 0)
        self.assertTrue((inner / "out/summary.json").exists())
        self.assertEqual(self.poisson("inner/case.yaml", "-q", "-s", "output.directory=out", config=False).returncode, 0)
        self.assertTrue((self.directory / "out/summary.json").exists())
        guess = "solver.initial={{file: {}/solution.hdf, dataset: /VTKHDF/PointData/u}}"
        for folder, status in (("inner/out", 0), ("out", 0), ("nowhere", 2)):
            run = self.poisson("inner/case.yaml", "-q", "-s", guess.format(folder), "output.directory=other", config=False)
            self.assertEqual(run.returncode, status, run.stderr)

    def test_parameters_are_changed_by_set_and_stand_in_the_summary(self):
        self.config.write_text(SMALL.replace("{source: 3*", "{source: a*").replace("title:", "parameters: {a: 3, n: 8}\ntitle:")
                               .replace("[12, 10, 8]", "[n, n, n]"), encoding="utf-8")
        for value, scale in ((3, 1), (6, 2)):
            run = self.poisson("-s", f"parameters.a={value}", "parameters.n=16")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn(f"a = {value}, n = 16", run.stdout)
            summary = self.summary()
            self.assertEqual(summary["config"]["parameters"], {"a": value, "n": 16})
            self.assertEqual(summary["config"]["grid"]["cells"], [16, 16, 16])
            self.assertAlmostEqual(summary["probes"][0]["u"] / scale, 1, delta=0.01)
        run = self.poisson("-s", "parameters.b=1")
        self.assertEqual(run.returncode, 2)
        self.assertIn("parameters.b: is not used by any expression; the parameters are a, n", run.stderr)

    def test_the_terminal_shows_extrema_probes_fluxes_and_what_is_left_over(self):
        run = self.poisson(*self.sets(boundary__default="{neumann: 0}", **{"boundary__z+": "{dirichlet: 25}"},
                                      equation__source="2 + 0*x"))
        words = " ".join(run.stdout.split())
        summary = self.summary()
        self.assertIn("source 2 in total flux in x- 0, x+ 0 y- 0, y+ 0 z- 0, z+ -2 balance", words)
        self.assertRegex(words, r"balance residual \S+, \S+ of the throughput")
        self.assertLess(summary["balance"]["relative"], 1e-7)
        self.assertIn("solution 25 at (0, 0, 1) to 26 at", words)
        self.assertEqual(summary["solution"]["min_at"], [0, 0, 1])
        self.assertEqual(summary["solution"]["max_at"][2], 0)
        self.assertIn("probes 25.75 at (0.5, 0.5, 0.5)", words)
        self.assertNotIn("hint", run.stdout)

    def test_a_hint_on_centering_where_materials_meet(self):
        for extra, hinted in (({}, True), ({"discretization__centering": "cell"}, False),
                              ({"discretization__scheme": "q1"}, False), ({"equation__coefficient": "1 + x"}, False)):
            run = self.poisson(*self.sets(**{"equation__coefficient": "x < 0.5 ? 1 : 100", **extra}))
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual("centering: cell} is more accurate" in " ".join(run.stdout.split()), hinted)
            self.assertEqual(run.stdout.count("  hint "), int(hinted))

    def test_widths_of_cells_are_said(self):
        stretched = self.sets(grid__axes="{z: {stretching: geometric, first_cell: 0.01}}")
        self.assertIn("0.01 to ", " ".join(self.poisson("--dry-run", *stretched).stdout.split()))
        self.assertIn("tensor-product, 0.01 to ", " ".join(self.poisson(*stretched).stdout.split()))
        self.assertAlmostEqual(self.summary()["cell_width"]["least"], 0.01, places=9)

    def test_unknown_option_is_answered_with_the_nearest(self):
        run = self.poisson("--quite")
        self.assertEqual(run.returncode, 2)
        self.assertIn("did you mean '--quiet'", run.stderr)

    def test_missing_file(self):
        run = self.poisson("--config", "nowhere.yaml", config=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn("nowhere.yaml", run.stderr)

    def test_converged_run(self):
        run = self.poisson()
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(self.fields(), ["solution.hdf", "solution.png", "solution.vti"])
        summary = self.summary()
        self.assertEqual(list(summary), ["title", "version", "quantity", "converged", "reason", "iterations", "method", "unknowns",
                                         "levels", "cell_width", "residual", "estimated_error", "solution", "error", "probes", "flux",
                                         "balance", "time", "device", "ranks", "peak_memory_bytes", "files", "config"])
        self.assertEqual([(file["name"], file["bytes"]) for file in summary["files"]],
                         [(name, (self.results / name).stat().st_size)
                          for name in ("solution.vti", "solution.hdf", "solution.png")])
        self.assertEqual(len(list(self.results.iterdir())), 4)
        self.assertTrue(summary["converged"])
        self.assertEqual(summary["unknowns"], 11 * 9 * 7)
        self.assertLessEqual(summary["residual"]["relative"], 1e-8)
        self.assertEqual(len(summary["residual"]["history"]), summary["iterations"] + 1)
        self.assertGreater(summary["peak_memory_bytes"], 8 * 11 * 9 * 7)
        for word in ("A small cube", "12 × 10 × 8", "recompute, because the coefficients are constant", "cycle",
                     "Converged"):
            self.assertIn(word, run.stdout)
        self.assertNotIn("\x1b", run.stdout)
        self.assertNotIn("\r", run.stdout)

    def test_effective_configuration_solves_the_same(self):
        self.poisson()
        first = self.summary()
        self.config.write_text(json.dumps(first["config"]), encoding="utf-8")
        self.assertEqual(self.poisson().returncode, 0)
        self.assertEqual(first["probes"], self.summary()["probes"])

    def test_quiet_prints_nothing(self):
        run = self.poisson("--quiet")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))

    def test_live_line_on_a_terminal_is_erased(self):
        main, worker = pty.openpty()
        process = subprocess.Popen([PROGRAM, "--config", str(self.config)], stdout=worker, stderr=worker,
                                   cwd=self.directory, env={**os.environ, "TERM": "xterm", "NO_COLOR": ""})
        os.close(worker)
        text = b""
        while True:
            try:
                piece = os.read(main, 4096)
            except OSError:
                break
            if not piece:
                break
            text += piece
        os.close(main)
        self.assertEqual(process.wait(), 0)
        self.assertIn(b"\x1b[", text)

    def test_same_run_twice_gives_the_same_bytes(self):
        self.poisson()
        first = {name: (self.results / name).read_bytes() for name in self.fields()}
        numbers = self.summary()
        self.poisson()
        for name, content in first.items():
            self.assertEqual(content, (self.results / name).read_bytes(), name)
        again = self.summary()
        for key in ("residual", "solution", "probes", "flux", "balance"):
            self.assertEqual(numbers[key], again[key])

    def test_field_files_hold_what_the_summary_states(self):
        for extra in ({}, {"grid__type": "tensor-product", "grid__axes": "{z: {stretching: tanh, strength: 2}}"},
                      {"boundary__x-": "periodic", "boundary__x+": "periodic"},
                      {"domain": "{lower: [0, 0], upper: [2, 1]}", "grid__cells": "[9, 7]", "output__probes": "[]",
                       "equation__source": "x*y"},
                      {"discretization__centering": "cell", "boundary__x-": "{robin: {alpha: 2, value: 1}}"},
                      {"discretization__centering": "cell", "grid__type": "tensor-product",
                       "grid__axes": "{z: {stretching: tanh, strength: 2}}", "equation__coefficient": "1 + x"},
                      {"discretization__centering": "cell", "domain": "{lower: [0, 0], upper: [2, 1]}",
                       "grid__cells": "[9, 7]", "output__probes": "[]", "equation__source": "x*y"}):
            run = self.poisson(*self.sets(output__fields="[u, gradient, residual, coefficient, source]", **extra))
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            check = subprocess.run([PYTHON, str(SOURCE / "tests/io/check_files.py"), str(self.results)],
                                   capture_output=True, text=True)
            self.assertEqual(check.returncode, 0, check.stdout + check.stderr)

    def test_picture_is_the_kept_one(self):
        self.poisson(config=False, *["--config", str(SOURCE / "configs/cavity-2d.yaml"), "--quiet",
                                     *self.sets(output__directory=self.results)])
        compare = subprocess.run([PYTHON, str(SOURCE / "tests/io/compare_images.py"), str(self.results / "solution.png"),
                                  str(SOURCE / "tests/app/cavity-2d.png"), "1.0"], capture_output=True, text=True)
        self.assertEqual(compare.returncode, 0, compare.stdout + compare.stderr)

    def test_validate_accepts_and_writes_nothing(self):
        run = self.poisson("--validate")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("valid", run.stdout)
        self.assertFalse(self.results.exists())

    def test_errors_come_together_with_their_places(self):
        self.config.write_text(SMALL.replace("source:", "sorce:").replace("title: A", "titel: A"), encoding="utf-8")
        run = self.poisson("--validate")
        self.assertEqual(run.returncode, 2)
        lines = run.stderr.splitlines()
        self.assertEqual(len(lines), 2, run.stderr)
        self.assertRegex(lines[0], r"case\.yaml:1:1: titel: .*title")
        self.assertRegex(lines[1], r"case\.yaml:4:12: equation\.sorce: .*source")

    def test_value_that_is_not_finite_names_key_and_point(self):
        for arguments in (["--validate"], []):
            run = self.poisson(*arguments, *self.sets(equation__source="sqrt(x - 0.5)"))
            self.assertEqual(run.returncode, 2)
            self.assertRegex(run.stderr, r"equation\.source: the value is -?nan at \(0[^,]*, 0[^,]*, 0[^,]*\): it must be finite")
            self.assertEqual(self.fields(), [])

    def parts_where(self, where):
        """Writes, for each scheme, a file with a mixed boundary face whose first part applies where the condition
        is true."""
        for scheme in ("centering: node", "centering: cell", "scheme: q1"):
            self.config.write_text("domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [8, 8]}\nboundary:\n"
                                   f"  x-: [{{where: {where}, dirichlet: 1}}, {{neumann: 0}}]\n"
                                   f"discretization: {{{scheme}}}\n", encoding="utf-8")
            with self.subTest(scheme=scheme):
                yield

    def test_part_of_a_face_that_is_not_finite_names_key_and_point(self):
        for _ in self.parts_where("sqrt(y - 0.5)"):
            for arguments in (["--validate"], []):
                run = self.poisson(*arguments)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertRegex(run.stderr, r"case\.yaml:4:\d+: boundary\.x-\[0\]\.where: the value is -?nan at "
                                             r"\(0, 0\.0625, 0\): it must be finite")
                self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
                self.assertEqual(self.fields(), [])

    def test_part_of_a_face_without_a_cell_is_warned_of(self):
        for _ in self.parts_where("y > 0.4 && y < 0.43"):
            run = self.poisson()
            self.assertRegex(run.stderr, r"case\.yaml:4:\d+: boundary\.x-\[0\] covers no cell of the face")
            self.assertEqual(run.stderr.count("no cell"), 1, run.stderr)
            self.assertEqual(self.poisson("--quiet").stderr, "")
            (warning,) = self.summary()["warnings"]
            self.assertIn("boundary.x-[0] covers no cell", warning)
            self.assertIn("no cell", self.poisson("--validate").stderr)
        for _ in self.parts_where("1 > 2"):
            self.assertIn("no cell", self.poisson().stderr)
        for _ in self.parts_where("y < 2"):  # the last part may be empty
            self.assertNotIn("no cell", self.poisson().stderr)

    def test_expressions_that_name_x_in_vain_are_warned_of(self):
        nowhere = "x > 2 ? 7 : {}"
        thin = "abs(x - 0.53) < 0.03 && y < 0.03 && z < 0.03 ? 7 : {}"  # in one cell of 24³, on no node
        grid = {"grid__cells": "[24, 24, 24]"}
        for scheme in ({}, {"discretization__centering": "cell"}, {"discretization__scheme": "q1"}):
            for key, idle in (("source", "0"), ("coefficient", "1"), ("reaction", "0"), ("reaction", "2")):
                with self.subTest(scheme=scheme, key=key, idle=idle):
                    asked = self.sets(**grid, **scheme, **{f"equation__{key}": nowhere.format(idle)})
                    run = self.poisson(*asked)
                    (warning,) = self.summary()["warnings"]
                    self.assertRegex(warning,
                                     rf"equation\.{key} .*{idle} on the whole grid \(x 0 to 1, y 0 to 1, z 0 to 1\)")
                    self.assertIn("covers no cell" if key == "source" else "never varies", warning)
                    self.assertIn(warning, run.stderr)
                    self.assertEqual(self.poisson(*asked, "--validate").stderr, run.stderr)
                    for seen in (thin.format(idle), idle):
                        run = self.poisson(*self.sets(**grid, **scheme, **{f"equation__{key}": seen}))
                        self.assertEqual(run.stderr, "", seen)
                        self.assertNotIn("warnings", self.summary())
        run = self.poisson(*self.sets(equation__coefficient="{x: 1 + x, y: 'y > 2 ? 3 : 5', z: 2}"))
        self.assertEqual(run.stderr.count("never varies"), 1)
        self.assertRegex(run.stderr, r"equation\.coefficient\.y uses x, y or z but never varies: it is 5 on")
        dipole = "x < 0.5 ? (x < 0.25 ? 1 : -1) : (x < 0.75 ? -1 : 1)"  # sums to zero, but has an effect
        self.assertEqual(self.poisson(*self.sets(grid__cells="[16, 16, 16]", equation__source=dipole)).stderr, "")

    def test_flows_that_do_not_balance_are_warned_of(self):
        """Single precision rounds u to a relative 6e-8, so flows caused by much smaller differences are lost."""
        self.config.write_text("""
domain: {lower: [0, 0, 0], upper: [4.8e-4, .175, 6.9]}
grid: {cells: [2, 23, 32]}
equation: {coefficient: 6e5}
boundary: {default: {neumann: 0}, y-: {dirichlet: 1 + z}, y+: {robin: {alpha: 1, value: 10}}}
solver: {method: direct, precision: single, tolerance: 1e-4}
output: {formats: []}
""", encoding="utf-8")

        def run(*arguments):
            found, summary = self.poisson(*arguments), self.summary()
            self.assertEqual(found.returncode, 0)
            balance, flows = summary["balance"], list(summary["flux"].values())
            left = sum(flows) + balance["source"] - balance["reaction"] - balance["projected"]
            self.assertAlmostEqual(left, -balance["residual"], delta=1e-12 * max(balance["source"], *map(abs, flows)))
            return found.stderr, summary
        said, summary = run()
        self.assertGreater(summary["balance"]["relative"], 0.1)
        (warning,) = summary["warnings"]
        self.assertRegex(warning, r"flows do not balance.*, [\d.]+ of the throughput.* use precision: mixed")
        self.assertIn(warning, said)
        said, summary = run("--set", "solver.precision=mixed")
        self.assertEqual(said, "")
        self.assertNotIn("warnings", summary)
        run(*self.sets(equation__source="1e5*y"))

    def test_part_of_a_face_is_asked_where_cells_are(self):
        for _ in self.parts_where("log(y) + 2"):
            run = self.poisson("--validate")
            self.assertEqual(run.returncode, 0, run.stderr)

    def test_every_bad_datum_is_reported(self):
        run = self.poisson(*self.sets(equation__source="1/x", equation__coefficient="x-0.5", equation__reaction="-y"))
        self.assertEqual(run.returncode, 2)
        for key in ("equation.coefficient: the value is -0.5 at (0, 0, 0)", "equation.reaction: the value is -"):
            self.assertIn(key, run.stderr)

    def test_dry_run_states_the_plan(self):
        run = self.poisson("--dry-run")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        for word in ("bytes per unknown", "equidistant", "693", "device"):
            self.assertIn(word, run.stdout)
        self.assertFalse(self.results.exists())
        galerkin, cg = "Galerkin coarse operators", "conjugate gradients"
        stretched = "{type: tensor-product, cells: [12, 10, 8], axes: {z: {stretching: geometric, expansion: 1000}}}"
        for extra, stated in (({}, {galerkin, cg}), ({"solver__smoother": "line"}, {cg}),
                              ({"discretization__centering": "cell"}, {cg}), ({"solver__krylov": "none"}, {galerkin}),
                              ({"solver__method": "jacobi"}, None), ({"grid": stretched}, {galerkin, cg}),
                              ({"equation__coefficient": "{x: 1, y: 1 + x, z: 1}"}, {galerkin, cg}),
                              ({"equation__coefficient": "{x: 1, y: 2, z: 1}"}, None)):
            run = self.poisson("--dry-run", *self.sets(**{"equation__coefficient": "1 + x", **extra}))
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            lines = [line for line in run.stdout.splitlines() if "if the coefficient has sharp jumps" in line]
            self.assertEqual([{word for word in (galerkin, cg) if word in line} for line in lines],
                             [] if stated is None else [stated])

    def test_dry_run_says_at_once_what_does_not_fit(self):
        run = self.poisson("--dry-run", *self.sets(grid__cells="[100000, 100000, 100000]", equation__source="1"),
                           timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stdout, r"does not fit: .* TiB are missing \(use less than 1 % of the cells per axis")
        self.assertRegex(run.stderr, r"needs .* TiB of memory, but only .* are available .*: "
                                     r"use less than 1 % of the cells")

    def test_dry_run_weighs_the_modes_of_assembly(self):
        for kappa, scheme, centering, asked, chosen, reason, held in (
                ("2", "fv", "node", "auto", "recompute", "because the coefficients are constant", "equidistant"),
                ("2", "fv", "cell", "full", "full", "as requested", "full"),
                ("2", "q1", "node", "partial", "partial", "as requested", "partial"),
                ("1 + x", "fv", "node", "auto", "partial", "predicted to be faster", "partial"),
                ("1 + x", "fv", "cell", "auto", "partial", "predicted to be faster", "partial"),
                ("1 + x", "fv", "cell", "recompute", "partial", "because varying coefficients must be stored",
                 "partial"),
                ("1 + x", "q1", "node", "auto", "full", "predicted to be faster", "full"),
                ("{x: 1, y: 2, z: 3, yz: 0.1*x}", "q1", "node", "full", "full", "as requested", "full")):
            with self.subTest(kappa=kappa, scheme=scheme, centering=centering, asked=asked):
                run = self.poisson("--dry-run", *self.sets(
                    backend__device="cpu", equation__coefficient=kappa, discretization__scheme=scheme,
                    discretization__centering=centering, discretization__assembly=asked))
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                lines = [line.split() for line in run.stdout.splitlines()]
                self.assertIn(f"assembly  {chosen}, {reason}", run.stdout)
                # The columns are MODE BYTES FLOPS TIME ms TIME ms, with a star before the chosen mode.
                weighed = [words for words in lines if words[-1:] == ["ms"] and words[-3:-2] == ["ms"]]
                self.assertEqual([words[-7] for words in weighed],
                                 (["recompute"] if kappa == "2" else []) + ["partial", "full"])
                (choice,) = (words for words in weighed if words[0] == "*")
                self.assertEqual(choice[1], chosen)
                finest = next(words for words in lines if words and words[0] == "0")
                self.assertIn(held, finest)
                self.assertEqual(choice[2:4], finest[-4:-2])  # same numbers as predicted

    def test_profile_adds_a_table_of_the_verbs(self):
        run = self.poisson("--profile", *self.sets(solver__method="multigrid"))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        for word in ("Finest level", "Coarser levels", "residual + norm", "of copy", "GB/s", "A copy on the finest level"):
            self.assertIn(word, run.stdout)

    def test_iteration_limit(self):
        run = self.poisson(*self.sets(solver__method="multigrid", solver__max_iterations=1))
        self.assertEqual(run.returncode, 3)
        summary = self.summary()
        self.assertFalse(summary["converged"])
        self.assertIn("limit", summary["reason"])
        self.assertIn("solution.vti", self.fields())

    def hard_problem(self):
        """Writes a problem on which rediscretized levels fail: κ is randomly 10⁶ or 1 in each cell."""
        write = ("import h5py, numpy as n; r = n.random.default_rng(1); f = h5py.File('k.h5', 'w'); "
                 "f['k'] = n.where(r.random((48, 48, 48)) < .5, 1e6, 1.)")
        subprocess.run([PYTHON, "-c", write], cwd=self.directory, check=True)
        self.config.write_text("domain: {lower: [0, 0, 0], upper: [1, 1, 1]}\ngrid: {cells: [48, 48, 48]}\n"
                               "equation: {coefficient: {file: k.h5, dataset: /k}, source: 1}\n"
                               "discretization: {centering: cell}\nsolver: {coarse_operator: rediscretized}\n"
                               "backend: {device: cpu}\noutput: {formats: []}\n",
                               encoding="utf-8")

    def test_fallback_announces_itself_before_its_work(self):
        self.hard_problem()
        run = self.poisson("--threads", "1")
        self.assertEqual(run.returncode, 0, run.stderr)
        steps = self.summary()["steps"]
        self.assertEqual(len(steps), 1)
        self.assertRegex(steps[0], r"^after \d+ iterations \(too slow to converge within 60\): conjugate gradients "
                                   r"preconditioned by algebraic multigrid in 64 bits on the host, 110592 unknowns, "
                                   r"predicted [0-9.]+ s and 78 MiB$")
        shown = " ".join(run.stdout.split())
        self.assertLess(shown.index("fallback " + steps[0]), shown.index("cycle relative residual"))

    def test_fallback_that_memory_does_not_hold_is_refused_in_words(self):
        self.hard_problem()
        for megabytes in range(40, 2000, 10):  # least memory for the solve, whatever libraries use
            run = self.poisson("--threads", "1", preexec_fn=lambda most=megabytes << 20: resource.setrlimit(
                resource.RLIMIT_DATA, (most, most)))
            if run.returncode in (0, 3):
                break
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        reason = self.summary()["reason"]
        for part in ("algebraic", "not started, because it may use", "of the host's memory", "use fewer cells"):
            self.assertIn(part, reason)
        self.assertIn(reason, self.summary()["steps"])
        self.assertIsNotNone(self.summary()["solution"]["max"])

    def test_fallback_never_is_left_out(self):
        self.hard_problem()
        run = self.poisson("--threads", "1", *self.sets(solver__fallback="false"))
        self.assertEqual(run.returncode, 3)
        self.assertNotIn("steps", self.summary())

    def test_rounding_floor(self):
        run = self.poisson(*self.sets(solver__precision="single", solver__tolerance="1e-12"))
        self.assertEqual(run.returncode, 3)
        self.assertIn("rounding limit", self.summary()["reason"])

    def test_zero_tolerance_runs_exactly_the_given_cycles(self):
        run = self.poisson(*self.sets(solver__tolerance=0, solver__max_iterations=3))
        self.assertEqual(self.summary()["iterations"], 3)
        self.assertIn(run.returncode, (0, 3))

    def test_overflow_fails_and_leaves_earlier_results(self):
        self.poisson()
        earlier = {path.name: path.read_bytes() for path in self.results.iterdir()}
        run = self.poisson(*self.sets(equation__source=1e300, equation__coefficient=1e-300))
        self.assertEqual(run.returncode, 1)
        self.assertIn("not a finite number", run.stderr)
        failed = json.loads((self.results / "summary.failed.json").read_text(encoding="utf-8"))
        self.assertFalse(failed["converged"])
        self.assertIsNone(failed["solution"]["max"])
        self.assertEqual(failed["files"], [])
        (self.results / "summary.failed.json").unlink()
        self.assertEqual({path.name: path.read_bytes() for path in self.results.iterdir()}, earlier)

    def test_termination_writes_the_best_iterate(self):
        process = subprocess.Popen([PROGRAM, "--config", str(self.config), "--quiet", *self.sets(
            output__directory=self.results, solver__method="jacobi", solver__max_iterations=100000000,
            solver__tolerance=1e-30, grid__cells="[64, 64, 64]", output__formats="[hdf5]")], cwd=self.directory)
        time.sleep(1.5)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 3)
        summary = self.summary()
        self.assertIn("stopped", summary["reason"])
        self.assertFalse(summary["converged"])
        self.assertEqual(self.fields(), ["solution.hdf"])

    def test_directory_that_cannot_be_made(self):
        (self.directory / "file").write_text("", encoding="utf-8")
        run = self.poisson(config=False, *["--config", str(self.config), "--set", "output.directory=file/results"])
        self.assertEqual(run.returncode, 2)
        self.assertIn("output.directory", run.stderr)

    def test_restart_from_the_files_of_a_run(self):
        self.poisson()
        first = self.summary()
        (self.results / "solution.hdf").rename(self.directory / "start.hdf")
        guess = "{file: start.hdf, dataset: /VTKHDF/PointData/u}"
        run = self.poisson(*self.sets(solver__initial=guess))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(self.summary()["residual"]["initial"], first["residual"]["final"])

    def test_inputs_are_not_replaced_by_results(self):
        self.poisson("--set", "output.formats=[hdf5]")
        start = self.results / "solution.hdf"
        content = start.read_bytes()
        guess = f"{{file: {start}, dataset: /VTKHDF/PointData/u}}"
        run = self.poisson(*self.sets(solver__initial=guess))
        self.assertEqual(run.returncode, 2)
        self.assertIn("would be replaced by the results of this run; choose another output.directory", run.stderr)
        self.assertEqual(start.read_bytes(), content)

    def test_incompatible_data_are_warned_of(self):
        run = self.poisson("--quiet", *self.sets(equation__source=1, boundary__default="{neumann: 0}"))
        self.assertEqual(run.returncode, 0)
        summary = self.summary()
        self.assertAlmostEqual(summary["balance"]["projected"], 1, places=12)
        run = self.poisson(*self.sets(equation__source=1, boundary__default="{neumann: 0}"))
        self.assertIn("incompatible", run.stdout + run.stderr)

    def test_schema_and_reference(self):
        schema = json.loads(self.poisson("--schema", config=False).stdout)
        self.assertIn("2020-12", schema["$schema"])
        self.assertFalse(schema["additionalProperties"])
        reference = self.poisson("--reference", config=False).stdout
        self.assertEqual(reference, (SOURCE / "docs/configuration.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
