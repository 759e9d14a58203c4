#!/usr/bin/env python3
"""Tests matrices from files on several processes, each of which reads its rows (several_processes.py)."""

import subprocess

from several_processes import CONFIGS, PYTHON, SeveralProcesses, main


# The script writes random couplings of neighbours along the axes and by `more` steps, symmetric except for `skew`, and
# a random right-hand side.
MATRIX = """import h5py, numpy as np
def write(name, n, shift, random, more=(), skew=0.0):
    diagonal, bands = np.full(n, shift), {}
    for step in (*np.eye(3, dtype=int)[np.array(n) > 1], *map(np.array, more)):
        here = tuple(slice(0, m - d) for m, d in zip(n, step)); there = tuple(slice(d, m) for m, d in zip(n, step))
        a = 1 + random.random(diagonal[here].shape); up, down = np.zeros(n), np.zeros(n)
        up[here] = (skew - 1) * a; down[there] = -a; diagonal[here] += a; diagonal[there] += a
        bands[tuple(step)], bands[tuple(-step)] = up, down
    bands[(0, 0, 0)] = diagonal; b = random.random(n); f = h5py.File(name, 'w'); f['rhs'] = b
    f['offsets'] = [s[::-1] for s in bands]; f['bands'] = np.array(list(bands.values()))
    return bands, b
"""


class SharedMatrices(SeveralProcesses):
    def test_matrices(self):
        """Each process must read only its rows, from both kinds of files."""
        script = """n = (40, 9, 10); bands, b = write('m.h5', n, 1e-2, np.random.default_rng(1))
number = np.arange(b.size).reshape(n) + 1; lines = []
for s, a in bands.items():
    for at in zip(*np.nonzero(a)):
        lines.append(f'{number[at]} {number[tuple(i + d for i, d in zip(at, s))]} {float(a[at])!r}')
head = '%%MatrixMarket matrix'; entries = ''.join(f'{line}\\n' for line in lines)
open('m.mtx', 'w').write(f'{head} coordinate real general\\n{b.size} {b.size} {len(lines)}\\n{entries}')
values = ''.join(f'{float(v)!r}\\n' for v in b.ravel())
open('b.mtx', 'w').write(f'{head} array real general\\n{b.size} 1\\n{values}')
"""
        subprocess.run([PYTHON, "-c", MATRIX + script], cwd=self.directory, check=True)
        end = "solver: {precision: double, tolerance: 1e-12}\noutput: {formats: [hdf5]}\n"
        self.write("hdf5.yaml", "grid: {type: banded, file: m.h5}\n" + end)
        self.write("market.yaml", "grid: {type: banded, file: m.mtx, shape: [10, 9, 40], rhs: b.mtx}\n" + end)
        wanted = self.solved(0, "one", case="hdf5.yaml")
        self.assertEqual(wanted["matrix"]["bands"], 7)
        for count, name, more in ((0, "market", ()), (2, "hdf5", ()), (2, "market", ()),
                                  (4, "hdf5", ("backend.blocks=[1, 1, 4]",)), (3, "market", ("backend.blocks=[1, 1, 3]",))):
            found = self.solved(count, "other", *more, case=f"{name}.yaml")
            self.near(found, wanted, 1e-11, f"{name}, {count} processes")
            for measure in ("bands", "symmetric", "asymmetry", "dominance"):
                self.assertEqual(found["matrix"][measure], wanted["matrix"][measure], measure)
            self.same_fields("one", "other", "1e-11", 1)

    def test_matrices_that_are_singular_or_of_one_dimension(self):
        """All points must have equal weights in the projection of b. A row of points must be cut and written as one
        grid."""
        script = "random = np.random.default_rng(2)\n" \
                 "write('singular.h5', (1, 30, 9), 0.0, random); write('line.h5', (1, 1, 26), 1e-2, random)\n"
        subprocess.run([PYTHON, "-c", MATRIX + script], cwd=self.directory, check=True)
        end = "solver: {precision: double, tolerance: 1e-12}\noutput: {formats: [vtk, hdf5]}\n"
        for name, counts in (("singular", (2, 4)), ("line", (2, 3))):
            self.write(f"{name}.yaml", f"grid: {{type: banded, file: {name}.h5}}\n{end}")
            wanted = self.solved(0, "one", case=f"{name}.yaml")
            for count in counts:
                found = self.solved(count, "other", case=f"{name}.yaml")
                self.near(found, wanted, 1e-10, f"{name}, {count} processes")
                self.same_fields("one", "other", "1e-10", 2)

    def test_sweeps_are_those_of_one_process(self):
        """For any coupled neighbours, a fixed number of iterations must give the same result up to rounding."""
        script = "random = np.random.default_rng(3)\n" \
                 "write('star.h5', (1, 20, 27), 1e-2, random); write('star3.h5', (24, 9, 10), 1e-2, random)\n" \
                 "write('triangles.h5', (1, 20, 27), 1e-2, random, [(0, 1, 1)])\n" \
                 "write('tetrahedra.h5', (24, 9, 10), 1e-2, random, [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 1, 1)])\n"
        subprocess.run([PYTHON, "-c", MATRIX + script], cwd=self.directory, check=True)
        end = "solver: {precision: double, tolerance: 0, max_iterations: 3}\noutput: {formats: [hdf5]}\n"
        for name in ("star", "star3", "triangles", "tetrahedra"):
            self.write(f"{name}.yaml", f"grid: {{type: banded, file: {name}.h5}}\n{end}")
        plate = ("solver.precision=double", "solver.tolerance=0", "solver.max_iterations=3", "output.formats=[hdf5]")
        for case, more in (("star.yaml", ()), ("star3.yaml", ()), ("triangles.yaml", ()), ("tetrahedra.yaml", ()),
                           (CONFIGS / "banded.yaml", plate)):
            with self.subTest(case=case):
                self.solved(0, "one", *more, case=case)
                for count in (2, 4):
                    self.solved(count, "other", *more, case=case)
                    self.same_fields("one", "other", "1e-13", 1)

    def test_couplings_that_reach_further_or_are_not_symmetric(self):
        script = "random = np.random.default_rng(4); flat, box = (1, 20, 27), (24, 14, 10)\n" \
                 "far, far3 = [(0, 0, 2), (0, 1, 2), (0, 2, 0)], [(2, 0, 0), (0, 2, 1), (1, 0, 2), (2, 1, 1)]\n" \
                 "write('far.h5', flat, 1e-2, random, far); write('far3.h5', box, 1e-2, random, far3)\n" \
                 "write('skew.h5', flat, 1e-2, random, [], 0.3); write('skew3.h5', box, 1e-2, random, far3, 0.3)\n" \
                 "write('further.h5', (1, 20, 60), 1e-2, random, [(0, 0, 3)])\n"
        subprocess.run([PYTHON, "-c", MATRIX + script], cwd=self.directory, check=True)
        end = "solver: {precision: double, tolerance: 0, max_iterations: 9}\noutput: {formats: [hdf5]}\n"
        for name in ("far", "far3", "skew", "skew3", "further"):
            self.write(f"{name}.yaml", f"grid: {{type: banded, file: {name}.h5}}\n{end}")
        for name, method, counts in (("far", "auto", (2, 3)), ("far3", "auto", (2, 4)), ("far3", "jacobi", (3,)),
                                     ("skew", "auto", (2, 4)), ("skew3", "auto", (2, 3)), ("further", "auto", (2,))):
            for count in counts:
                with self.subTest(name=name, method=method, count=count):
                    blocks = {"further": [1, 2], "skew3": [1, count, 1]}.get(name)
                    more = (f"solver.method={method}", *([f"backend.blocks={blocks}"] if blocks else []))
                    wanted = self.solved(0, "one", f"solver.method={method}", case=f"{name}.yaml")
                    found = self.solved(count, "other", *more, case=f"{name}.yaml")
                    self.same_fields("one", "other", "1e-13", 1)
                    for measure in ("bands", "symmetric", "asymmetry", "dominance"):
                        self.assertEqual(found["matrix"][measure], wanted["matrix"][measure], measure)
        for options in ((), ("--dry-run",)):
            run = self.poisson(2, "backend.blocks=[2, 1]", case="further.yaml", options=options)
            self.assertEqual(run.returncode, 2)
            self.assertEqual(run.stderr.count("couples points that are 3 apart along x, but several processes"), 1)
        self.solved(2, "other", case="further.yaml")  # automatically cuts another axis

    def test_rows_of_any_scale(self):
        """For S A S with s over 8, 16 and 24 decades, u, residual and summary must be in the units of the file."""
        script = """import json, sys
def scaled(name, n, decades, random, skew):
    bands, b = write(name + '.h5', n, 1e-2, random, (), skew); size = b.size
    number = np.arange(size).reshape(n); dense = np.zeros((size, size)); s = 10 ** random.uniform(-decades, decades, n)
    lines = []
    with h5py.File(name + '.h5', 'r+') as f:
        for number_of_band, (step, a) in enumerate(bands.items()):
            for at in zip(*np.nonzero(a)):
                to = tuple(i + d for i, d in zip(at, step)); dense[number[at], number[to]] = a[at]
                value = a[at] * s[at] * s[to]; f['bands'][(number_of_band, *at)] = value
                lines.append(f'{number[at] + 1} {number[to] + 1} {float(value)!r}')
        f['rhs'][:] = b * s
    head = '%%MatrixMarket matrix'; entries = ''.join(f'{line}\\n' for line in lines)
    open(name + '.mtx', 'w').write(f'{head} coordinate real general\\n{size} {size} {len(lines)}\\n{entries}')
    values = ''.join(f'{float(v)!r}\\n' for v in (b * s).ravel())
    open(name + 'r.mtx', 'w').write(f'{head} array real general\\n{size} 1\\n{values}')
    np.save(name, np.stack([np.linalg.solve(dense, b.ravel()).reshape(n), s])); np.save(name + '-a', dense)
for decades in (4, 8, 12):
    random = np.random.default_rng(decades)
    scaled(f's{decades}', (1, 24, 9), decades, random, 0.0); scaled(f'u{decades}', (1, 24, 9), decades, random, 0.3)
"""
        check = """import h5py, numpy as np, json, pathlib, sys
name, folder, bound = sys.argv[1], sys.argv[2], float(sys.argv[3])
v, s = np.load(name + '.npy'); A = np.load(name + '-a.npy'); found = {}
with h5py.File(next(pathlib.Path(folder).glob('*.h*'))) as file:
    file.visititems(lambda path, item: found.update({path.split('/')[-1]: item[()]}) if hasattr(item, 'dtype') else None)
u, r = found['u'].reshape(v.shape), found['residual'].reshape(v.shape); summary = json.load(open(folder + '/summary.json'))
assert np.abs(u * s - v).max() <= bound * np.abs(v).max(), np.abs(u * s - v).max() / np.abs(v).max()
b = (A @ v.ravel()).reshape(v.shape); left = b - (A @ (u * s).ravel()).reshape(v.shape)
assert np.abs(r / s - left).max() <= 1e-12 * np.abs(b).max() + 0.01 * np.abs(left).max() + (1 if bound > 1e-4 else 0)
solution = summary['solution']; assert np.isclose(solution['min'], u.min(), rtol=1e-9, atol=0)
assert np.isclose(solution['max'], u.max(), rtol=1e-9) and np.isclose(solution['l2'], np.sqrt((u ** 2).sum()), rtol=1e-9)
assert np.isclose(summary['probes'][0]['u'], u[0, 5, 3], rtol=1e-9), (summary['probes'], u[0, 5, 3])
norm = np.sqrt((left.ravel() ** 2 / np.diag(A)).sum() / (b.ravel() ** 2 / np.diag(A)).sum())
assert bound > 1e-4 or norm <= 1.1 * summary['residual']['relative'] + 1e-13, (norm, summary['residual'])
"""
        subprocess.run([PYTHON, "-c", MATRIX + script], cwd=self.directory, check=True)
        self.write("check.py", check)
        end = "output: {formats: [hdf5], fields: [u, residual], probes: [[3, 5]]}\n"
        for name in ("s4", "s8", "s12", "u4", "u8", "u12"):
            self.write(f"{name}.yaml", f"grid: {{type: banded, file: {name}.h5}}\n{end}")
            self.write(f"{name}m.yaml", f"grid: {{type: banded, file: {name}.mtx, shape: [9, 24], rhs: {name}r.mtx}}\n{end}")
            for count, case, more in ((0, name, ()), (0, name + "m", ()), (2, name, ()), (3, name + "m", ()),
                                      (0, name, ("solver.precision=double",)), (2, name, ("solver.precision=double",)),
                                      (0, name, ("solver.precision=single",)),
                                      *(((0, name, ("solver.method=cg",)), (2, name, ("solver.method=cg",)))
                                        if name[0] == "s" else ())):
                with self.subTest(case=case, count=count, more=more):
                    single = "solver.precision=single" in more
                    more += ("solver.max_iterations=20000", f"solver.tolerance={'1e-4' if single else '1e-10'}")
                    self.assertTrue(self.solved(count, "out", *more, case=f"{case}.yaml")["converged"])
                    subprocess.run([PYTHON, "check.py", name, "out", "1e-2" if single else "1e-6"], cwd=self.directory,
                                   check=True)

    def test_errors_in_rows_of_one_process(self):
        rows = [f"{i} {j} {2 if i == j else -1}" for i in range(1, 61) for j in (i, i + 1, i - 1) if 1 <= j <= 60]
        script = "import h5py, numpy; m = numpy.full((1, 30, 2), 2.0); m[0, 29, 1] = numpy.nan\nf = h5py.File('m.h5', 'w')\n" \
                 "f['offsets'] = [[0, 0, 0]]; f['bands'] = m.reshape(1, 1, 30, 2)\n"
        subprocess.run([PYTHON, "-c", script], cwd=self.directory, check=True)
        for entry in ("1 1 -2", "31 31 0", "60 60 -2"):
            row = entry.split()[0]
            own = [entry if line.startswith(f"{row} {row} ") else line for line in rows]
            self.write("m.mtx", "\n".join([f"%%MatrixMarket matrix coordinate real general\n60 60 {len(rows)}", *own, ""]))
            self.refused_rows("m.mtx, shape: [2, 30]", f"'m.mtx': the diagonal entry of row {row}, ")
        self.refused_rows("m.h5", "band 0 is not finite at point (1, 29, 0)")

    def refused_rows(self, file, said):
        self.write("matrix.yaml", f"grid: {{type: banded, file: {file}}}\n")
        for count in (0, 2, 3):
            run = self.poisson(count, case="matrix.yaml")
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertEqual(len([line for line in run.stderr.splitlines() if said in line]), 1, run.stderr)


if __name__ == "__main__":
    main()
