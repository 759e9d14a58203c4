#!/usr/bin/env python3
"""Checks that no results are lost: failing disks, kills, concurrent runs, foreign files in the results, closed streams,
limits of memory and threads, and files that declare huge sizes.

    test_faults.py POISSON_PROGRAM FAULT_SHIM [unittest arguments]
"""

import fcntl
import json
import os
import pathlib
import re
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, SHIM = (os.path.abspath(word) for word in sys.argv[1:3])
PYTHON = "/usr/bin/python3"  # has the distribution's h5py

SMALL = """\
domain: {lower: [0, 0, 0], upper: [1, 1, 1]}
grid: {cells: [6, 6, 6]}
equation: {source: 1}
output: {directory: results, fields: [u, coefficient]}
"""
LONG = ("solver.method=jacobi", "solver.max_iterations=100000000", "solver.tolerance=0", "grid.cells=[32, 32, 32]")
NAMES = ("solution.vti", "solution.hdf", "solution.png")


def sets(*assignments):
    return [word for assignment in assignments for word in ("--set", assignment)]


class Faults(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)
        self.results = self.directory / "results"
        self.write("case.yaml", SMALL)
        self.environment = {**os.environ, "OMP_NUM_THREADS": "2"}

    def write(self, name, text):
        (self.directory / name).write_text(text, encoding="utf-8")

    def command(self, *assignments, options=(), case="case.yaml"):
        return [PROGRAM, "--config", case, *sets(*assignments), *options]

    def poisson(self, *assignments, options=("--quiet",), case="case.yaml", environment=None, **more):
        more.setdefault("stdout", subprocess.PIPE)
        return subprocess.run(self.command(*assignments, options=options, case=case), cwd=self.directory, text=True,
                              env={**self.environment, **(environment or {})}, stderr=subprocess.PIPE, timeout=120,
                              check=False, **more)

    def faulty(self, fault, *assignments):
        return self.poisson(*assignments, environment={"LD_PRELOAD": SHIM, "POISSON_FAULT": fault})

    def start(self, *assignments, **more):
        process = subprocess.Popen(self.command(*assignments), cwd=self.directory, env=self.environment, **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def held(self):
        """Returns all files in the results folder and its subfolders."""
        return {str(path.relative_to(self.results)): path.read_bytes()
                for path in self.results.rglob("*") if path.is_file()}

    def check_complete(self):
        """Checks that the files are exactly those that the summary lists."""
        files = {file["name"]: file["bytes"] for file in self.summary()["files"]}
        names = {path.name for path in self.results.iterdir()}
        self.assertEqual(names, {"summary.json", *files})
        for name, size in files.items():
            self.assertEqual((self.results / name).stat().st_size, size)

    def summary(self, name="summary.json"):
        return json.loads((self.results / name).read_text(encoding="utf-8"))

    def check_untouched(self, earlier, reason=""):
        """Checks that earlier results are unchanged and that a separate summary states why the run failed."""
        held = self.held()
        failed = held.pop("summary.failed.json", None)
        self.assertEqual(held, earlier)
        if failed is not None:
            self.assertFalse(json.loads(failed)["converged"])
            self.assertIn(reason, json.loads(failed)["reason"])
        return failed is not None

    # ---- disks ----

    def every_call(self, kind, error, formats, lasting=""):
        """Makes each call of a kind fail in turn and returns the number of calls whose failure made the run fail."""
        assignment = f"output.formats=[{formats}]"
        self.assertEqual(self.poisson(assignment).returncode, 0)
        earlier = self.held()
        for number in range(1, 1000):
            with self.subTest(kind=kind, number=number, formats=formats):
                run = self.faulty(f"{kind}:{number}{lasting}:{error}", assignment, "equation.source=2")
                if run.returncode == 0:
                    self.check_complete()
                    self.assertNotEqual(self.held(), earlier)
                    return number - 1
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertIn(os.strerror(28 if error == "ENOSPC" else 5), run.stderr)
                self.assertIn("results/", run.stderr)
                recorded = self.check_untouched(earlier, "cannot be written")
                self.assertTrue(recorded or lasting)
                self.assertTrue(all(not path.is_dir() for path in self.results.iterdir()))
        return 0

    def test_failing_writes(self):
        self.assertGreater(self.every_call("write", "ENOSPC", "hdf5"), 4)
        self.assertGreater(self.every_call("write", "EIO", "vtk"), 2)
        self.assertGreater(self.every_call("write", "ENOSPC", "png"), 1)

    def test_full_disk(self):
        self.assertGreater(self.every_call("write", "ENOSPC", "hdf5, vtk", lasting="+"), 8)

    def test_failing_renames(self):
        self.assertGreater(self.every_call("rename", "EIO", "hdf5, vtk"), 8)

    def test_failing_flushes_and_closes(self):
        self.assertGreater(self.every_call("sync", "EIO", "hdf5, vtk"), 3)
        self.assertGreater(self.every_call("close", "EIO", "hdf5"), 2)

    def test_limit_of_a_file_size(self):
        self.assertEqual(self.poisson().returncode, 0)
        earlier = self.held()
        for formats in ("hdf5", "vtk", "png"):
            run = self.poisson("grid.cells=[30, 30, 30]", f"output.formats=[{formats}]", preexec_fn=lambda:
                               resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertIn("File too large", run.stderr)
            self.assertTrue(self.check_untouched(earlier, "File too large"))

    def test_failures_of_any_kind_leave_earlier_results(self):
        self.assertEqual(self.poisson().returncode, 0)
        earlier = self.held()
        for assignment, status in (("equation.coefficient=x-1", 2), ("equation.source=sqrt(x-2)", 2),
                                   ("grid.cells=[90000, 90000, 90000]", 1)):
            run = self.poisson(assignment)
            self.assertEqual(run.returncode, status, run.stderr)
            self.assertTrue(self.check_untouched(earlier))
        self.assertEqual(self.poisson().returncode, 0)
        self.check_complete()  # without the summary of the failure

    # ---- kills ----

    def test_kill_at_every_call(self):
        for number in range(1, 1000):
            with self.subTest(number=number):
                self.assertEqual(self.poisson("output.formats=[vtk]").returncode, 0)
                self.check_complete()
                earlier = self.held()
                run = self.faulty(f"any:{number}:KILL", "output.formats=[hdf5]", "grid.cells=[4, 4, 4]")
                if run.returncode == 0:
                    self.assertGreater(number, 20)
                    return
                self.assertEqual(run.returncode, -signal.SIGKILL)
                if (self.results / "summary.json").exists():  # otherwise the next run repairs it
                    for file in self.summary()["files"]:
                        self.assertEqual((self.results / file["name"]).stat().st_size, file["bytes"])
                done = "solution.hdf" in self.held() and (self.results / "summary.json").exists()
                # A run that fails keeps the earlier results, deletes the killed run's remains, and leaves no lock.
                self.assertEqual(self.poisson("equation.source=sqrt(x-2)").returncode, 2)
                if done:
                    (self.results / "summary.failed.json").unlink()
                    self.check_complete()
                else:
                    self.check_untouched(earlier)
                self.assertEqual([path for path in self.results.iterdir() if path.name.startswith(".")], [])

    def test_hangup_and_termination(self):
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            process = self.start("output.formats=[hdf5]", *LONG, stdout=subprocess.DEVNULL)
            time.sleep(1)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=30), 3)
            self.check_complete()
            self.assertIn("stopped", self.summary()["reason"])

    def test_hangup_that_nohup_has_ignored(self):
        process = self.start(*LONG, stdout=subprocess.DEVNULL, preexec_fn=lambda:
                             signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(1)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        self.assertIsNone(process.poll())

    # ---- others in the directory ----

    def test_second_run_is_refused(self):
        self.assertEqual(self.poisson().returncode, 0)
        earlier = self.held()
        process = self.start(*LONG, stdout=subprocess.DEVNULL)
        time.sleep(1)
        run = self.poisson()
        self.assertEqual(run.returncode, 2)
        self.assertIn("another run writes to the output directory results", run.stderr)
        process.kill()
        process.wait()
        self.assertEqual({name: self.held()[name] for name in earlier}, earlier)
        self.assertEqual(self.poisson().returncode, 0)
        self.check_complete()

    def test_pairs_of_runs(self):
        for _ in range(10):
            pair = [self.start(f"equation.source={source}", "output.formats=[hdf5]", stderr=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL) for source in (1, 2)]
            statuses = sorted(process.wait() for process in pair)
            self.assertIn(statuses, ([0, 0], [0, 2]))  # one after the other, or refused during it
            self.check_complete()

    def test_file_system_without_locks(self):
        run = self.poisson(options=(), environment={"LD_PRELOAD": SHIM, "POISSON_FAULT": "lock:1+:ENOLCK"})
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("cannot be locked (No locks available)", run.stderr)
        self.check_complete()
        (self.results / "solution.hdf").rename(self.directory / "start.hdf")
        run = self.faulty("lock:1+:ENOLCK", "solver.initial={file: start.hdf, dataset: /VTKHDF/PointData/u}")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_links_and_pipes_are_not_followed(self):
        target = self.directory / "target"
        for kind in ("link", "pipe", "folder"):
            for name in (".poisson.lock", "summary.json", "summary.failed.json", ".summary.json.part", ".writable",
                         *NAMES, *(f".{name}.part" for name in NAMES)):
                with self.subTest(kind=kind, name=name):
                    subprocess.run(["rm", "-rf", str(self.results)], check=True)
                    self.results.mkdir()
                    target.write_text("kept", encoding="utf-8")
                    place = self.results / name
                    if kind == "link":
                        place.symlink_to(target)
                    elif kind == "pipe":
                        os.mkfifo(place)
                    else:
                        place.mkdir()
                    before = place.lstat()
                    run = self.poisson()
                    self.assertIn(run.returncode, (0, 2), run.stderr)
                    if run.returncode == 2:
                        kept = "is not a regular file" if "lock" in name else "exists, but no earlier run has written it"
                        self.assertIn(f"results/{name} {kept}", run.stderr)
                    self.assertEqual(place.lstat().st_ino, before.st_ino)
                    self.assertEqual(target.read_text(encoding="utf-8"), "kept")

    def test_files_of_others_are_not_touched(self):
        self.results.mkdir()
        foreign = {name: b"mine" for name in ("solution.h5", "solution.vtr", ".solution.h5.part", "notes.txt")}
        for name, content in foreign.items():
            (self.results / name).write_bytes(content)
        for formats in ("[hdf5, vtk]", "[png]"):
            self.assertEqual(self.poisson(f"output.formats={formats}").returncode, 0)
            held = self.held()
            self.assertEqual({name: held[name] for name in foreign}, foreign)
        # A result that was changed later belongs to the user.
        self.assertEqual(self.poisson("output.formats=[hdf5]").returncode, 0)
        (self.results / "solution.hdf").write_bytes(b"mine now")
        earlier = self.held()
        run = self.poisson("output.formats=[hdf5]")
        self.assertEqual(run.returncode, 2)
        self.assertIn("results/solution.hdf exists, but no earlier run has written it", run.stderr)
        self.check_untouched(earlier)
        self.assertEqual(self.poisson("output.formats=[png]").returncode, 0)
        self.assertEqual(self.held()["solution.hdf"], b"mine now")
        (self.results / "summary.json").write_text("{}", encoding="utf-8")
        run = self.poisson("output.formats=[]")
        self.assertEqual(run.returncode, 2)
        self.assertEqual((self.results / "summary.json").read_text(encoding="utf-8"), "{}")

    def test_own_folder_is_the_users_alone(self):
        self.start(*LONG, stdout=subprocess.DEVNULL, preexec_fn=lambda: os.umask(0))
        time.sleep(1)
        (folder,) = (path for path in self.results.iterdir() if path.is_dir())
        self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)

    def test_renames_that_fail_for_good(self):
        self.assertEqual(self.poisson("output.formats=[hdf5]").returncode, 0)
        earlier = self.held()
        run = self.faulty("rename:5+:EIO", "output.formats=[hdf5]", "equation.source=2")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, "Earlier results are in .*; the next run restores them")
        self.assertEqual(self.poisson("equation.source=sqrt(x-2)").returncode, 2)
        self.assertTrue(self.check_untouched(earlier))

    def test_leftovers_hold_what_is_not_ours(self):
        folder = self.results / ".poisson-abc123"
        folder.mkdir(parents=True, mode=0o700)
        (folder / "solution.vti").write_bytes(b"half")
        (folder / "thesis.tex").write_bytes(b"mine")
        self.assertEqual(self.poisson().returncode, 0)
        self.assertEqual([path.name for path in folder.iterdir()], ["thesis.tex"])

    # ---- streams ----

    def test_standard_output_that_fails(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            run = self.poisson(options=(), stdout=full)
        self.assertEqual(run.returncode, 1)
        self.assertIn("cannot write to standard output (No space left on device); the results are complete",
                      run.stderr)
        self.check_complete()
        run = self.poisson(options=(), preexec_fn=lambda: os.close(1))
        self.assertEqual(run.returncode, 1)
        self.assertIn("cannot write to standard output", run.stderr)
        self.check_complete()
        self.assertEqual(self.poisson(preexec_fn=lambda: os.close(1)).returncode, 0)  # quiet
        read, written = os.pipe()
        os.close(read)
        run = self.poisson(options=(), stdout=written)
        os.close(written)
        self.assertEqual(run.returncode, 1)
        self.assertIn("Broken pipe", run.stderr)
        self.check_complete()
        with open("/dev/full", "w", encoding="utf-8") as full:
            for option in ("--reference", "--schema", "--help", "--version", "--validate", "--dry-run"):
                run = self.poisson(options=(option,), stdout=full)
                self.assertEqual(run.returncode, 1)
                self.assertIn("No space left on device", run.stderr)

    def test_progress_without_a_terminal(self):
        process = self.start(*LONG, stdout=subprocess.PIPE)
        time.sleep(3.5)
        process.kill()
        lines = re.findall(rb"^  cycle +\d+   residual [\d.e+-]+   .* s$", process.communicate()[0], re.MULTILINE)
        self.assertIn(len(lines), (1, 2, 3))

    # ---- limits ----

    def test_memory_that_is_not_to_be_had(self):
        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        large = "grid.cells=[600, 500, 400]"
        run = self.poisson(large, "output.formats=[hdf5]", preexec_fn=limited)
        self.assertEqual(run.returncode, 1)
        self.assertIn("(ulimit -v)", run.stderr)
        cells = [int(n) for n in re.search(r"cells per axis, at most (\d+) x (\d+) x (\d+)", run.stderr).groups()]
        self.assertGreater(min(cells), 100)
        self.assertIn("ulimit -v", self.summary("summary.failed.json")["reason"])
        run = self.poisson(f"grid.cells={cells}", "output.formats=[hdf5]", preexec_fn=limited)
        self.assertEqual(run.returncode, 0, run.stderr)
        run = self.poisson("grid.cells=[300, 300, 300]", environment={"SLURM_JOB_ID": "7", "SLURM_MEM_PER_NODE": "600"})
        self.assertEqual(run.returncode, 1)
        self.assertIn("(SLURM_MEM_PER_NODE)", run.stderr)

    def test_advice_for_little_memory(self):
        """Under each limit a run must always be accepted or always be refused, and the grid that a refusal suggests
        must run."""
        def under(mebibytes, cells, *more):
            return self.poisson(f"grid.cells={cells}", "equation.coefficient=1+x", "output.formats=[]",
                                "solver.max_iterations=2", "solver.tolerance=1e-2", *more, preexec_fn=lambda:
                                resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20)))
        # The memory that the process uses before the solve follows from the free memory that it reports under a limit.
        most = 1000
        left = re.search(r"but only ([\d.]+) MiB are available", under(most, [1000, 1000, 1000]).stderr)
        base = most - int(float(left[1]))
        refused, sizes = set(), []
        for room in (20, 45, 70, 110, 200):
            said = [under(base + room, [96, 96, 96]) for _ in range(4)]
            self.assertEqual(len({run.returncode for run in said}), 1, [run.stderr for run in said])
            refused.add(said[0].returncode)
            run = under(base + room, [300, 300, 300])
            self.assertEqual(run.returncode, 1)
            cells = [int(n) for n in re.search(r"axis, at most (\d+) x (\d+) x (\d+)", run.stderr).groups()]
            self.assertIn(under(base + room, cells).returncode, (0, 3), cells)
            sizes.append(cells[0])
        self.assertEqual(refused & {1}, {1})
        self.assertGreater(len(refused), 1)
        self.assertEqual(sizes, sorted(sizes))
        self.assertGreater(sizes[0], 40)
        run = self.poisson("grid.cells=[300, 300, 300]", environment={"SLURM_JOB_ID": "7", "SLURM_MEM_PER_NODE": "1"})
        self.assertEqual(run.returncode, 1)
        self.assertIn("0 B are available (SLURM_MEM_PER_NODE): no grid fits; raise this limit", run.stderr)

    def test_dry_run_of_what_does_not_fit(self):
        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        run = self.poisson("grid.cells=[600, 500, 400]", options=("--dry-run",), preexec_fn=limited)
        self.assertEqual(run.returncode, 1)
        self.assertIn("does not fit: ", run.stdout)
        self.assertIn("(ulimit -v)", run.stderr)
        self.assertEqual(self.poisson("grid.cells=[100, 100, 100]", options=("--dry-run",), preexec_fn=limited).returncode, 0)

    def test_number_of_threads(self):
        self.assertEqual(self.poisson(options=("--quiet", "--threads", "1024")).returncode, 0)
        run = self.poisson(options=("--threads", "65536"))
        self.assertEqual(run.returncode, 2)
        self.assertIn("1024", run.stderr)
        run = self.poisson(environment={"OMP_NUM_THREADS": "65536"})
        self.assertEqual(run.returncode, 2)
        self.assertIn("OMP_NUM_THREADS", run.stderr)
        run = self.poisson(options=("--threads", "1000"), preexec_fn=lambda:
                           resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)))
        self.assertEqual(run.returncode, 1)
        threads = re.search(r"cannot start 1000 threads .* use --threads (\d+)", run.stderr).group(1)
        self.assertEqual(self.poisson(options=("--quiet", "--threads", threads), preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_AS, (3 << 30, 3 << 30))).returncode, 0)

    def test_one_of_several_processes(self):
        for variables in ({"OMPI_COMM_WORLD_SIZE": "2"}, {"PMI_SIZE": "4", "PMI_RANK": "0"}, {"PMIX_RANK": "1"},
                          {"SLURM_NTASKS": "2", "SLURM_STEP_ID": "0", "SLURM_PROCID": "0"}, {"SLURM_PROCID": "1"},
                          {"SLURM_STEP_NUM_TASKS": "3", "SLURM_PROCID": "0"}):
            run = self.poisson(environment=variables)
            self.assertEqual(run.returncode, 2, variables)
            self.assertIn("started as one of several processes", run.stderr)
            self.assertFalse(self.results.exists())
        for variables in ({"OMPI_COMM_WORLD_SIZE": "1", "PMIX_RANK": "0"}, {"SLURM_NTASKS": "8", "SLURM_PROCID": "0"},
                          {"SLURM_NTASKS": "8", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "1"}):
            self.assertEqual(self.poisson(environment=variables).returncode, 0, variables)

    # ---- inputs ----

    def test_wild_sizes(self):
        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        subprocess.run([PYTHON, "-c", """
import h5py, numpy
def file(name, **sets):
    with h5py.File(name, "w") as out:
        for key, (shape, chunks) in sets.items():
            out.create_dataset(key, shape=shape, chunks=chunks, fillvalue=1.0)
row, block = ((1, 3), None), (1, 16, 16, 16)
file("overflow.h5", offsets=row, bands=((1, 2**22, 2**21, 2**21), block))
file("empty.h5", offsets=row, bands=((1, 1000, 1000, 1000), block))
file("offsets.h5", offsets=((10**6, 10**6), (16, 16)), bands=((1, 8, 8, 8), None))
with h5py.File("rhs.h5", "w") as out:
    out["offsets"] = numpy.zeros((1, 3))
    out["bands"] = numpy.ones((1, 8, 8, 8))
    out.create_dataset("rhs", shape=(10**6, 10**6), chunks=(16, 16))
file("axis.h5", x=((10**12,), (1024,)), y=((2**63 - 1,), (1024,)))
"""], cwd=self.directory, check=True)
        for name in ("overflow", "empty", "offsets", "rhs"):
            self.write("matrix.yaml", f"grid: {{type: banded, file: {name}.h5}}\n")
            run = self.poisson(case="matrix.yaml", options=("--validate",), preexec_fn=limited)
            self.assertEqual(run.returncode, 2, name + run.stderr)
            self.assertIn("dataset", run.stderr)
        for axis in "xy":
            self.write("axis.yaml", "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {type: tensor-product, cells: [4, 4], "
                       f"axes: {{x: {{file: axis.h5, dataset: {axis}}}}}}}\n")
            run = self.poisson(case="axis.yaml", options=("--validate",), preexec_fn=limited)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn("an axis has at most", run.stderr)
        for rows, shape in ((10**9, [1000] * 3), (8, [10**8] * 3), (0, [2**22, 2**21, 2**21])):
            self.write("m.mtx", f"%%MatrixMarket matrix coordinate real general\n{rows} {rows} 3\n1 1 1\n")
            self.write("market.yaml", f"grid: {{type: banded, file: m.mtx, shape: {shape}}}\n")
            run = self.poisson(case="market.yaml", options=("--validate",), preexec_fn=limited)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn("m.mtx:2", run.stderr)

    def test_hdf5_that_refers_to_other_files(self):
        """Datasets must be read only from the named file."""
        subprocess.run([PYTHON, "-c", """
import h5py, numpy
with h5py.File("far.h5", "w") as far:
    far["k"], far["x"] = numpy.ones((6, 6, 6)), numpy.linspace(0, 1, 7)
    far["offsets"], far["bands"], far["rhs"] = numpy.zeros((1, 3)), numpy.ones((1, 8, 8, 8)), numpy.ones((8, 8, 8))
shapes = {"k": (6, 6, 6), "x": (7,), "offsets": (1, 3), "bands": (1, 8, 8, 8), "rhs": (8, 8, 8)}
for name, shape in shapes.items():
    for kind in ("link", "soft", "external", "virtual"):
        with h5py.File(f"{kind}-{name}.h5", "w") as out, h5py.File("far.h5", "r") as far:
            for other in shapes:
                if other != name:
                    out[other] = far[other][...]
            if kind == "link":
                out[name] = h5py.ExternalLink("far.h5", name)
            elif kind == "soft":
                out["far"] = h5py.ExternalLink("far.h5", "/")
                out[name] = h5py.SoftLink(f"/far/{name}")
            elif kind == "external":
                out.create_dataset(name, shape=shape, dtype="f8",
                                   external=[("/etc/passwd", 0, int(8 * numpy.prod(shape)))])
            else:
                layout = h5py.VirtualLayout(shape=shape, dtype="f8")
                layout[...] = h5py.VirtualSource("far.h5", name, shape=shape)
                out.create_virtual_dataset(name, layout)
"""], cwd=self.directory, check=True)
        def refused(words, *assignments, case="case.yaml"):
            run = self.poisson(*assignments, case=case)
            self.assertEqual(run.returncode, 2, (assignments, case, run.stderr))
            self.assertIn(words, run.stderr)
        for kind, words in (("link", "an external link points to"), ("soft", "an external link points to"),
                            ("external", "external storage"), ("virtual", "a virtual dataset")):
            for key in ("equation.coefficient", "equation.reaction", "equation.source", "solver.initial"):
                refused(words, f"{key}={{file: {kind}-k.h5, dataset: k}}")
            refused(words, "grid={type: tensor-product, cells: [6, 6, 6], "
                    f"axes: {{x: {{file: {kind}-x.h5, dataset: x}}}}}}")
            for name in ("offsets", "bands", "rhs"):
                self.write(f"{kind}-{name}.yaml", f"grid: {{type: banded, file: {kind}-{name}.h5}}\n"
                           "output: {directory: results}\n")
                refused(words, case=f"{kind}-{name}.yaml")
        self.assertEqual(self.poisson("equation.coefficient={file: far.h5, dataset: k}").returncode, 0)

    def test_long_texts(self):
        run = self.poisson("title=" + 70000 * "T")
        self.assertEqual(run.returncode, 2)
        self.assertIn("title: has 70000 bytes; give at most 1000", run.stderr)
        self.write("long.yaml", SMALL.replace("source: 1", "source: " + "+".join(30000 * ["x"])))
        run = self.poisson(case="long.yaml")
        self.assertEqual(run.returncode, 2)
        self.assertIn("the expression has 59999 characters", run.stderr)
        self.assertLess(len(run.stderr), 300)
        self.write("long.yaml", SMALL.replace("source: 1", "source: " + "+".join(2000 * ["x"] + ["foo"] + 2000 * ["y"])))
        run = self.poisson(case="long.yaml")
        self.assertIn("'foo' at character 4001 of", run.stderr)
        self.assertLess(len(run.stderr), 500)

    def test_configuration_without_end(self):
        run = self.poisson(case="/dev/zero", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                                                  (2 << 30, 2 << 30)))
        self.assertEqual(run.returncode, 2)
        self.assertIn("/dev/zero: exceeds 64 MiB", run.stderr)

    def test_numbers_of_cells_that_overflow(self):
        run = self.poisson("grid.cells=[10000000, 10000000, 10000000]", options=("--dry-run",))
        self.assertEqual(run.returncode, 2)
        self.assertIn("requests 1e+21 cells in total", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
