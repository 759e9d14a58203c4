#!/usr/bin/env python3
"""Runs several processes under mpirun: they must give the answer of one process, report an error once, and end if a
process dies or stops.

    test_processes.py POISSON_PROGRAM ROOT FAULT_SHIM [unittest arguments]

Without mpirun, or if the program has no MPI, the tests count as skipped (status 77).
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from several_processes import CONFIGS, PATIENCE, PROGRAM, PYTHON, ROOT, SHIM, SeveralProcesses, main

ENDLESS = ("solver.method=jacobi", "solver.max_iterations=100000000", "solver.tolerance=0", "grid.cells=[40, 40, 40]")


def running(words):
    found = subprocess.run(["pgrep", "-f", words], stdout=subprocess.PIPE, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


def rank_of(number):
    words = pathlib.Path(f"/proc/{number}/environ").read_bytes().split(b"\0")
    return next(int(word.split(b"=")[1]) for word in words if word.startswith(b"OMPI_COMM_WORLD_RANK="))


def is_watching(number):
    """Returns whether a process would notice the end of another one immediately."""
    try:
        return any("pidfd" in os.readlink(path) for path in pathlib.Path(f"/proc/{number}/fd").iterdir())
    except OSError:  # closed in the meantime
        return False


class Processes(SeveralProcesses):
    # ---- the same answer ----

    def test_files_are_those_of_one_process(self):
        """Slabs must give the same bits and the same single HDF5 file; blocks must give the same values up to
        rounding."""
        flat = ("domain.lower=[0, 0]", "domain.upper=[1, 1]", "grid.cells=[25, 30]", "equation.source=sin(3 * x) * y")
        stretched = ("grid={type: tensor-product, cells: [20, 19, 23], axes: {z: {stretching: tanh, strength: 1, "
                     "at: both}}}",)
        cells = "discretization.centering=cell"
        for name, counts, assignments in (("nodes", (3, 4), ()), ("cells", (2, 4), (cells,)), ("flat", (3,), flat),
                                          ("stretched", (2,), stretched), ("around", (4,), ("boundary.default=periodic",)),
                                          ("flat cells", (4,), (*flat, cells)),
                                          ("datasets", (3, 4), self.datasets())):
            one = self.shown(0, *assignments)
            blocks = f"backend.blocks={[2, 2] if 'flat' in name else [1, 2, 2]}"
            for count in counts:
                more = (blocks,) if count == 4 else ()
                with self.subTest(name=name, count=count):
                    several = self.shown(count, *assignments, *more)
                    summary = json.loads((several / "summary.json").read_text(encoding="utf-8"))
                    self.assertEqual(summary["ranks"], count)
                    self.assertEqual([part[0] for part in summary["cuts"]], [0] * len(summary["cuts"]))
                    self.assertEqual({file["name"] for file in summary["files"]} | {"summary.json"},
                                     {path.name for path in several.iterdir()})
                    self.same_fields(one, several, "0" if not more else "1e-11", 2)
                    if not more:
                        hdf5 = next(path.name for path in one.iterdir() if path.suffix in (".hdf", ".h5"))
                        self.assertTrue((one / hdf5).read_bytes() == (several / hdf5).read_bytes())
                        self.assertTrue((one / "solution.png").read_bytes() == (several / "solution.png").read_bytes())

    def test_one_hdf5(self):
        """The program must link only the parallel HDF5, because symbols of two versions would mix."""
        linked = subprocess.run(["ldd", PROGRAM], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(len(set(re.findall(r"libhdf5\w*\.so", linked))), 1, linked)

    def datasets(self):
        """Writes κ on cells, and the source and a guess on nodes of a grid that is periodic along two axes."""
        script = ("import h5py, numpy as np; z, y, x = np.meshgrid(*(np.arange(n + 1) for n in (23, 19, 20)), indexing='ij')\n"
                  "f = h5py.File('data.h5', 'w'); f['k'] = 1 + np.cos(x * y + z)[1:, 1:, 1:] ** 2\n"
                  "f['f'] = np.sin(2 * np.pi * x / 20) * np.cos(2 * np.pi * z / 23) * y; f['u'] = f['f'][:] / 7\n")
        subprocess.run([PYTHON, "-c", script], cwd=self.directory, check=True)
        return tuple(f"{key}={{file: {self.directory}/data.h5, dataset: {name}}}" for key, name in
                     (("equation.coefficient", "k"), ("equation.source", "f"), ("solver.initial", "u"))) + (
                         "boundary={x-: periodic, x+: periodic, z-: periodic, z+: periodic}",)

    def test_means_of_datasets(self):
        """The preconditioner must use means over all values of varying data, wherever the grid is cut."""
        script = ("import h5py, numpy as np; f = h5py.File('data.h5', 'w'); g = np.random.default_rng(1)\n"
                  "f['cells'] = 9 * g.random((23, 19, 20)) ** 4; f['nodes'] = 9 * g.random((24, 20, 21)) ** 4\n"
                  "f['around'] = f['nodes'][:]; f['around'][-1] = f['around'][0]; f['around'][:, :, -1] = f['around'][:, :, 0]\n")
        subprocess.run([PYTHON, "-c", script], cwd=self.directory, check=True)
        for name in ("cells", "nodes", "around"):
            sets = (f"equation.reaction={{file: {self.directory}/data.h5, dataset: {name}}}",
                    "solver.preconditioner=direct", "solver.tolerance=0", "solver.max_iterations=3", "output.formats=[]",
                    *(("boundary={x-: periodic, x+: periodic, z-: periodic, z+: periodic}",) if name == "around" else ()))
            one = self.solved(0, "one", *sets)["residual"]["history"]
            for blocks in ([1, 1, 3], [2, 1, 1], [1, 3, 1]):
                with self.subTest(name=name, blocks=blocks):
                    several = self.solved(max(blocks), "several", *sets, f"backend.blocks={blocks}")
                    for found, wanted in zip(several["residual"]["history"], one):
                        self.assertLess(abs(found - wanted), 1e-9 * wanted)

    def shown(self, count, *assignments):
        """Returns the results of a run in a folder that its configuration does not name."""
        place, results = self.directory / f"shown-{count}", self.directory / "shown"
        for folder in (place, results):
            shutil.rmtree(folder, ignore_errors=True)
        run = self.poisson(count, "output.directory=shown", "output.formats=[vtk, hdf5, png]",
                           "equation.coefficient=2 + x * y", "output.arrows=9", "output.streamlines=9", *assignments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return results.rename(place)

    def test_blocks(self):
        wanted = self.solved(0, "one")
        for blocks in ((1, 1, 4), (1, 2, 2), (2, 2, 1), (2, 1, 2), (1, 3, 2), (2, 2, 2)):
            count = blocks[0] * blocks[1] * blocks[2]
            found = self.solved(count, "several", f"backend.blocks={list(blocks)}")
            self.near(found, wanted, 1e-12, str(blocks))

    def test_groups(self):
        """Emulates two machines: groups share the first coarser level and cut one axis. The answer must not change."""
        more = ("domain.lower=[0, 0]", "domain.upper=[1, 1]", "grid.cells=[1280, 1280]", "equation.source=sin(3 * x) * y",
                "discretization.centering=cell", "solver.method=multigrid", "output.formats=[]")
        wanted = self.solved(0, "one", *more)
        self.environment["POISSON_MACHINES"] = "2"
        found = self.solved(4, "several", *more, "backend.blocks=[2, 2]")
        self.near(found, wanted, 1e-12, "two machines")
        self.assertEqual(found["machines"], 2)
        groups = "levels 0 in these sub-blocks, 1 in the sub-blocks of 2 groups of 2 processes, 2 to "
        for blocks, levels in (([2, 2], groups), ([1, 4], "levels 0 to 1 in these sub-blocks, 2 to ")):
            run = self.poisson(4, *more, f"backend.blocks={blocks}", options=("--dry-run",))
            self.assertIn(levels, run.stdout)

    def test_work_beside_messages(self):
        """The overlap of communication with work on boxes of any size must not change the file."""
        self.solved(0, "one")
        for least in ("1", "0"):
            self.environment["POISSON_OVERLAP"] = least
            summary = self.solved(3, f"least-{least}")
            self.same_fields("one", f"least-{least}", "0", 1)
            self.assertEqual(summary["transport"]["name"], "messages")
            self.assertEqual(summary["machines"], 1)
            self.assertGreater(summary["transport"]["latency"], 0)
            self.assertGreater(summary["transport"]["bandwidth"], 0)

    def test_ways_of_gpus(self):
        """On CPUs processes always exchange messages, and the terminal must report this."""
        self.environment["NO_COLOR"] = "1"  # the line is broken
        for way in ("auto", "peer", "staged", "mpi"):
            run = self.poisson(2, f"backend.transport={way}", "output.formats=[]", options=())
            self.assertEqual(run.returncode, 0, run.stderr)
            said = f"by messages, because backend.transport: {way} requires GPUs"
            self.assertEqual(said in " ".join(run.stdout.split()), way != "auto", run.stdout)

    def test_profile(self):
        """A profile of all processes must have the traffic of one, plus halos, and must list each process."""
        def profile(count):
            name = self.directory / f"of-{count}"
            run = self.poisson(count, "grid.cells=[48, 40, 50]", "solver.method=multigrid", f"output.directory={name}",
                               options=("--profile",))
            self.assertEqual(run.returncode, 0, run.stderr)
            traffic = re.search(r"residual \+ norm +(\d+) +[\d.]+ +[\d.]+ % +([\d.]+)", run.stdout)
            summary = json.loads((name / "summary.json").read_text(encoding="utf-8"))
            return int(traffic[1]), float(traffic[2]), summary["profile"], run.stdout
        calls, traffic, split, text = profile(0)
        self.assertNotIn("processes", split)
        self.assertNotIn("Processes, ms", text)
        found_calls, found_traffic, split, text = profile(3)
        self.assertEqual(found_calls, calls)
        self.assertTrue(traffic < found_traffic < 1.5 * traffic, text)
        self.assertEqual(len(split["processes"]), 3)
        for part in ("computing", "exchanges", "coarse", "gathers"):
            self.assertGreaterEqual(split[part], 0)  # while processes wait for cores, computing may be missed
            self.assertAlmostEqual(split[part], sum(each[part] for each in split["processes"]) / 3)
        for part in ("exchanges", "coarse", "gathers"):
            self.assertGreater(split[part], 0)
        rows = re.findall(r"^  ([012])((?: +[\d.]+){4})$", text, re.M)
        self.assertEqual([rank for rank, _ in rows], ["0", "1", "2"])

    @unittest.skipIf(os.cpu_count() < 2, "one core")
    def test_binding(self):
        """The program must report a launcher that binds each process to one core, as Open MPI does for two."""
        for binding, bound in (("core", True), ("none", False)):
            command = self.command(2, "output.formats=[]", options=())
            command[command.index("--bind-to") + 1] = binding
            run = subprocess.run(command, cwd=self.directory, text=True, check=False, env=self.environment,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(re.search(r"bound to 1 of \d+ cores", " ".join(run.stdout.split())) is not None, bound)

    def test_messages_by_ucx(self):
        """The file must be the same, and UCX must not complain when MPI ends."""
        words = ["ompi_info", "--parsable"]
        known = shutil.which(words[0]) and subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False).stdout
        if "mca:pml:ucx:" not in (known or ""):
            self.skipTest("no Open MPI with UCX")
        self.solved(0, "one")
        for name, value in (("pml", "ucx"), ("pml_ucx_tls", "any"), ("pml_ucx_devices", "any")):
            self.environment[f"OMPI_MCA_{name}"] = value
        self.environment["UCX_TLS"] = "self,sm"
        run = self.poisson(3, f"output.directory={self.directory / 'several'}")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.same_fields("one", "several", "0", 1)

    def test_configurations(self):
        for path in sorted(CONFIGS.glob("*.yaml")):
            # For several processes another method may be predicted to be the fastest.
            method = () if path.stem == "banded" else ("solver.method=multigrid",)
            if path.stem.startswith("mesh-"):
                run = self.poisson(2, case=path)
                self.assertEqual(run.returncode, 2)
                self.assertIn("solver.amg: hypre", run.stderr)
                continue
            wanted = self.solved(0, "one", "output.formats=[]", *method, case=path)
            found = self.solved(2, "several", "output.formats=[]", *method, case=path)
            self.near(found, wanted, 1e-9, path.name)

    def test_direct(self):
        """Slabs must be cut across the best axis, and every partition must give the answer of one process."""
        stretched = ("grid.cells=[24, 30, 27]", "grid.axes.y={stretching: geometric, first_cell: 1e-4}")
        for method in ("method", "preconditioner"):
            more = ("solver.tolerance=1e-11", f"solver.{method}=direct", *stretched)
            if method == "preconditioner":
                more += ("equation.coefficient=2+sin(3*x)*y",)
            wanted = self.solved(0, "one", *more)
            for count, blocks in ((2, None), (3, None), (2, [2, 1, 1]), (4, [1, 1, 4])):
                found = self.solved(count, "several", *more, *([] if not blocks else [f"backend.blocks={blocks}"]))
                self.near(found, wanted, 1e-9, f"{method}, {count} processes, {blocks}")
        run = self.poisson(3, "solver.method=direct", *stretched, options=())
        self.assertIn("1 x 3 x 1 sub-blocks", run.stdout)
        run = self.poisson(4, "solver.method=direct", "backend.blocks=[1, 2, 2]")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(len([line for line in run.stderr.splitlines() if "direct solver needs slabs" in line]), 1)
        run = self.poisson(4, "grid.cells=[96, 96, 96]", options=("--dry-run",))
        self.assertIn("method    direct", run.stdout)
        run = self.poisson(4, "grid.cells=[96, 96, 96]", "backend.blocks=[1, 2, 2]", options=("--dry-run",))
        self.assertIn("method    multigrid", run.stdout)
        self.assertIn("multigrid: the grid is cut across more than one axis", run.stdout)

    def test_dry_run_states_what_a_process_holds(self):
        """A share with the replicated levels is more than a fraction of one process's memory, and at most 0.6
        more."""
        def stated(count):
            run = self.poisson(count, "grid.cells=[96, 96, 96]", "solver.method=multigrid", options=("--dry-run",))
            self.assertEqual(run.returncode, 0, run.stderr)
            memory = re.search(r"memory +([\d.]+) MiB", run.stdout)
            level = re.search(r"\n +0 .*points +([\d.]+) MiB", run.stdout)
            return float(memory[1]), float(level[1]), run.stdout
        whole, level, _ = stated(0)
        for count in (2, 4):
            own, of_level, text = stated(count)
            self.assertIn(f"processes {count}, grid cut into 1 x 1 x {count} sub-blocks", text)
            self.assertIn("per process at most", text)
            self.assertTrue(whole / count < own < 1.6 * whole / count, text)
            self.assertTrue(level / count < of_level < 1.25 * level / count, text)  # four more planes of 24
        def where_it_jumps(count):
            run = self.poisson(count, "grid.cells=[96, 96, 96]", "equation.coefficient=1 + x", options=("--dry-run",))
            return float(re.search(r"([\d.]+) MiB if the coefficient has sharp jumps", run.stdout)[1])
        whole = where_it_jumps(0)
        self.assertTrue(whole / 4 < where_it_jumps(4) < whole / 2)

    def test_warnings_are_those_of_one_process(self):
        """Data may be ineffective on one process only. The processes must agree and report the result once."""
        far, near = "z > 2 ? 7 : 1", "z > 0.9 && x > 0.9 ? 7 : 1"
        for source, coefficient, reaction in ((f"({far}) - 1", far, near), (f"({near}) - 1", near, far)):
            said = []
            for count in (0, 3):
                run = self.poisson(count, "grid.cells=[24, 24, 24]", f"equation.source={source}",
                                   f"equation.coefficient={coefficient}", f"equation.reaction={reaction}",
                                   "output.formats=[]", "output.directory=warned", options=())
                self.assertEqual(run.returncode, 0, run.stderr)
                warnings = json.loads((self.directory / "warned/summary.json").read_text(encoding="utf-8"))["warnings"]
                said.append((warnings, run.stderr.count("whole grid")))
            self.assertEqual(said[0], said[1])
            self.assertEqual(said[0][1], len(said[0][0]))
            self.assertEqual(len(said[0][0]), 2 if coefficient == far else 1)

    def test_memory_that_processes_share(self):
        """Two processes that fit alone, but not together, must be refused by a run and by a dry run."""
        self.write("in_a_job.sh", 'export SLURM_JOB_ID=1 SLURM_MEM_PER_NODE="$1"\nshift\nexec "$@"\n')
        settings = ("grid.cells=[90, 90, 90]", "solver.method=multigrid", "discretization.scheme=q1",
                    "discretization.assembly=full", "output.formats=[]", "solver.max_iterations=1")
        for room, fits in ((220, False), (1000, True)):
            for options in ((), ("--dry-run",)):
                command = self.command(2, *settings, options=options)
                program = command.index(PROGRAM)
                run = subprocess.run([*command[:program], "sh", "in_a_job.sh", str(room), *command[program:]],
                                     cwd=self.directory, text=True, check=False, env=self.environment,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
                self.assertEqual(run.returncode == 1, not fits, run.stderr)
                said = "each process needs" if not options else "does not fit"
                self.assertEqual(said in run.stdout + run.stderr, not fits, run.stdout + run.stderr)
                if not fits:
                    self.assertIn("SLURM_MEM_PER_NODE, which 2 processes share", run.stdout + run.stderr)

    def test_dry_run_states_what_a_run_takes(self):
        units = {"KiB": 1 / 1024, "MiB": 1}
        for assignments in (("solver.method=direct",), ("discretization.scheme=q1", "solver.method=direct"),
                            ("discretization.scheme=q1", "solver.method=jacobi", "equation.source=1"),
                            ("discretization.scheme=compact4", "solver.method=multigrid"),
                            ("discretization.scheme=q1", "solver.method=direct", "solver.precision=single"),
                            ("discretization.centering=cell", "solver.method=multigrid", "equation.coefficient=1+x"),
                            ("solver.smoother.type=plane", "solver.method=multigrid", "equation.coefficient=1+x")):
            for count in (1, 3):
                with self.subTest(assignments=assignments, count=count):
                    sets = ("grid.cells=[48, 48, 48]", "solver.max_iterations=2", "output.formats=[]", *assignments)
                    text = self.poisson(count, *sets, options=("--dry-run",)).stdout
                    stated = [re.search(pattern, text) for pattern in (r"\nmemory +([\d.]+) (\wiB)",
                                                                       r"\n +([\d.]+) (\wiB) more at the peak")]
                    stated = sum(float(found[1]) * units[found[2]] for found in stated if found)
                    taken = self.solved(count, "taken", *sets)["peak_memory_bytes"] / 2**20
                    self.assertTrue(0.93 * taken < stated < 1.1 * taken, f"{stated} MiB stated, {taken} taken: {text}")

    def test_lines_across_cuts(self):
        """Blocks that cut the axis of lines and planes must need the iterations of one process."""
        axes = [f"grid.axes.{axis}={{stretching: tanh, strength: 4, at: both}}" for axis in "xyz"]
        for smoother, cuts in (("line", ((1, 1, 3), (2, 2, 1))), ("plane", ((2, 1, 1),))):
            more = ("grid.type=tensor-product", *axes, "solver.method=multigrid", "solver.preconditioner=multigrid",
                    f"solver.smoother.type={smoother}", "output.formats=[]")
            wanted = self.solved(0, "one", *more)
            for blocks in cuts:
                count = blocks[0] * blocks[1] * blocks[2]
                found = self.solved(count, "several", *more, f"backend.blocks={list(blocks)}")
                self.near(found, wanted, 1e-11, f"{smoother} in {blocks}")

    def test_direct_without_a_library(self):
        """If one process misses a library, all must use multigrid."""
        axes = [f"grid.axes.{axis}={{stretching: geometric, first_cell: 1e-4}}" for axis in "xyz"]
        command = self.command(2, "grid.cells=[40, 40, 40]", *axes)
        program = command.index(PROGRAM)
        for missing in (False, True):
            first = [*command[:1], "-n", "1", *command[3:program]]
            other = ["env", "POISSON_BLAS=/nowhere"] if missing else []
            run = subprocess.run([*first, *command[program:], ":", "-n", "1", *other, *command[program:]], text=True,
                                 cwd=self.directory, check=False, env=self.environment, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(run.returncode, 0, run.stderr)
            summary = json.loads((self.directory / "results" / "summary.json").read_text(encoding="utf-8"))
            self.assertEqual(summary["method"], "multigrid" if missing else "direct")

    # ---- errors are reported once ----

    def test_errors(self):
        for assignments, status, words in (
                (("grid.cells=[6, 6, 6]",), 2, "too small for 2 processes"),
                (("backend.blocks=[1, 1, 3]",), 2, "these are 3 blocks, but 2 processes were started"),
                (("backend.blocks=[1, 1, 1]",), 2, "these are 1 blocks"),
                (("backend.blocks=[1, 2]",), 2, "one for each of the 3 axes"),
                (("solver.method=direct", "backend.blocks=[2, 1, 1]", "grid.cells=[6, 20, 20]"), 2, "use fewer"),
                (("solver.method=direct", "grid.cells=[6, 6, 6]"), 2, "cannot share a direct solver"),
                (("solver.tolerancce=1",), 2, "tolerancce"),
                (("equation.source=1/(x-x)",), 2, "equation.source"),
                (("equation.coefficient=z-0.9",), 2, "must be greater than 0"),
                *(((part, scheme, *cut), 2, "boundary.x-[0].where: the value is")
                  for scheme in ("discretization.centering=node", "discretization.centering=cell", "discretization.scheme=q1")
                  for part in ("boundary.x-=[{where: sqrt(0.4 - z), dirichlet: 1}, {neumann: 0}]",)
                  for cut in ((), ("backend.blocks=[1, 1, 2]",))),
                (("backend.device=cuda:1",), 2, "a GPU number is for one process")):
            run = self.poisson(2, *assignments)
            self.assertEqual(run.returncode, status, run.stderr)
            self.assertEqual(len([line for line in run.stderr.splitlines() if words in line]), 1, run.stderr)
            if (self.directory / "results" / "summary.json").exists():
                summary = json.loads((self.directory / "results" / "summary.json").read_text(encoding="utf-8"))
                self.assertFalse(summary["converged"])

    def test_errors_before_a_solve(self):
        """If the first process finds an error in --validate or --dry-run, all must end without MPI_ABORT."""
        for option in ("--validate", "--dry-run"):
            for assignment, status in (("equation.coefficient=z-0.9", 2), ("equation.coefficient=z+0.9", 0)):
                run = self.poisson(3, assignment, options=(option,))
                self.assertEqual(run.returncode, status, run.stderr)
                self.assertEqual(run.stderr.count("must be greater than 0"), status // 2, run.stderr)
                self.assertNotIn("MPI_ABORT", run.stderr)

    def test_other_configurations_and_options(self):
        command = self.command(1)
        program = command.index(PROGRAM)
        looks = (["--validate"], ["--dry-run"], ["--profile"])
        for first, second in (([], ["--set", "equation.source=2"]), *(([], look) for look in looks),
                              *((look, []) for look in looks), (["--dry-run"], ["--validate"])):
            with self.subTest(first=first, second=second):
                run = subprocess.run([*command, *first, ":", "-n", "1", *command[program:], *second],
                                     cwd=self.directory, text=True, check=False, env=self.environment,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertEqual(len(self.message(run)), 1, run.stderr)
                self.assertIn("process 1 has a different configuration, options or program version", run.stderr)

    def test_other_versions(self):
        """A build of other sources must be refused; the test changes the commit in the program's file."""
        said = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
                              stdout=subprocess.PIPE, check=False).stdout.strip()
        program = pathlib.Path(PROGRAM).read_bytes()
        if not said or said not in program:
            self.skipTest("the program was built from another commit")
        other = self.directory / "other"
        other.write_bytes(program.replace(said, said[::-1]))
        other.chmod(0o755)
        command = self.command(1)
        own = command[command.index(PROGRAM):]
        run = subprocess.run([*command, ":", "-n", "1", other, *own[1:]], cwd=self.directory, text=True, check=False,
                             env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("options or program version than process 0", run.stderr)

    # ---- disks ----

    def faulty(self, count, rank, fault, *assignments, patience=PATIENCE):
        """Starts a run in which one process, or all, meet a fault."""
        self.write("with_fault.sh", 'if [ "$1" = all ] || [ "$1" = "$OMPI_COMM_WORLD_RANK" ]; then\n'
                                    f'  export LD_PRELOAD={SHIM} POISSON_FAULT="$2"\nfi\nshift 2\nexec "$@"\n')
        command = self.command(count, *assignments)
        program = command.index(PROGRAM)
        command[program:program] = ["sh", "with_fault.sh", str(rank), fault]
        begin = time.monotonic()
        run = subprocess.run(command, cwd=self.directory, text=True, check=False, env=self.environment,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertLess(time.monotonic() - begin, patience, run.stderr)
        return run

    def held(self):
        return {path.name: path.read_bytes() for path in (self.directory / "results").iterdir()
                if path.name != "summary.failed.json"}

    @unittest.skipUnless(os.path.exists(SHIM), "built without the shim")
    def test_disk_that_fails(self):
        self.assertEqual(self.poisson(3).returncode, 0)
        earlier = self.held()
        self.assertEqual(len(earlier), 5)
        for rank, fault, formats in ((2, "write:3:EIO:results", "vtk"), (0, "write:9+:ENOSPC:results", "vtk"),
                                     (1, "sync:1:EIO", "vtk"), (0, "rename:4:EIO", "vtk"),
                                     (0, "write:4+:ENOSPC:results", "hdf5"), (0, "write:12+:ENOSPC:results", "hdf5"),
                                     (2, "write:2+:ENOSPC:results", "hdf5"), (1, "sync:1:EIO", "hdf5"),
                                     ("all", "write:4+:ENOSPC:results", "vtk, hdf5, png")):
            with self.subTest(rank=rank, fault=fault, formats=formats):
                run = self.faulty(3, rank, fault, f"output.formats=[{formats}]", "equation.source=2")
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertEqual((len(self.message(run)), run.stderr.count("cannot be written")), (1, 1), run.stderr)
                self.assertIn(os.strerror(28 if "ENOSPC" in fault else 5), run.stderr)
                self.assertEqual(self.held(), earlier)
                failed = self.directory / "results" / "summary.failed.json"
                if "+" not in fault or rank in (1, 2):
                    self.assertIn("cannot be written", json.loads(failed.read_text(encoding="utf-8"))["reason"])
                failed.unlink(missing_ok=True)

    def elsewhere(self, mount, *assignments):
        """Starts a run in which the second of two processes sees other files."""
        self.write("elsewhere.sh", 'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then\n'
                                   f"  exec unshare -m sh -c 'mount {mount}; exec \"$@\"' sh \"$@\"\nfi\n"
                                   'exec "$@"\n')
        command = self.command(2, *assignments)
        program = command.index(PROGRAM)
        command[program:program] = ["sh", "elsewhere.sh"]
        run = subprocess.run(command, cwd=self.directory, text=True, check=False, env=self.environment,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        if "unshare" in run.stderr or "mount:" in run.stderr:
            self.skipTest("no file system can be mounted")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(len([line for line in run.stderr.splitlines() if "rocess 1" in line]), 1, run.stderr)
        return run.stderr

    @unittest.skipUnless(hasattr(os, "geteuid") and os.geteuid() == 0, "needs a file system of its own")
    def test_files_that_one_process_does_not_see(self):
        """The message must name the process."""
        self.assertEqual(self.poisson(2).returncode, 0)
        earlier = self.held()
        self.assertIn("poisson: process 1 cannot write to the output directory",
                      self.elsewhere("-t tmpfs none results"))
        self.datasets()
        data = ("equation.coefficient={file: data.h5, dataset: k}",)
        for name, said in (("data.h5", "it is a pipe or a device"), ("case.yaml", "grid: is missing")):
            self.assertRegex(self.elsewhere(f"--bind /dev/null {name}", *data), rf"{said}.* \(process 1 of 2\)\n")
        self.assertEqual(self.held(), earlier)

    # ---- a lost process ----

    def lose(self, sign, rank):
        title = f"lost-{os.getpid()}-{sign}-{rank}"
        run = subprocess.Popen(self.command(3, *ENDLESS, f"title={title}"), cwd=self.directory, env=self.environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        pattern = f"^{PROGRAM}.*{title}"
        begin = time.monotonic()
        while len(running(pattern)) < 3 and time.monotonic() < begin + 20:
            time.sleep(0.1)
        processes = {rank_of(number): number for number in running(pattern)}
        self.assertEqual(set(processes), {0, 1, 2})
        while not all(map(is_watching, processes.values())) and time.monotonic() < begin + 20:
            time.sleep(0.01)
        time.sleep(0.5)
        os.kill(processes[rank], sign)
        begin = time.monotonic()
        _, errors = run.communicate(timeout=60)
        took = time.monotonic() - begin
        self.assertNotEqual(run.returncode, 0)
        self.assertLess(took, PATIENCE, errors)
        time.sleep(0.5)
        self.assertEqual(running(pattern), [])
        self.assertFalse((self.directory / "results" / "solution.pvti").exists())
        messages = [line for line in errors.splitlines() if line.startswith("poisson: ")]
        self.assertEqual(len(messages), 1, errors)
        self.assertIn(f"poisson: process {rank} (number {processes[rank]} on ", messages[0])
        return messages[0]

    def test_killed(self):
        for rank in range(3):
            with self.subTest(rank=rank):
                self.assertIn("was killed, or crashed", self.lose(signal.SIGKILL, rank))

    def test_killed_while_mpi_starts(self):
        """The processes do not watch each other yet: the launcher reports the loss and ends the others."""
        self.write("early.sh", '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && kill -9 $$\nexec "$@"\n')
        command = self.command(3, f"title=early-{os.getpid()}")
        program = command.index(PROGRAM)
        command[program:program] = ["sh", "early.sh"]
        begin = time.monotonic()
        run = subprocess.run(command, cwd=self.directory, text=True, check=False, env=self.environment,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertLess(time.monotonic() - begin, PATIENCE, run.stderr)
        self.assertNotEqual(run.returncode, 0)
        self.assertRegex(run.stderr, "rank 1|signal 9|[Ff]ailed|1 process returned")  # launchers differ
        self.assertEqual(self.message(run), [])
        self.assertEqual(running(f"^{PROGRAM}.*early-{os.getpid()}"), [])
        self.assertFalse((self.directory / "results").exists())

    def test_slow_start_and_end(self):
        """A process that is alive must be waited for, even on a busy machine."""
        self.write("late.sh", '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && sleep 8\nexec "$@"\n')
        command = self.command(3)
        program = command.index(PROGRAM)
        command[program:program] = ["sh", "late.sh"]
        run = subprocess.run(command, cwd=self.directory, text=True, check=False, env=self.environment,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        if os.path.exists(SHIM):
            run = self.faulty(3, 1, "finalize:1:SLOW", patience=60)
            self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_stopped_while_mpi_starts(self):
        """The message must name the stopped process."""
        self.write("stopped.sh", '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && kill -STOP $$\nexec "$@"\n')
        command = self.command(3, f"title=stopped-{os.getpid()}")
        program = command.index(PROGRAM)
        command[program:program] = ["sh", "stopped.sh"]
        begin = time.monotonic()
        run = subprocess.run(command, cwd=self.directory, text=True, check=False, env=self.environment,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertLess(time.monotonic() - begin, PATIENCE, run.stderr)
        self.assertNotEqual(run.returncode, 0)
        messages = [line for line in run.stderr.splitlines() if line.startswith("poisson: ")]
        self.assertEqual(len(messages), 1, run.stderr)
        self.assertIn("poisson: process 1 (number ", messages[0])
        self.assertEqual(running(f"^{PROGRAM}.*stopped-{os.getpid()}"), [])

    def test_stopped(self):
        self.assertIn("has not responded", self.lose(signal.SIGSTOP, 1))

    def test_stopped_while_mpi_ends(self):
        """All files are complete at this point, except for steps of the first process before it reports the end of
        its work."""
        self.assertEqual(self.poisson(3).returncode, 0)
        complete = set(self.held())
        for rank, fault in ((1, "finalize:1:STOP"), (0, "finalize:1:STOP"), (2, "barrier:1:STOP")):
            with self.subTest(rank=rank, fault=fault):
                shutil.rmtree(self.directory / "results")
                title = f"lost-{os.getpid()}-{fault}-{rank}"
                run = self.faulty(3, rank, fault, f"title={title}", patience=30)  # includes the run before
                self.assertNotEqual(run.returncode, 0)
                self.assertEqual(set(self.held()), complete)
                self.assertEqual(running(f"^{PROGRAM}.*{title}"), [])
                messages = [line for line in run.stderr.splitlines() if line.startswith("poisson: ")]
                self.assertEqual(len(messages), 1, run.stderr)
                self.assertRegex(messages[0], rf"^poisson: process {rank} \(number \d+ on .*"
                                              r"the files that it has written are complete$")

    def test_interrupted(self):
        """An interruption of the launcher must reach all processes: they stop together and keep their results."""
        run = subprocess.Popen(self.command(2, *ENDLESS), cwd=self.directory, env=self.environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=30)
        self.assertNotEqual(run.returncode, 0)


if __name__ == "__main__":
    main()
