#!/usr/bin/env python3
"""Checks the documents: links must resolve, named code must exist, and the tutorial must show the program's output.

    test_docs.py POISSON_PROGRAM SOURCE_DIRECTORY [unittest arguments]
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
DOCS = SOURCE / "docs"
PAGES = sorted([*SOURCE.glob("*.md"), *DOCS.rglob("*.md")])
FOLDERS = {"app", "backends", "bench", "c", "cmake", "configs", "docs", "examples", "grids", "io", "lab", "python",
           "scripts", "solver", "tests"}
MADE = {DOCS / "benchmarks.md", DOCS / "configuration.md"}  # generated files with lines of any length


def name(page):
    return str(page.relative_to(SOURCE))


def read(page):
    return page.read_text(encoding="utf-8")


def fences(text):
    """Returns (language, content) of each block of code, with any indentation."""
    return re.findall(r"^ *```(\w*)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)


def statements(code):
    """Returns the lines of C++ code without comments and indentation."""
    return [line for line in (text.split("// ")[0].strip() for text in code.splitlines()) if line]


def prose(page):
    """Returns the text without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```$", "", read(page), flags=re.MULTILINE | re.DOTALL)


def anchors(page):
    """Returns the fragments of a page's headings, as code hosts form them."""
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", prose(page), re.MULTILINE):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slug = anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        number = 0
        while anchor in found:
            number += 1
            anchor = f"{slug}-{number}"
        found.add(anchor)
    return found


def links(page):
    """Returns the relative targets of a page's links and pictures: (file, fragment)."""
    for target in re.findall(r"\]\(([^()\s]+)\)", re.sub(r"`[^`\n]*`", "", prose(page))):
        if not re.match(r"[a-z]+:", target):
            path, _, fragment = target.partition("#")
            yield (page.parent / path).resolve() if path else page, fragment


def code_paths(page):
    """Returns the paths of the repository in backticks; a pattern such as `grids/*.hpp` gives every file."""
    for path in re.findall(r"`([\w.*-]+(?:/[\w.*-]*)+)`", prose(page)):
        if path.split("/")[0] in FOLDERS and "NAME" not in path:
            yield path


def named_code(page):
    """Returns (file, names) of each `file` (`name`, `name`), of `name` (`file`), and of `name` and `name` in
    `file`."""
    file, names = r"`([\w./-]+\.\w+)`", r"((?:`[^`/]+`(?:,| and)?\s+)*`[^`/]+`)"
    found = re.findall(rf"{file}\s+\({names}\)", prose(page))
    found += [(path, names) for names, path in re.findall(rf"{names}\s+(?:\(|in\s+){file}", prose(page))]
    for path, names in found:
        if path.split("/")[0] in FOLDERS:
            yield path, re.findall(r"`([^`]+)`", names)


class Documents(unittest.TestCase):
    def test_the_readme_is_short(self):
        self.assertLessEqual(len(read(SOURCE / "README.md").splitlines()), 170)

    def test_the_benchmarks_fit_in_a_reading(self):
        text = read(DOCS / "benchmarks.md")
        self.assertLessEqual(len(text.splitlines()), 350)
        for part in text.split("\n## ")[1:]:
            self.assertEqual(part.count("!["), 1, part.splitlines()[0])

    def test_code_of_the_library_stands_in_an_example(self):
        shown = [(page, line) for page in (DOCS / "library.md", SOURCE / "README.md")
                 for language, code in fences(read(page)) if language == "cpp" for line in statements(code)]
        self.assertGreater(len(shown), 20)
        lines = {line for file in (SOURCE / "examples").glob("*.cpp") for line in statements(read(file))}
        for page, line in shown:
            with self.subTest(page=name(page), line=line):
                self.assertTrue(line in lines or any(line in other for other in lines))

    def test_sentences_are_plain(self):
        """Skipped in an archive without git, which lists the files."""
        if not (SOURCE / ".git").exists():
            self.skipTest("no git")
        run = subprocess.run([sys.executable, SOURCE / "scripts/words"], text=True, stdout=subprocess.PIPE, check=False)
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_lines_are_short(self):
        for page in set(PAGES) - MADE - {SOURCE / "CHANGELOG.md"}:
            for number, line in enumerate(read(page).splitlines(), 1):
                with self.subTest(page=name(page), line=number):
                    self.assertTrue(len(line) <= 120 or line.startswith("|"))

    def test_links_lead_somewhere(self):
        count = 0
        for page in PAGES:
            for target, fragment in links(page):
                count += 1
                with self.subTest(page=name(page), target=target, fragment=fragment):
                    self.assertTrue(target.exists())
                    if fragment:
                        self.assertIn(fragment, anchors(target))
        self.assertGreater(count, 100)

    def test_the_index_leads_to_every_page(self):
        reached, waiting = set(), [DOCS / "index.md"]
        while waiting:
            page = waiting.pop()
            if page not in reached:
                reached.add(page)
                waiting += [target for target, _ in links(page) if target in PAGES]
        self.assertEqual([], [name(page) for page in PAGES if DOCS in page.parents and page not in reached])

    def test_paths_of_code_exist(self):
        count = 0
        for page in PAGES:
            if page.name == "CHANGELOG.md":  # may name deleted files
                continue
            for path in code_paths(page):
                count += 1
                with self.subTest(page=name(page), path=path):
                    self.assertTrue(any(SOURCE.glob(path.rstrip("/"))))
        self.assertGreater(count, 200)

    def test_names_of_code_stand_in_their_files(self):
        count = 0
        for page in PAGES:
            for path, names in named_code(page):
                code = read(SOURCE / path) if (SOURCE / path).is_file() else ""
                for function in names:
                    count += 1
                    with self.subTest(page=name(page), path=path, name=function):
                        self.assertTrue(re.search(rf"\b{re.escape(function.split('::')[-1])}\b", code))
        self.assertGreater(count, 100)

    def test_every_decision_names_its_code(self):
        for page in sorted((DOCS / "design").glob("*.md")):
            if page.name == "index.md":
                continue
            for part in re.split(r"^##+ ", prose(page), flags=re.MULTILINE)[1:]:
                heading, _, body = part.partition("\n")
                if body.strip():  # a heading above other headings has none
                    with self.subTest(page=name(page), decision=heading):
                        self.assertTrue(list(re.finditer(r"`[\w./-]+\.\w+`", body)))

    def test_shells_take_the_scripts(self):
        scripts = [script for page in PAGES
                   for script in re.findall(r"^```sh\n(#!/bin/sh\n.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)]
        self.assertGreater(len(scripts), 1)
        for script in scripts:
            with self.subTest(script=script):
                run = subprocess.run(["sh", "-n"], input=script, text=True, stderr=subprocess.PIPE, check=False)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                for line in re.findall(r"^#SBATCH.*", script, re.M):  # Slurm reads these lines, and the shell does not
                    self.assertRegex(line, r"^#SBATCH --[a-z-]+=\S+$")

    def test_pictures_are_small_and_in_full_colour(self):
        for picture in DOCS.rglob("*.png"):
            self.assertLessEqual(picture.stat().st_size, 400_000, name(picture))
            head = picture.read_bytes()[:26]
            self.assertEqual((head[24], head[25]), (8, 2), name(picture) + ": bits a channel, and 2 for RGB")

    def test_configurations_are_in_the_gallery(self):
        listed = set(re.findall(r"`([\w-]+)`", read(DOCS / "gallery.md")))
        self.assertEqual([], [c.stem for c in SOURCE.glob("configs/*.yaml") if c.stem not in listed])


class Tutorial(unittest.TestCase):
    """Runs files and commands as a reader would type them. Lines after a command in the page must be in its output."""

    # The numbers in these lines depend on the problem and not on the machine.
    STEADY = re.compile(r"\s*(with|hint|problem|boundary|grid|probes|source|flux in|[xyz]- |--set)")

    def test_the_readme_says_what_the_program_says(self):
        blocks = fences(read(SOURCE / "README.md"))
        problem = next(text for language, text in blocks if language == "yaml")
        self.assertTrue(read(SOURCE / "configs/die.yaml").endswith(problem))
        shown = next(text for language, text in blocks if not language and "probes" in text).splitlines()
        steady = [line for line in shown if re.match(r"  solution|             0\.|" + self.STEADY.pattern, line)]
        self.assertEqual(len(steady), 7, steady)
        with tempfile.TemporaryDirectory() as folder:
            run = self.run_command(f"poisson {SOURCE / 'configs/die.yaml'}", folder)
            self.assertEqual(run.returncode, 0, run.stderr)
            for line in steady:
                self.assertIn(line, run.stdout.splitlines())

    def run_command(self, line, folder):
        arguments = line.split("#")[0].split()[1:]
        if "--dry-run" not in arguments:
            arguments += [] if "--set" in arguments else ["--set"]
            arguments += ["output.formats=[]", "backend.device=cpu"]
        return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True)

    def test_it_says_what_the_program_says(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "configs").symlink_to(SOURCE / "configs")
            output, commands, compared = "", 0, 0
            for language, text in fences(read(DOCS / "tutorial.md")):
                if language == "yaml":
                    file = re.match(r"# (\S+)\n", text)[1]
                    if file.startswith("configs/"):
                        self.assertTrue(read(SOURCE / file).endswith(text.split("\n", 1)[1]), file)
                    else:
                        (folder / file).write_text(text, encoding="utf-8")
                elif language == "sh":
                    for number, line in enumerate(re.findall(r"^build/release/app/poisson .*$", text, re.MULTILINE)):
                        run = self.run_command(line, folder)
                        self.assertEqual(run.returncode, 2 if "# fails" in line else 0, line + "\n" + run.stderr)
                        commands += 1
                        if number == 0:  # the page shows the first of several
                            output = run.stdout + run.stderr
                elif not language:
                    for line in filter(self.STEADY.match, text.splitlines()):
                        compared += 1
                        self.assertIn(line, output.splitlines())
            self.assertGreater(commands, 6)
            self.assertGreater(compared, 15)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
