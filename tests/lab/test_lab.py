#!/usr/bin/env python3
"""Tests poisson-lab from a lecturer's view: exit statuses, messages, files, the page.

    test_lab.py POISSON_LAB_PROGRAM SOURCE_DIRECTORY [unittest arguments]
"""

import base64
import csv
import html
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
SOURCE = pathlib.Path(sys.argv[2]).resolve()
PYTHON = "/usr/bin/python3"  # has the distribution's matplotlib


def lab(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, **options)


def without_panel(conclusion):
    """Returns a sentence without the name of the panel that it belongs to."""
    return re.sub(r"^\[[^]]*\] ", "", conclusion)


class References(html.parser.HTMLParser):
    """Collects the references of a page and the texts of its headings."""

    def __init__(self, page):
        super().__init__()
        self.targets, self.ids, self.headings, self.tags, self.inside = [], [], [], [], None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.targets += [value for name, value in attributes if name in ("src", "href", "srcset", "data", "action")]
        self.ids += [value for name, value in attributes if name == "id"]
        self.inside = tag if tag in ("h1", "h2", "h3") else self.inside

    def handle_data(self, data):
        if self.inside:
            self.headings.append(data)
            self.inside = None


class Directory(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)

    def names(self):
        return {path.name for path in self.directory.iterdir()}


class CommandLine(Directory):
    def test_list_names_studies_and_questions(self):
        run = lab("list")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertRegex(run.stdout, r"(?m)^copy +Which share of the memory bandwidth")

    def test_bare_program_shows_its_help_and_is_a_usage_error(self):
        run = lab()
        self.assertEqual(run.returncode, 2)
        self.assertIn("list", run.stdout)
        self.assertIn("run", run.stdout)

    def test_help(self):
        for arguments in (["--help"], ["run", "--help"]):
            run = lab(*arguments)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
        for option in ("--quick", "--device", "--output"):
            self.assertIn(option, run.stdout)

    def test_unknown_study_is_answered_with_the_nearest(self):
        run = lab("run", "copi", "--device", "cpu", cwd=self.directory)
        self.assertEqual(run.returncode, 2)
        self.assertIn("did you mean 'copy'?", run.stderr)
        self.assertEqual(self.names(), set())

    def test_unknown_option_and_device(self):
        self.assertEqual(lab("run", "copy", "--quik").returncode, 2)
        run = lab("run", "copy", "--device", "gpu", cwd=self.directory)
        self.assertEqual(run.returncode, 2)
        self.assertIn("cuda", run.stderr)

    def test_study_that_needs_a_gpu_is_refused_on_a_cpu(self):
        needy = re.search(r"(?m)^(\w+) [^[\n]*(?:\n [^[\n]*)*\[needs a GPU\]", lab("list").stdout)
        if not needy:
            self.skipTest("this build has no study that needs a GPU")
        run = lab("run", needy[1], "--device", "cpu", cwd=self.directory)
        self.assertEqual(run.returncode, 2)
        self.assertIn("needs a GPU", run.stderr)
        self.assertEqual(self.names(), set())

    def test_output_that_cannot_be_made(self):
        (self.directory / "file").write_text("", encoding="utf-8")
        run = lab("run", "copy", "--device", "cpu", "--output", "file/lab", cwd=self.directory)
        self.assertEqual(run.returncode, 2)
        self.assertIn("--output", run.stderr)


class Copy(Directory):
    """Checks one quick run on the CPU in all respects."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.results = pathlib.Path(temporary.name) / "results" / "lab"
        cls.run_ = lab("run", "copy", "--quick", "--device", "cpu", "--output", str(cls.results))
        cls.found = json.loads((cls.results / "lab.json").read_text(encoding="utf-8"))

    def test_prints_question_table_conclusions_and_history(self):
        self.assertEqual((self.run_.returncode, self.run_.stderr), (0, ""))
        study = self.found["studies"][0]
        printed = " ".join(self.run_.stdout.split())
        for sentence in (study["question"], *map(without_panel, study["conclusions"])):
            self.assertIn(" ".join(sentence.split()), printed)
        self.assertRegex(self.run_.stdout, r"bytes in the array +1 MiB")
        self.assertRegex(self.run_.stdout, r"(?m)^date: 20\d\d-")

    def test_json(self):
        self.assertEqual(list(self.found), ["device", "quick", "facts", "machine", "lectures", "studies", "left_out",
                                            "failed"])
        self.assertTrue(self.found["quick"])
        self.assertGreater(self.found["machine"]["copy"], 0.1)
        self.assertLessEqual({"device", "date"}, {fact["what"] for fact in self.found["facts"]})
        panel = self.found["studies"][0]["panels"][0]
        sizes = {point["x"] for point in panel["points"]}
        variants = {point["variant"] for point in panel["points"]}
        self.assertEqual(len(panel["points"]), len(sizes) * len(variants))
        self.assertLessEqual({"1 B", "2 B", "4 B", "8 B", "16 B", "memcpy"}, variants)
        for point in panel["points"]:
            self.assertAlmostEqual(point["value"], 2e-9 * point["x"] / point["seconds"], delta=1e-9 * point["value"])

    def test_csv_holds_the_same_points(self):
        panel = self.found["studies"][0]["panels"][0]
        with open(self.results / "copy-size.csv", encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        self.assertEqual(head, ["variant", panel["x_label"], "seconds", panel["y_label"], "spread"])
        points = [(p["variant"], p["x"], p["seconds"], p["value"], p["spread"]) for p in panel["points"]]
        self.assertEqual([(row[0], *map(float, row[1:])) for row in rows], points)

    def test_pictures(self):
        image = (self.results / "copy-size.png").read_bytes()
        self.assertEqual(image[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(int.from_bytes(image[16:20], "big"), 1000)

    def test_page_is_self_contained(self):
        page = References((self.results / "lab.html").read_text(encoding="utf-8"))
        self.assertNotIn("script", page.tags)
        self.assertNotIn("link", page.tags)
        for target in page.targets:
            self.assertRegex(target, r"^(data:text/csv;base64,|#)")
            if target.startswith("#"):
                self.assertIn(target[1:], page.ids)
        self.assertGreaterEqual(page.tags.count("svg"), 2)  # a plot and a drawing of the mechanism
        self.assertEqual(len(page.ids), len(set(page.ids)))

    def test_page_says_what_to_conclude(self):
        page = (self.results / "lab.html").read_text(encoding="utf-8")
        self.assertNotRegex(page, r"url\((?!#)|@import")
        headings = References(page).headings
        for heading in ("copy", "Elsewhere"):
            self.assertIn(heading, headings)
        for sentence in map(without_panel, self.found["studies"][0]["conclusions"]):
            self.assertIn(sentence, html.unescape(page))
        for part in ("Predict before you unfold", "copy_kernel(", "there is no adaptive grid yet"):
            self.assertIn(part, page)


class TwoRuns(Directory):
    """Reads the results of a run again, alone and together with another run."""

    def test_what_another_run_does_not_confirm_is_found(self):
        kept, other = SOURCE / "bench/results/h100-lab.json", self.directory / "other.json"
        found = json.loads(kept.read_text(encoding="utf-8"))
        run = lab("compare", str(kept), str(kept))
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertRegex(run.stdout, r"^0 of \d+ sentences are not confirmed")
        for study in found["studies"]:
            for panel in study["panels"]:
                for point in panel["points"]:
                    point["value"] = 1  # all variants are equally fast
        other.write_text(json.dumps(found), encoding="utf-8")
        run = lab("compare", str(kept), str(other))
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stdout, r"(?m)^[1-9]\d* of \d+ sentences are not confirmed")

    def test_the_pages_of_the_repository_load_quickly_and_explain_each_plot(self):
        for name in ("lab.html", "lab-h200.html"):
            page = (SOURCE / "docs" / name).read_text(encoding="utf-8")
            self.assertLess(len(page.encode("utf-8")), 1_000_000, name)
            figures = re.findall(r'<figure id="([^"]+)">(.*?)</figure>', page, re.DOTALL)
            self.assertGreater(len(figures), 70, name)
            for panel, content in figures:
                self.assertIn('<p class="lesson">', content, f"{name}: {panel} has no sentence and no link to one")
            self.assertEqual(page.split("Questions, each answered")[1].split("</ol>")[0].count("<li>"), 10, name)
            places = set(re.findall(r' id="([^"]+)"', page))
            for target in re.findall(r'href="#([^"]+)"|url\(#([^")]+)\)', page):
                self.assertIn("".join(target), places, name)

    def test_the_pages_of_the_repository_show_what_its_results_say(self):
        for results, page in (("h100-lab.json", "lab.html"), ("h200-lab.json", "lab-h200.html")):
            kept = SOURCE / "bench/results" / results
            shown = html.unescape((SOURCE / "docs" / page).read_text(encoding="utf-8"))
            if "[needs a GPU]" in lab("list").stdout:  # this build contains all studies
                run = lab("page", str(kept), "--output", str(self.directory),
                          env={**os.environ, "POISSON_LAB_PYTHON": "/bin/false"})
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertEqual((self.directory / "lab.json").read_bytes(), kept.read_bytes(), "run scripts/lab-pages")
            found = json.loads(kept.read_text(encoding="utf-8"))
            for study in found["studies"]:
                for sentence in study["conclusions"]:
                    with self.subTest(page=page, sentence=sentence):
                        self.assertIn(f">{without_panel(sentence)}<", shown)
                for one in study["not_measured"]:
                    self.assertRegex(shown, f"from before [^.]*{re.escape(one['what'])}")
            for other in {"lab.html", "lab-h200.html"} - {page}:
                self.assertIn(f'<a href="{other}">', shown)

    def test_a_page_is_made_again(self):
        run = lab("run", "reduce", "sparse", "--quick", "--device", "cpu", "--output", str(self.directory / "one"),
                  env={**os.environ, "POISSON_LAB_PYTHON": "/bin/false"})
        self.assertEqual(run.returncode, 0)
        file = self.directory / "one/lab.json"
        run = lab("page", str(file), "--output", str(self.directory / "again"))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual((self.directory / "again/lab.json").read_bytes(), file.read_bytes())
        self.assertIn('class="conclude"', (self.directory / "again/lab.html").read_text(encoding="utf-8"))
        run = lab("page", "nowhere.json", cwd=self.directory)
        self.assertEqual(run.returncode, 2)
        self.assertIn("no such file", run.stderr)


class Failure(Directory):
    def test_broken_variant_fails_the_run_and_shows_no_time(self):
        run = lab("run", "copy", "--quick", "--device", "cpu", "--break", "--output", str(self.directory))
        self.assertEqual(run.returncode, 1)
        self.assertIn("broken on purpose", run.stderr)
        self.assertIn("no time of it is shown", run.stderr)
        self.assertNotIn("GB/s read and written", run.stdout)
        self.assertEqual(self.names(), {"lab.json", "lab.html"})
        found = json.loads((self.directory / "lab.json").read_text(encoding="utf-8"))
        self.assertEqual(found["studies"], [])
        self.assertEqual([failed["name"] for failed in found["failed"]], ["copy"])
        self.assertRegex((self.directory / "lab.html").read_text(encoding="utf-8"), "copy.*failed.*broken on purpose")

    def test_files_of_the_run_before_do_not_outlive_it(self):
        earlier = {"studies": [{"panels": [{"files": "old-panel"}, {"files": "../outside"}]}]}
        self.directory = self.directory / "lab"
        self.directory.mkdir()
        (self.directory / "lab.json").write_text(json.dumps(earlier), encoding="utf-8")
        outside = self.directory.parent / "outside.csv"
        for path in (self.directory / "old-panel.csv", self.directory / "notes.csv", outside):
            path.write_text("", encoding="utf-8")
        lab("run", "copy", "--quick", "--device", "cpu", "--break", "--output", str(self.directory))
        self.assertEqual(self.names(), {"lab.json", "lab.html", "notes.csv"})
        self.assertTrue(outside.exists())

    def test_without_matplotlib_the_run_succeeds_and_says_how_to_draw_later(self):
        run = lab("run", "copy", "--quick", "--device", "cpu", "--output", str(self.directory / "lab"),
                  env={**os.environ, "POISSON_LAB_PYTHON": "/bin/false"})
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertRegex(run.stdout, r"no page was made .*python3-matplotlib.*page\.py")
        self.assertFalse((self.directory / "lab" / "lab.html").exists())
        self.assertTrue((self.directory / "lab" / "copy-size.csv").exists())


class Page(Directory):
    """Tests page.py on points that no study would produce."""

    def draw(self, points, guides=(), **panel):
        panel = {"name": "p", "files": "s-p", "title": "<Title>", "x_label": "bytes", "y_label": "GB/s", "log_x": True,
                 "log_y": False, "bars": False, "noise": 0.05, "points": points, "guides": list(guides), **panel}
        then = {"lecture": "A lecture, Its title", "device": "old", "up_to": 0, "unit": "GB/s"}
        study = {"name": "s", "question": "Is 1 < 2 & 3?", "lectures": ["A lecture"], "seconds": 1.0, "panels": [panel],
                 "conclusions": ["<b>", "[p] Below the plot."], "history": [{**then, "what": "copy", "value": 2, "today": 30},
                                                     {**then, "what": "range", "value": 2, "up_to": 4, "today": 8},
                                                     {**then, "what": "other", "value": 2, "today": None}]}
        document = {"device": "a device", "quick": False, "facts": [{"what": "driver", "value": "<580>"}],
                    "machine": {"copy": None}, "lectures": ["A lecture", "Another"], "studies": [study],
                    "left_out": [{"name": "far", "question": "Why?", "why": "it needs a GPU"}], "failed": []}
        (self.directory / "lab.json").write_text(json.dumps(document), encoding="utf-8")
        subprocess.run([PYTHON, str(SOURCE / "lab/page/page.py"), str(self.directory)], check=True)
        self.assertEqual((self.directory / "s-p.png").read_bytes()[:4], b"\x89PNG")
        return (self.directory / "lab.html").read_text(encoding="utf-8")

    @staticmethod
    def points(variants, places):
        return [{"variant": f"v{v}", "x": x, "seconds": 1e-3, "value": v + 1.0, "spread": 0.02 * v}
                for v in range(variants) for x in places]

    def test_texts_are_escaped(self):
        page = self.draw(self.points(2, [1024, 2048]))
        for text in ("&lt;Title&gt;", "Is 1 &lt; 2 &amp; 3?", "&lt;b&gt;"):
            self.assertIn(text, page)

    def test_then_and_now(self):
        page = self.draw(self.points(1, [1024, 2048]))
        for text in ("15 ×", "30 GB/s", "2 to 4 GB/s", "2 to 4 ×", "<small>old</small>", "Figures of A lecture, Its title."):
            self.assertIn(text, page)
        self.assertNotIn(">other<", page)  # no row without a current number

    def test_the_head_has_facts_and_the_contents_lectures(self):
        page = self.draw(self.points(1, [1024, 2048]))
        self.assertIn("&lt;580&gt;", page)
        self.assertIn("<h2>A lecture</h2>", page)
        self.assertNotIn("<h2>Another</h2>", page)

    def test_points_can_be_taken_along(self):
        page = self.draw(self.points(2, [1024, 2048]))
        link = re.search(r'download="s-p.csv" href="data:text/csv;base64,([^"]*)"', page)
        rows = base64.b64decode(link[1]).decode("utf-8").splitlines()
        self.assertEqual(rows[:2], ["variant,bytes,seconds,GB/s,spread", "v0,1024,0.001,1.0,0.0"])
        self.assertEqual(len(rows), 5)
        self.assertIn("± 2 %", page)

    def test_each_sentence_stands_where_it_belongs(self):
        page = self.draw(self.points(2, [1024, 2048]))
        self.assertLess(page.index("&lt;b&gt;"), page.index('<figure id="s-p">'))
        self.assertLess(page.index('<figure id="s-p">'), page.index("Below the plot."))
        self.assertLess(page.index("Below the plot."), page.index("Values and spread"))
        self.assertNotIn("[p]", page)

    def test_another_device_is_drawn_into_the_same_plot(self):
        self.draw(self.points(2, [1024, 2048]))
        other = json.loads((self.directory / "lab.json").read_text(encoding="utf-8"))
        (self.directory / "other.json").write_text(json.dumps({**other, "device": "other"}), encoding="utf-8")
        made = self.directory / "both.html"
        subprocess.run([PYTHON, str(SOURCE / "lab/page/page.py"), str(self.directory / "lab.json"), str(made), "--beside",
                        str(self.directory / "other.json"), "other.html"], check=True)
        alone, both = ((self.directory / name).read_text(encoding="utf-8") for name in ("lab.html", "both.html"))
        self.assertGreater(both.count("<path"), alone.count("<path"))
        self.assertIn("Pale curves and rings show other", both)

    def test_a_page_can_be_made_of_numbers_elsewhere(self):
        self.draw(self.points(1, [1024, 2048]))
        page = self.directory / "other.html"
        subprocess.run([PYTHON, str(SOURCE / "lab/page/page.py"), str(self.directory / "lab.json"), str(page)], check=True)
        self.assertEqual(page.read_text(encoding="utf-8"), (self.directory / "lab.html").read_text(encoding="utf-8"))

    def test_older_results_say_what_they_lack_and_where_it_is(self):
        self.draw(self.points(1, [1024, 2048]))
        newer = json.loads((self.directory / "lab.json").read_text(encoding="utf-8"))
        newer["device"] = "newer device"
        newer["facts"] = [{"what": "commit", "value": "beef"}]
        older = json.loads(json.dumps(newer))
        older["facts"] = [{"what": "commit", "value": "cafe"}]
        older["studies"][0]["not_measured"] = [{"what": "small <tiles>", "row": "best side"}, {"what": "xors", "row": ""}]
        files = {"newer": newer, "older": older}
        for name, document in files.items():
            (self.directory / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")

        def page(name, other):
            made = self.directory / f"{name}.html"
            subprocess.run([PYTHON, str(SOURCE / "lab/page/page.py"), str(self.directory / f"{name}.json"), str(made),
                            "--beside", str(self.directory / f"{other}.json"), f"{other}.html"], check=True)
            return made.read_text(encoding="utf-8")

        old, new = page("older", "newer"), page("newer", "older")
        self.assertIn("These results are of commit cafe, from before small &lt;tiles&gt; and xors were measured, so "
                      "&quot;best side&quot; of the lectures has no figure of this device here.", old)
        self.assertIn('<a href="newer.html">The same studies on newer device</a>, of commit beef, which has '
                      'small &lt;tiles&gt; and xors as well.', old)
        self.assertIn('<a href="older.html">', new)
        for text in ("from before", "as well"):
            self.assertNotIn(text, new)

    def test_places_that_are_no_numbers_are_bars(self):
        page = self.draw(self.points(3, [1, 32]), bars=True)
        self.assertIn("<details>", page)

    def test_left_out_studies_are_named(self):
        self.assertIn("it needs a GPU", self.draw(self.points(1, [1024, 2048])))

    def test_bytes_are_named(self):
        self.assertIn(">1 MiB<", self.draw(self.points(3, [2**k for k in range(10, 32)])))

    def test_every_study_has_a_kernel_a_drawing_and_an_exercise(self):
        code = (f"import sys; sys.path.insert(0, {str(SOURCE / 'lab/page')!r}); import drawings, lessons\n"
                "for name in lessons.KERNELS: file, lines = lessons.excerpt(name); assert 5 < len(lines) <= lessons.LONGEST\n"
                "print(*sorted(lessons.KERNELS)); print(*sorted(drawings.DRAWINGS)); print(*sorted(lessons.EXERCISES))\n"
                "for draw in drawings.DRAWINGS.values(): assert draw().startswith('<svg')")
        run = subprocess.run([PYTHON, "-B", "-c", code], check=True, capture_output=True, text=True)
        names = re.findall(r"STUDY\((\w+)\)", (SOURCE / "lab/studies/studies.def").read_text(encoding="utf-8"))
        for line in run.stdout.splitlines():
            self.assertEqual(line.split(), sorted(names))

    def test_plots_say_where_caches_end_and_hide_curves_that_lie_on_others(self):
        points = [{"variant": "5 chains", "x": x, "value": value} for x, value in
                  ((2**14, 16), (2**17, 16), (2**18, 90), (2**22, 140), (2**25, 190), (2**26, 300))]
        code = (f"import sys; sys.path.insert(0, {str(SOURCE / 'lab/page')!r}); import lessons\n"
                f"panel = {{'name': 'chase', 'points': {points}}}\n"
                "print(lessons.notes({'machine': {}}, 'latency', panel))\n"
                "panel['name'] = 'fma'; print(lessons.drawn_part('latency', panel)['points'], len(panel['points']))")
        run = subprocess.run([PYTHON, "-B", "-c", code], check=True, capture_output=True, text=True)
        self.assertEqual(run.stdout, "[(262144, 'beyond L1'), (67108864, 'beyond L2')]\n[] 6\n")

    def test_best_rate_of_a_place_is_marked_and_best_time_is_not(self):
        points = self.points(3, [1024, 2048])
        self.assertEqual(self.draw(points).count('class="best"'), 2)
        self.assertNotIn('class="best"', self.draw(points, y_label="µs"))

    def test_points_are_markers_of_their_curve(self):
        page = self.draw(self.points(2, [2**k for k in range(5)]))
        self.assertNotIn("<use", page)
        curves = re.findall(r'<path d="([^"]*)" class="s\d+ (m\d+)"', page)
        of_five = [marker for path, marker in curves if path.count(" ") + path.count("-") > 3 or path.count("h") == 1]
        self.assertGreaterEqual(len(of_five), 2, curves)
        for _, marker in curves:
            self.assertIn(f'<marker id="{marker}"', page)
            self.assertIn(f".{marker}{{marker:url(#{marker})}}", page)

    def test_shapes_of_panels(self):
        level, curve = {"name": "ceiling", "points": [[0, 5.0]]}, {"name": "law", "points": [[1, 1.0], [1024, 9.0]]}
        for changes in ({}, {"log_y": True}, {"log_x": False}, {"x_label": "warps", "log_x": True}):
            for variants, places in ((1, [64]), (30, [1, 2, 4, 1024]), (2, list(range(3900, 4201, 4))), (1, [10, 1000])):
                with self.subTest(changes=changes, variants=variants, places=len(places)):
                    self.draw(self.points(variants, places), [level, curve], **changes)

    def test_points_that_are_not_finite(self):
        broken = {"variant": "v0", "x": 4096, "seconds": None, "value": None, "spread": None}
        self.draw([*self.points(1, [1024, 2048]), broken], [{"name": "none", "points": [[0, None]]}])
        self.draw([broken])


class Disassembly(Directory):
    """Runs the commands of docs/disassembly.md and compares their output with the page."""

    def test_the_page_shows_what_its_commands_say(self):
        environment = {**os.environ, "PATH": os.pathsep.join([os.environ["PATH"], "/usr/local/cuda/bin"])}
        if not all(shutil.which(tool, path=environment["PATH"]) for tool in ("nvcc", "cuobjdump", "nvdisasm")):
            self.skipTest("no toolkit with cuobjdump and nvdisasm")
        text = (SOURCE / "docs" / "disassembly.md").read_text(encoding="utf-8")
        said, seen = "", 0
        for language, content in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            if language == "cuda":
                (self.directory / "triad.cu").write_text(content, encoding="utf-8")
            elif language == "sh":
                said = "".join(subprocess.run(line, shell=True, cwd=self.directory, env=environment, check=True,
                                              capture_output=True, text=True).stdout for line in content.splitlines())
                for ptx in self.directory.glob("*.ptx"):
                    said += ptx.read_text(encoding="utf-8")
            else:
                for line in content.splitlines():
                    seen += 1
                    with self.subTest(line=line):  # the compiler chooses registers, so only instructions are compared
                        self.assertIn(line.split(" ")[0], said)
        self.assertGreater(seen, 10)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
