#!/usr/bin/env python3
"""Tests scripts/quickstart: what it builds with and without a GPU, and that cmake --install needs nothing else.

    test_quickstart.py SOURCE_DIRECTORY [unittest arguments]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()


class Quickstart(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.folder = self.root / "build"

    def script(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
        path.chmod(0o755)

    def quickstart(self, gpu):
        """Returns the terminal output of the script and its arguments to scripts/build. Nothing is installed or
        built."""
        self.script("scripts/setup", "")
        self.script("scripts/build", 'echo "$@" >asked\n')
        self.script("build/release/app/poisson", "mkdir -p results/cavity\n")
        self.script("bin/nvidia-smi", "exit 0\n" if gpu else "exit 9\n")
        shutil.copy(SOURCE / "scripts/quickstart", self.root / "scripts")
        run = subprocess.run([self.root / "scripts/quickstart"], capture_output=True, text=True, check=True,
                             env=os.environ | {"PATH": f"{self.root / 'bin'}:{os.environ['PATH']}"})
        return run.stdout, (self.root / "asked").read_text(encoding="utf-8").split()

    def configure(self, *settings):
        subprocess.run(["cmake", "--preset", "release", "-B", self.folder, "-DPOISSON_VTK=OFF", *settings],
                       cwd=SOURCE, check=True, capture_output=True)

    def test_without_a_gpu_it_builds_for_the_cpu_and_says_how_to_build_for_gpus(self):
        text, asked = self.quickstart(gpu=False)
        self.assertIn("-DPOISSON_CUDA=OFF", asked)
        self.assertIn("scripts/build release builds for GPUs", text)

    def test_with_a_gpu_it_leaves_cuda_to_the_preset(self):
        text, asked = self.quickstart(gpu=True)
        self.assertNotIn("POISSON_CUDA", " ".join(asked))
        self.assertNotIn("GPU", text)

    def test_a_build_after_it_looks_for_cuda_again(self):
        self.configure("-DPOISSON_CUDA=OFF")
        self.configure()
        self.assertIn("POISSON_CUDA:STRING=AUTO", (self.folder / "CMakeCache.txt").read_text(encoding="utf-8"))

    def test_what_install_copies_is_what_it_builds(self):
        _, (preset, *settings) = self.quickstart(gpu=False)
        self.assertEqual(preset, "release")
        at = settings.index("--target") if "--target" in settings else len(settings)
        self.configure(*settings[:at])
        rules = "".join(path.read_text(encoding="utf-8") for path in self.folder.rglob("cmake_install.cmake"))
        files = " ".join(re.findall(r" FILES (.*)\)", rules))
        copied = {pathlib.Path(name) for name in re.findall(r'"([^"$]+)"', files)}
        self.assertIn(self.folder / "app/poisson", copied)
        # The commands contain all files that they compile and link.
        commands = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", *(settings[at + 1:] or ["all"])],
                                  capture_output=True, text=True, check=True).stdout
        built = {self.folder / word for word in commands.split()}
        # Other files must exist already, from configuring or in the sources.
        self.assertEqual({path for path in copied if not path.exists()} - built, set())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
