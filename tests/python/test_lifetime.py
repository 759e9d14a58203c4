"""Solvers when the interpreter ends and in forked processes."""

import os
import subprocess
import sys

import pytest


def run(code, threads="2"):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "OMP_NUM_THREADS": threads})


LONG = """
import numpy as np, poisson
p = poisson.Problem(shape=(48, 48, 48), source=np.ones((48, 48, 48)))
s = p.solver(device="cpu", method="jacobi", tolerance=1e-15, max_iterations=10**8, fallback="never")
"""


def test_the_interpreter_may_end_during_a_solve():
    code = LONG + """
import threading, time
started = threading.Event()
def work():
    started.set()
    while True:
        s.solve(check=False)
threading.Thread(target=work, daemon=True).start()
started.wait()
time.sleep(0.5)
print("ends")
"""
    for _ in range(3):
        done = run(code)
        assert done.returncode == 0 and done.stdout == "ends\n", done.stderr


FORK = """
import os, sys, warnings
import numpy as np, poisson
warnings.simplefilter("ignore")
p = poisson.Problem(shape=(65, 65, 65), source=np.ones((65, 65, 65)))
{before}
child = os.fork()
if child == 0:
    status = 1
    try:
        {inside}
        status = 0
    except poisson.SolverError as error:
        status = 3 if "spawn" in str(error) else 4
    os._exit(status)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), p.solve(device="cpu").converged)
"""


@pytest.mark.parametrize("inside", ['s.solve()', 'p.solve(device="cpu")', 's.source = 2.0'])
def test_forked_processes_refuse_solvers(inside):
    done = run(FORK.format(before='s = p.solver(device="cpu"); s.solve()', inside=inside))
    assert done.stdout == "3 True\n", done.stdout + done.stderr


def test_a_fork_before_the_first_solver_works():
    done = run(FORK.format(before="", inside='p.solve(device="cpu")'))
    assert done.stdout == "0 True\n", done.stdout + done.stderr


SHARED = """
import gc
import numpy as np, poisson
from poisson import _several
p = poisson.Problem(shape=(25, 22, 19), source=1.0, coefficient="1 + 0.5*sin(6*x)*cos(5*y)")
s = p.solver(device="cpu")
others = _several.further_solvers(s, 2)
own, shared = s.info["bytes"], [other.info["bytes"] for other in others]
u = s.solve().u
equal = [np.array_equal(other.solve().u, u) for other in others]
del s
gc.collect()
equal += [np.array_equal(other.solve().u, u) for other in others]
others[0].coefficient = 2.0
others[0].solve()
equal.append(np.array_equal(others[1].solve().u, u))
print(all(equal), max(shared) < own)
"""


def test_solvers_that_share_coefficients_outlive_the_first():
    done = run(SHARED)
    assert done.stdout == "True True\n", done.stdout + done.stderr
