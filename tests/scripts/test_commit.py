#!/usr/bin/env python3
"""Tests the commit that a build reports: every build computes it, and only a change rewrites it.

    test_commit.py CMAKE ROOT
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CMAKE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()


class Commit(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.tree = pathlib.Path(temporary.name) / "tree"
        self.file = pathlib.Path(temporary.name) / "commit.cpp"
        self.tree.mkdir()

    def git(self, *words):
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        run = subprocess.run(["git", "-C", self.tree, *who, *words], capture_output=True, text=True, check=True)
        return run.stdout.strip()

    def change(self, text):
        (self.tree / "source").write_text(text, encoding="utf-8")
        self.git("add", "source")

    def said(self):
        subprocess.run([CMAKE, f"-DROOT={self.tree}", f"-DFILE={self.file}", "-P", ROOT / "cmake/commit.cmake"], check=True,
                       capture_output=True, env={**os.environ, "GIT_CEILING_DIRECTORIES": str(self.tree.parent)})
        return re.search('return "(.*)";', self.file.read_text(encoding="utf-8"))[1]

    def test_is_that_of_the_build(self):
        self.git("init", "-q")
        self.change("one")
        self.git("commit", "-qm", "One")
        first = self.git("rev-parse", "--short=12", "HEAD")
        self.assertEqual(self.said(), first)
        written = self.file.stat().st_mtime_ns
        self.assertEqual(self.said(), first)
        self.assertEqual(self.file.stat().st_mtime_ns, written)
        self.change("two")
        self.assertEqual(self.said(), first + "-dirty")
        self.git("commit", "-qm", "Two")
        self.assertEqual(self.said(), self.git("rev-parse", "--short=12", "HEAD"))
        self.git("tag", "-am", "a name", "v1")
        self.assertNotIn("v1", self.said())

    def test_is_empty_without_git(self):
        self.assertEqual(self.said(), "")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
