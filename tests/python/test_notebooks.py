"""The notebooks run and print what they store."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(os.environ["POISSON_ROOT"])


def test_notebooks_print_what_they_store():
    pytest.importorskip("jax")
    done = subprocess.run([sys.executable, ROOT / "scripts/notebooks", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_notebooks_are_small():
    for path in (ROOT / "examples/notebooks").glob("*.ipynb"):
        assert path.stat().st_size < 100_000, path
