"""The module as it is imported and typed."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

import poisson

PACKAGE = pathlib.Path(poisson.__file__).parent
ROOT = pathlib.Path(os.environ["POISSON_ROOT"])


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_the_import_loads_no_cuda_and_no_framework():
    code = """
import sys, poisson
maps = open("/proc/self/maps").read()
print(*(name for name in ("libcuda", "libcudart", "libnvrtc", "libcublas") if name in maps))
print(*(name for name in ("torch", "jax", "scipy", "cupy") if name in sys.modules))
"""
    assert run(code) == []


def test_unknown_attributes():
    with pytest.raises(AttributeError, match="no attribute 'sovle'"):
        poisson.sovle


def test_all_public_names_have_descriptions():
    for name in poisson.__all__:
        thing = getattr(poisson, name)
        assert thing.__doc__, name
        for member in vars(thing) if isinstance(thing, type) else ():
            if not member.startswith("_") and callable(getattr(thing, member)):
                assert getattr(thing, member).__doc__, f"{name}.{member}"


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_types(tmp_path):
    (tmp_path / "user.py").write_text("""
import numpy as np
import poisson

problem = poisson.Problem(shape=(9, 9), source=np.ones((9, 9)), boundary={"default": 0.0})
solver: poisson.Solver = problem.solver(tolerance=1e-6)
solver.source = np.zeros((9, 9))
result = solver.solve()
flow: float = result.flows["x-"]
converged: bool = poisson.load("a.yaml").solve().converged
text: int = result.save("b")
""")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "user.py"],
                          cwd=tmp_path, env={**os.environ, "MYPYPATH": str(PACKAGE.parent)}, capture_output=True, text=True)
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 1 and "user.py:11" in errors[0], done.stdout + done.stderr


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_stubs_describe_the_module(tmp_path):
    allowed = tmp_path / "allowed"
    allowed.write_text("poisson\\._.*\npoisson\\.(torch|jax)(\\..*)?\npoisson\\.(Datum|Coefficient)\n")
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\ndisable_error_code = import-untyped\n")
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "poisson", "--ignore-missing-stub",
                           "--mypy-config-file", "mypy.ini", "--allowlist",
                           str(allowed), "--ignore-unused-allowlist"],
                          cwd=tmp_path, env={**os.environ, "MYPYPATH": str(PACKAGE.parent)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_are_short():
    for path in [*(ROOT / "python").rglob("*.py"), *(ROOT / "tests/python").glob("*.py")]:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path


def test_libraries_of_nvidia_packages_are_named(tmp_path, monkeypatch):
    from poisson._libraries import name_libraries

    for name in ("cu12/lib/libnvrtc.so.12", "cu13/lib/libnvrtc.so.13", "cu13/lib/libnvrtc-builtins.so.13.2",
                 "cu13/lib/libcublas.so.13"):
        path = tmp_path / "nvidia" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("POISSON_CUBLAS", "mine")
    monkeypatch.delenv("POISSON_NVRTC", raising=False)
    name_libraries()
    assert os.environ["POISSON_NVRTC"] == str(tmp_path / "nvidia/cu13/lib/libnvrtc.so.13")
    assert os.environ["POISSON_CUBLAS"] == "mine"
    monkeypatch.delenv("POISSON_NVRTC")
