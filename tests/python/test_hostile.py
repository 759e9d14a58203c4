"""Hostile values in every argument of the module end in an exception with a remedy, and never in a crash."""

import os
import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).with_name("hostile.py")


def run(first):
    """Returns the lines of the cases from a number on, and the status of the process that ran them."""
    done = subprocess.run([sys.executable, str(SCRIPT), str(first)], capture_output=True, text=True, errors="replace",
                          env={**os.environ, "OMP_NUM_THREADS": "1"})
    return [line.split("\t") for line in done.stdout.splitlines() if line[:1].isdigit()], done


@pytest.fixture(scope="module")
def outcomes():
    found, first = {}, 0
    while True:
        lines, done = run(first)
        assert lines, done.stderr
        for number, call, value, *end in lines:
            found.setdefault(call, {})[value] = end[0] if end and end[0] else f"crash: {done.stderr[:300]}"
        first = int(lines[-1][0]) + 1
        if done.returncode == 0:
            return found


def test_no_value_ends_the_process(outcomes):
    crashes = {f"{call} {value}": end for call, ends in outcomes.items() for value, end in ends.items()
               if end.startswith("crash")}
    assert not crashes


def test_every_refusal_has_a_remedy(outcomes):
    wrong = {f"{call} {value}": end for call, ends in outcomes.items() for value, end in ends.items()
             if end not in ("refused", "accepted") and not end.startswith("crash")}
    assert not wrong


def test_valid_arrays_are_accepted(outcomes):
    for value in ("read only", "big-endian", "integers", "backwards", "columns", "broadcast", "half", "long double"):
        for call in ("Problem(source)", "update(source)", "update(coefficient)", "solve(source)", "solve(guess)",
                     "poisson.solve"):
            assert outcomes[call][value] == "accepted", (call, value)


def test_there_are_many_cases(outcomes):
    assert sum(map(len, outcomes.values())) >= 3000
    refused = sum(end == "refused" for ends in outcomes.values() for end in ends.values())
    assert refused >= 2000
