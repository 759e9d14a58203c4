#!/usr/bin/env python3
"""Checks an installed wheel of the Python module:  check_wheel.py PYTHON WHEEL

PYTHON is the interpreter of an environment where only the wheel is installed. Prints what the wheel weighs and how long
an import takes; fails if it is too large, needs a newer system, contains libraries for the network, loads libraries of
CUDA when it is imported, or gives a wrong solution.
"""

import pathlib
import re
import subprocess
import sys
import zipfile

LARGEST = 60e6  # bytes
NEWEST = (2, 36)  # glibc
REFUSED = re.compile(r"lib(curl|krb5|gssapi|k5crypto|ldap|ssl|gnutls|ssh|nghttp2|rtmp)[-.]")

SOLVE = """
import pathlib, tempfile, time
import numpy as np
start = time.perf_counter()
import poisson
seconds = time.perf_counter() - start
loaded = pathlib.Path("/proc/self/maps").read_text()
assert "libcuda.so" not in loaded and "libnvrtc" not in loaded and "libcublas" not in loaded, "CUDA was loaded"
h = 1 / 32
x = np.sin(np.pi * np.linspace(0, 1, 33))
f = 3 * np.pi**2 * x[:, None, None] * x[:, None] * x
u = poisson.solve(f, spacing=(h, h, h), boundary={"default": 0.0}, device="cpu")
assert abs(u[16, 16, 16] - 1) < 1e-3, u[16, 16, 16]
r = poisson.Problem(source=f, boundary={"default": 0.0}, output={"formats": ["hdf5"], "fields": ["u"]}).solve(device="cpu")
assert "picture" in r._repr_html_() or "<img" in r._repr_html_()
with tempfile.TemporaryDirectory() as folder:
    r.save(folder)
    files = sorted(p.name for p in pathlib.Path(folder).iterdir())
    assert any(name.endswith(".hdf") for name in files), files
print(f"poisson {poisson.__version__}: imported in {seconds:.3f} s after numpy; wrote {', '.join(files)}")
"""


def main():
    python, wheel = str(pathlib.Path(sys.argv[1]).absolute()), pathlib.Path(sys.argv[2])
    size = wheel.stat().st_size
    glibc = max(tuple(map(int, tag)) for tag in re.findall(r"manylinux_(\d+)_(\d+)", wheel.name))
    libraries = [pathlib.PurePath(n).name for n in zipfile.ZipFile(wheel).namelist() if ".so" in n]
    print(f"{wheel.name}: {size / 1e6:.1f} MB, {len(libraries)} libraries")
    assert size <= LARGEST, f"the wheel has {size / 1e6:.0f} MB"
    assert glibc <= NEWEST, f"the wheel needs glibc {glibc[0]}.{glibc[1]}"
    refused = [name for name in libraries if REFUSED.match(name)]
    assert not refused, f"the wheel contains {', '.join(refused)}"
    subprocess.run([python, "-c", SOLVE], check=True, cwd="/")


main()
