#!/usr/bin/env python3
"""Checks that the folders of the library depend on one another in one order: test_rooms.py PROJECT."""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop()).resolve()

# Each folder may use itself and the folders before it.
ORDER = ["backends/memory", "backends/processes", "backends/spaces", "backends/device", "backends/lines",
         "backends/transforms", "backends/cpu", "backends/cuda", "backends/mpi", "backends/hypre", "backends/utilities",
         "grids/axes", "grids/problem", "grids/surfaces", "grids/rows", "grids/sampling", "grids/operators", "grids/kernels",
         "grids/levels", "grids/compact", "grids/patches", "grids/schemes", "grids/results", "grids/meshes", "grids/blocks", "solver", "io", "app"]
# Factories alone, the .cpp of an interface, know the implementations.
IMPLEMENTATIONS = ("backends/cpu/", "backends/cuda/")
# The lab's folders may use the library below; each study may use only itself.
LAB = ["lab/harness", "lab/page", "lab/studies", "lab"]
ABOVE_ALL = ("lab/", "tests/", "bench/", "examples/", "python/", "c/")
LINES = 400
LINES_OF_TESTS = 500
LINES_OF_A_FUNCTION = 70


def sources(*folders):
    names = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in names.split() if re.search(r"\.(cpp|hpp|cu|cuh)$", name)]


def includes(path):
    return re.findall(r'^\s*#include "([^"]+)"', (ROOT / path).read_text(encoding="utf-8"), re.M)


def room(path, order=ORDER):
    """Returns the last folder of the order that contains the path."""
    found = [name for name in order if path.startswith(name + "/")]
    return max(found, key=len) if found else None


def functions(path):
    """Yields the first line and the number of lines of each function, up to members of a class in a namespace."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    for first, line in enumerate(lines):
        if re.match(r" {0,6}\S.*\).*\{$", line) and not re.match(r"\s*(if|for|while|switch|else|:|\w+_\()", line):
            end = re.match(" *", line)[0] + "}"
            last = next((n for n in range(first + 1, len(lines)) if lines[n].startswith(end)), first)
            yield line.strip(), last - first + 1


def study(path):
    """Returns the study whose folder contains the path."""
    found = re.match(r"lab/studies/(\w+)/", path)
    return found and found[1]


def is_test(path):
    """Returns whether this is the test of a study, in the study's folder."""
    return study(path) and path == f"lab/studies/{study(path)}/test_lab_{study(path)}.cpp"


class Rooms(unittest.TestCase):
    def test_every_source_is_in_one(self):
        for path in sources("backends", "grids", "solver", "io", "app"):
            with self.subTest(path=path):
                self.assertIsNotNone(room(path))

    def test_none_knows_a_later_one(self):
        for path in sources("backends", "grids", "solver", "io", "app"):
            for include in includes(path):
                with self.subTest(path=path, include=include):
                    self.assertFalse(include.startswith(ABOVE_ALL))
                    factory = path.startswith("backends/") and path.endswith(".cpp")
                    if room(include) and not (factory and include.startswith(IMPLEMENTATIONS)):
                        self.assertLessEqual(ORDER.index(room(include)), ORDER.index(room(path)))

    def test_none_of_the_lab_knows_a_later_one(self):
        for path in sources("lab"):
            for include in includes(path):
                with self.subTest(path=path, include=include):
                    self.assertFalse(include.startswith(("bench/", "examples/")))
                    self.assertTrue(not include.startswith("tests/") or is_test(path))
                    if room(include, LAB):
                        self.assertLessEqual(LAB.index(room(include, LAB)), LAB.index(room(path, LAB)))
                    if study(path) and study(include):
                        self.assertEqual(study(path), study(include))

    def test_a_study_is_a_folder_with_its_test_and_a_row(self):
        table = (ROOT / "lab/studies/studies.def").read_text(encoding="utf-8")
        rows = re.findall(r"^(?:GPU_)?STUDY\((\w+)\)$", table, re.M)
        self.assertEqual(set(rows), {study(path) for path in sources("lab/studies") if study(path)})
        self.assertEqual(set(rows), {study(path) for path in sources("lab/studies") if is_test(path)})
        told = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/lab.md").read_text(encoding="utf-8"), re.M)
        self.assertEqual(sorted(told), sorted(rows))

    def test_files_are_short(self):
        for path in sources():
            with self.subTest(path=path):
                count = len((ROOT / path).read_text(encoding="utf-8").splitlines())
                self.assertLessEqual(count, LINES_OF_TESTS if path.startswith(("tests/", "bench/", "lab/")) else LINES)

    def test_functions_are_short(self):
        for path in sources("backends", "grids", "solver", "io", "app"):
            for name, count in functions(path):
                with self.subTest(path=path, function=name):
                    self.assertLessEqual(count, LINES_OF_A_FUNCTION)


if __name__ == "__main__":
    unittest.main()
