"""Processes that mpirun starts share one grid; their arrays are blocks of it."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

from poisson import _core

SCRIPT = pathlib.Path(__file__).with_name("processes.py")
MPIRUN = shutil.which("mpirun")
needs_mpi = pytest.mark.skipif(not (_core.mpi and MPIRUN), reason="the module or this machine has no MPI")


def run(count, folder, centering):
    command = [MPIRUN, "--oversubscribe", "-n", str(count)] if count > 1 else []
    root = ["--allow-run-as-root"] if count > 1 and os.geteuid() == 0 else []
    done = subprocess.run([*command[:1], *root, *command[1:], sys.executable, str(SCRIPT), str(folder), centering],
                          capture_output=True, text=True, timeout=400, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    return [dict(np.load(folder / f"{count}-{rank}.npz")) for rank in range(count)]


def joined(parts, name, places="block"):
    """Returns the global array of the blocks, which must cover it; places that several blocks have must agree."""
    ends = np.max([[last for _, last in part[places]] for part in parts], axis=0)
    whole = np.full((*ends, *parts[0][name].shape[len(ends):]), np.nan)
    for part in parts:
        here = tuple(slice(first, last) for first, last in part[places])
        assert whole[here].shape == part[name].shape, name
        assert np.isnan(whole[here]).all(), "blocks overlap"
        whole[here] = part[name]
    assert not np.isnan(whole).any(), name
    return whole


@needs_mpi
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("centering", ["cell", "node"])
def test_blocks_are_those_of_the_solution_of_one_process(tmp_path, centering, count):
    (alone,) = run(1, tmp_path, centering)
    parts = run(count, tmp_path, centering)
    assert any(tuple(map(tuple, part["block"])) != tuple(map(tuple, alone["block"])) for part in parts)
    slopes = ["slope of source", "slope of coefficient"] if "slope of source" in alone else []
    for name in ("all values", "blocks", "levels", "again", "gradient", "adjoint", *slopes):
        whole = joined(parts, name, "cells" if name == "slope of coefficient" else "block")
        expected = alone[name][tuple(slice(0, n) for n in whole.shape)]
        assert abs(whole - expected).max() < 1e-7 * abs(expected).max(), name
    assert np.array_equal(joined(parts, "kappa", "cells"), alone["kappa"])
    for part in parts:
        for name in ("slope of a face", "slope of a number") if slopes else ():
            assert abs(part[name] - alone[name]).max() < 1e-7 * abs(alone[name]).max(), name
        assert np.allclose(part["balance"], alone["balance"], rtol=1e-6, atol=1e-8)
    assert any("of this process's block" in str(part["error"]) for part in parts)
    assert "give [" in str(alone["error"])
    assert (tmp_path / "files" / "summary.json").is_file()


@pytest.mark.skipif(_core.mpi, reason="the module has MPI")
def test_several_processes_without_mpi_are_refused():
    code = "import poisson; poisson.Problem(shape=(4, 4)).solver()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2"})
    assert done.returncode != 0 and "this build has no MPI" in done.stderr and "POISSON_MPI=ON" in done.stderr
