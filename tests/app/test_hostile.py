#!/usr/bin/env python3
"""Runs hostile images and bodies: each ends with an error that names the place and the reason, or with a sane result.

    test_hostile.py POISSON_PROGRAM SOURCE_DIRECTORY [unittest arguments]

No run may crash, leave a temporary folder, change an input or destroy earlier results. Built with the preset asan, no
run may print a report of a sanitizer.
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

from hostile_images import EITHER, ERROR, SANE, big_tiff_cases, npy, npy_cases, raw_cases, tiff_cases

PROGRAM = os.path.abspath(sys.argv[1])
PYTHON = "/usr/bin/python3"  # has the distribution's h5py

FAULT = re.compile(r"Sanitizer|runtime error|terminate called|Assertion|Segmentation|std::|basic_string|vector::")
PLACE = re.compile(r"case\.yaml:\d+(:\d+)?:")

IMAGE = """\
materials: {pore: {coefficient: 2}, grain: {coefficient: 1}}
boundary: {x-: {dirichlet: 1}, x+: {dirichlet: 0}, default: {neumann: 0}}
output: {formats: []}
image: {%s}
"""

BODIES = """\
domain: {lower: [0, 0, 0], upper: [1, 1, 1]}
grid: {cells: [8, 8, 8]}
boundary: {x-: {dirichlet: 1}, x+: {dirichlet: 0}, default: {neumann: 0}}
output: {formats: []}
background: air
materials: {air: {coefficient: 1}, core: %(material)s}
bodies: [%(body)s]
%(more)s
"""

SPHERE = "{material: core, sphere: {center: [0.5, 0.5, 0.5], radius: 0.3}}"

TABLES = {"{}": ERROR, "{0: pore, 0: grain}": ERROR, "{0: pore, 00: grain}": ERROR, "{0.5: pore}": ERROR,
          "{a: pore}": ERROR, "{0: poer}": ERROR, "{0: 1}": ERROR, "{0: [pore]}": ERROR, "{-1: pore}": EITHER,
          "{99999999999999999999: pore}": ERROR, "{7: pore}": EITHER, "[pore]": ERROR, "pore": ERROR,
          "{0: pore, 1: pore, 2: pore}": SANE, "{? [0] : pore}": ERROR, "null": ERROR}

PATHS = {"file: missing.npy": ERROR, "file: .": ERROR, "file: ''": ERROR, "file: /dev/zero": ERROR,
         "file: /proc/self/mem": ERROR, "files: none*.tif": ERROR, "files: '*'": ERROR, "file: case.yaml": ERROR,
         "file: image.xyz": EITHER, "file: [a.npy]": ERROR, "file: null": ERROR, "file: image.npy, files: '*.npy'": ERROR,
         "file: 'image.npy\\0x'": ERROR, "files: '[.npy'": ERROR, "file: loop.npy": ERROR, "file: secret.npy": EITHER}

SHAPES = {
    "sphere: {center: [0.5, 0.5, 0.5], radius: 0}": ERROR, "sphere: {center: [0.5, 0.5, 0.5], radius: -1}": ERROR,
    "sphere: {center: [0.5, 0.5, 0.5], radius: .nan}": ERROR,
    "sphere: {center: [0.5, 0.5, 0.5], radius: .inf}": ERROR,
    "sphere: {center: [0.5, 0.5, 0.5], radius: 1e-300}": SANE,
    "sphere: {center: [0.5, 0.5, 0.5], radius: 1e-160}": SANE,
    "sphere: {center: [0.5, 0.5, 0.5], radius: 1e300}": SANE, "sphere: {center: [1e300, 0.5, 0.5], radius: 1}": SANE,
    "sphere: {center: [.nan, 0.5, 0.5], radius: 1}": ERROR, "sphere: {center: [0.5, 0.5], radius: 1}": ERROR,
    "sphere: {center: 0.5, radius: 1}": ERROR, "sphere: {radius: 1}": ERROR,
    "sphere: {center: [0.5, 0.5, 0.5], radius: 1, radius: 2}": ERROR,
    "sphere: {center: [0.5, 0.5, 0.5], diameter: 1}": ERROR, "sphere: null": ERROR,
    "sphere: []": ERROR, "box: {lower: [0, 0, 0], upper: [0, 1, 1]}": ERROR,
    "box: {lower: [1, 1, 1], upper: [0, 0, 0]}": ERROR, "box: {lower: [0, 0, 0], upper: [1e-320, 1, 1]}": SANE,
    "box: {lower: [-1e308, -1e308, -1e308], upper: [1e308, 1e308, 1e308]}": SANE,
    "box: {lower: [-.inf, 0, 0], upper: [1, 1, 1]}": ERROR,
    "box: {lower: [0, 0, 0], upper: [0.3, 0.3, 0.3, 0.3]}": ERROR,
    "cylinder: {from: [0, 0, 0], to: [0, 0, 0], radius: 1}": ERROR,
    "cylinder: {from: [0, 0, 0], to: [1e-320, 0, 0], radius: 0.3}": EITHER,
    "cylinder: {from: [0, 0, 0], to: [1e300, 0, 0], radius: 0.3}": SANE,
    "cylinder: {from: [0, 0, 0], to: [0, 0, 1], radius: 0}": ERROR,
    "cylinder: {from: [0, 0, 0], to: [0, 0, 1]}": ERROR, "ellipsoid: {center: [0, 0, 0], radii: [1, 0, 1]}": ERROR,
    "ellipsoid: {center: [0, 0, 0], radii: [1e300, 1e-300, 1]}": SANE,
    "polygon: {points: [[0, 0], [1, 1], [1, 0], [0, 1]]}": EITHER,
    "polygon: {points: [[0, 0], [1, 1], [1, 0], [0, 0.9]]}": EITHER,
    "polygon: {points: [[0, 0], [1, 0], [2, 0]]}": ERROR, "polygon: {points: [[0, 0], [0, 0], [0, 0]]}": ERROR,
    "polygon: {points: [[0, 0], [1, 0]]}": ERROR, "polygon: {points: [[0, 0], [1, 0], [0, 1], [0, 0]]}": EITHER,
    "polygon: {points: [[0, 0], [1, 0], [.nan, 1]]}": ERROR, "polygon: {points: [[0, 0], [1, 0], [0, 1e300]]}": SANE,
    "polygon: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}": ERROR,
    "polygon: {points: [[0, 0], [1, 0], [0, 1]], extrude: [1, 0]}": ERROR,
    "polygon: {points: [[0, 0], [1, 0], [0, 1]], extrude: [0, 0]}": ERROR, "layer: {axis: w, from: 0, to: 1}": ERROR,
    "layer: {axis: z, from: 1, to: 0}": ERROR, "layer: {axis: z, from: 0, to: 0}": ERROR,
    "layer: {axis: z}": EITHER, "where: 0": ERROR,
    "where: 0/0": ERROR, "where: 1/x": EITHER,
    "where: sqrt(-1 - x)": EITHER, "where: x <": ERROR,
    "where: unknown(x)": ERROR, "where: " + "(" * 5000 + "x" + ")" * 5000: EITHER,
    "where: u > 1": ERROR, "union: []": ERROR,
    "union: [{}]": ERROR,
    "union: [{sphere: {center: [0, 0, 0], radius: 1}, box: {lower: [0, 0, 0], upper: [1, 1, 1]}}]": ERROR,
    "union: [{material: core, sphere: {center: [0, 0, 0], radius: 1}}]": ERROR, "union: 5": ERROR,
    "difference: [{sphere: {center: [0.5, 0.5, 0.5], radius: 0.3}}, {sphere: {center: [0.5, 0.5, 0.5], radius: 0.3}}]":
        SANE, "intersection: [{layer: {axis: z, from: 2}}, {layer: {axis: z, to: -2}}]": SANE,
    "difference: [" * 60 + "{layer: {axis: z}}" + "]" * 60: ERROR,
    "union: [{" * 40 + "sphere: {center: [0, 0, 0], radius: 1}" + "}]" * 40: ERROR, "union: &a [{union: *a}]": ERROR,
    "sphere: {center: [0, 0, 0], radius: 0.3}, scale: 0": ERROR,
    "sphere: {center: [0, 0, 0], radius: 0.3}, scale: -1": ERROR,
    "sphere: {center: [0, 0, 0], radius: 0.3}, scale: 1e308": SANE,
    "sphere: {center: [0, 0, 0], radius: 1e300}, scale: 1e300": EITHER,
    "sphere: {center: [0, 0, 0], radius: 0.3}, scale: 1e-320": EITHER,
    "sphere: {center: [0, 0, 0], radius: 0.3}, scale: [1, 1]": ERROR,
    "sphere: {center: [0, 0, 0], radius: 0.3}, scale: .nan": ERROR,
    "box: {lower: [0, 0, 0], upper: [1, 1, 1]}, rotate: {angle: 30, axis: [0, 0, 0]}": ERROR,
    "box: {lower: [0, 0, 0], upper: [1, 1, 1]}, rotate: {angle: 1e300, axis: [0, 0, 1]}": EITHER,
    "box: {lower: [0, 0, 0], upper: [1, 1, 1]}, rotate: {angle: .inf}": ERROR,
    "box: {lower: [0, 0, 0], upper: [1, 1, 1]}, rotate: {angle: 30, axis: [1e-200, 0, 0]}": EITHER,
    "box: {lower: [0, 0, 0], upper: [1, 1, 1]}, rotate: 30": ERROR,
    "box: {lower: [0, 0, 0], upper: [1, 1, 1]}, move: [1e308, 1e308, 1e308]": SANE,
    "box: {lower: [1e308, 0, 0], upper: [1.1e308, 1, 1]}, move: [1e308, 0, 0]": EITHER,
    "sphere: {center: [0, 0, 0], radius: 0.1}, repeat: {count: [1000000, 1000000, 1000000], step: [1, 1, 1]}": ERROR,
    "sphere: {center: [0, 0, 0], radius: 0.1}, repeat: {count: [1000, 1000, 10], step: [1, 1, 1]}": SANE,
    "sphere: {center: [0, 0, 0], radius: 0.1}, repeat: {count: [0, 1, 1], step: [1, 1, 1]}": ERROR,
    "sphere: {center: [0, 0, 0], radius: 0.1}, repeat: {count: [-2, 1, 1], step: [1, 1, 1]}": ERROR,
    "sphere: {center: [0, 0, 0], radius: 0.1}, repeat: {count: [2, 1, 1], step: [0, 0, 0]}": EITHER,
    "sphere: {center: [0, 0, 0], radius: 0.1}, repeat: {count: [9, 9, 9], step: [1e308, 1e308, 1e308]}": EITHER,
    "sphere: {center: [0, 0, 0], radius: 0.1}, repeat: {count: [9, 9, 9], step: [1e-300, 1, 1]}": EITHER,
    "sphere: {center: [0, 0, 0], radius: 5}, repeat: {count: [200, 200, 200], step: [1e-3, 1e-3, 1e-3]}": ERROR,
    "sphere: {center: [0, 0, 0], radius: 0.1}, repeat: {count: [2.5, 1, 1], step: [1, 1, 1]}": ERROR,
    "sphere: {center: [0, 0, 0], radius: 0.1}, repeat: 4": ERROR, "": ERROR,
    "colour: red": ERROR, "sphere: {center: [0.5, 0.5, 0.5], radius: 0.3}, name: ''": EITHER,
    "sphere: {center: [0.5, 0.5, 0.5], radius: 0.3}, name: '" + "n" * 201 + "'": ERROR,
    "sphere: {center: [0.5, 0.5, 0.5], radius: 0.3}, name: \"a,b\\n\\\"c\\\"\"": SANE}

MATERIALS = {
    "{coefficient: 0}": ERROR, "{coefficient: -1}": ERROR, "{coefficient: .nan}": ERROR, "{coefficient: .inf}": ERROR,
    "{coefficient: 1e308}": EITHER, "{coefficient: 1e-320}": EITHER, "{coefficient: [1, 1, 0]}": ERROR,
    "{coefficient: [1, -1, 1]}": ERROR, "{coefficient: [1, 1]}": ERROR, "{coefficient: [1, 1, 1, 1]}": ERROR,
    "{coefficient: []}": ERROR, "{coefficient: x - 0.5}": ERROR, "{coefficient: 1/0}": ERROR,
    "{coefficient: [1, x - 0.5, 1]}": ERROR, "{coefficient: sqrt(x - 2)}": ERROR, "{coefficient: exp(1000*x)}": EITHER,
    "{coefficient: core}": ERROR, "{coefficient: 1, power: .nan}": ERROR, "{coefficient: 1, power: 1e308}": EITHER,
    "{coefficient: 1, power: x}": ERROR, "{coefficient: 1, source: 1/(x - 0.4375)}": ERROR, "{power: 1}": ERROR,
    "{fixed: 1, power: 2}": ERROR, "{fixed: 1, coefficient: 2}": ERROR, "{fixed: .nan}": ERROR, "{fixed: x}": ERROR,
    "{fixed: 1e308}": EITHER, "{fixed: 1, source: 3}": ERROR, "{}": ERROR, "null": ERROR, "isolator": ERROR, "5": ERROR,
    "[1, 2]": ERROR, "{insulator: true}": ERROR, "{coefficient: 1, coefficient: 2}": ERROR, "{kappa: 1}": ERROR,
    "{fixed: &f {fixed: *f}}": ERROR, "insulator": SANE}

MORE = {
    "contacts: [{between: [core, core], resistance: 1}]": ERROR, "contacts: [{between: [core, cor], resistance: 1}]": ERROR,
    "contacts: [{between: [core], resistance: 1}]": ERROR, "contacts: [{between: core, resistance: 1}]": ERROR,
    "contacts: [{between: [core, air], resistance: 0}]": ERROR, "contacts: [{between: [core, air], resistance: -1}]": ERROR,
    "contacts: [{between: [core, air], resistance: .nan}]": ERROR, "contacts: [{between: [core, air]}]": ERROR,
    "contacts: [{between: [core, air], resistance: 1e300}]": EITHER,
    "contacts: [{between: [core, air], resistance: 1e-320}]": EITHER,
    "contacts: [{between: [core, air], resistance: 1}, {between: [air, core], resistance: 2}]": EITHER,
    "contacts: {between: [core, air], resistance: 1}": ERROR,
    "sheets: [{on: copper, thickness: 1, coefficient: 1}]": ERROR, "sheets: [{on: core, thickness: 0, coefficient: 1}]": ERROR,
    "sheets: [{on: core, thickness: 1, coefficient: -1}]": ERROR, "sheets: [{on: core, thickness: .nan, coefficient: 1}]": ERROR,
    "sheets: [{on: core, coefficient: 1}]": ERROR, "sheets: [{on: [core], thickness: 1, coefficient: 1}]": ERROR,
    "sheets: [{on: core, thickness: 1e150, coefficient: 1e150}]": EITHER,
    "sheets: [{on: core, thickness: 1e-300, coefficient: 1e-300}]": EITHER,
    "sheets: [{on: core, thickness: 1e300, coefficient: 1e300}]": EITHER,
    "surfaces: smooth": ERROR, "surfaces: [averaged]": ERROR, "equation: {coefficient: 3}": ERROR,
    "discretization: {centering: node}": ERROR, "discretization: {scheme: q1}": ERROR,
    "discretization: {scheme: compact4}": ERROR, "solver: {method: direct}": ERROR, "background: air": ERROR,
    "background: nowhere": ERROR, "output: {effective: {axes: xyz}}": ERROR, "output: {effective: {axes: []}}": ERROR,
    "output: {capacitance: [core]}": ERROR, "domain: null": ERROR, "bodies: 7": ERROR,
    "image: {file: missing.tif, materials: {0: air}}": ERROR, "equation: {source: 1/x}": EITHER}

GRIDS = {
    "grid: {cells: [0, 8, 8]}": ERROR, "grid: {cells: [8, 8]}": ERROR, "grid: {cells: [100000, 100000, 100000]}": ERROR,
    "grid: {cells: [.nan, 8, 8]}": ERROR, "domain: {lower: [0, 0, 0], upper: [1e-300, 1e-300, 1e-300]}": EITHER,
    "domain: {lower: [0, 0, 0], upper: [1e300, 1e300, 1e300]}": EITHER,
    "domain: {lower: [1e300, 0, 0], upper: [2e300, 1, 1]}": EITHER, "domain: {lower: [0, 0, 0], upper: [0, 1, 1]}": ERROR,
    "domain: {lower: [0, 0, 0], upper: [1e9, 1e-9, 1]}": EITHER}


class Hostile(unittest.TestCase):
    count = 0

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)
        self.results = self.directory / "results"
        self.write("case.yaml", BODIES % {"material": "{coefficient: 2}", "body": SPHERE, "more": ""})
        self.assertEqual(self.poisson().returncode, 0)
        self.kept = self.snapshot(self.results)

    def write(self, name, content):
        path = self.directory / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))

    def poisson(self, *arguments):
        return subprocess.run([PROGRAM, "case.yaml", "--set", "output.directory=results", "--threads", "1", *arguments],
                              capture_output=True, cwd=self.directory, timeout=120)

    @staticmethod
    def snapshot(folder):
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and os.access(path, os.R_OK)}

    def check(self, name, expected):
        """Runs case.yaml and judges how it ends."""
        with self.subTest(name=name):
            Hostile.count += 1
            inputs = self.snapshot(self.directory)
            run = self.poisson()
            text = (run.stdout + run.stderr).decode("utf-8", "replace")
            self.assertIn(run.returncode, (0, 1, 2, 3), text)
            self.assertIsNone(FAULT.search(text), text)
            self.assertEqual(self.snapshot(self.directory), inputs, "an input has changed")
            self.assertEqual([path.name for path in self.results.iterdir() if path.name.startswith(".poisson-")], [])
            if run.returncode in (1, 2):
                self.assertNotEqual(expected, SANE, text)
                errors = run.stderr.decode("utf-8", "replace")
                kept = self.snapshot(self.results)
                kept.pop("summary.failed.json", None)
                self.assertEqual(kept, self.kept, "earlier results have changed")
                self.assertLess(len(errors), 20000)
                if run.returncode == 2:
                    self.assertRegex(errors, PLACE)
                else:
                    self.assertRegex(errors, r"poisson: .{20,}|error: .{20,}")
                return
            self.kept = self.snapshot(self.results)
            self.assertNotEqual(expected, ERROR, text)
            summary = json.loads((self.results / "summary.json").read_text(encoding="utf-8"))
            if run.returncode == 0:
                self.assertTrue(summary["converged"])
                self.assertIsNotNone(summary["solution"]["max"], text)

    def images(self, name, cases):
        for title, data, expected in cases:
            self.write(name, data)
            self.write("case.yaml", IMAGE % f"file: {name}, materials: {{0: pore, 1: grain}}")
            self.check(title, expected)
            (self.directory / name).unlink()

    def bodies(self, cases, key, **given):
        for text, expected in cases.items():
            values = {"material": "{coefficient: 2}", "body": SPHERE, "more": ""} | given
            values[key] = text
            self.write("case.yaml", BODIES % values)
            self.check(f"{key} {text[:90]}", expected)

    def test_npy_files(self):
        self.images("image.npy", npy_cases())

    def test_tiff_files(self):
        self.images("image.tif", tiff_cases())

    def test_big_tiff_files(self):
        self.images("image.tif", big_tiff_cases())

    def test_raw_files(self):
        self.write("image.raw", bytes(64))
        for title, keys, expected in raw_cases():
            self.write("case.yaml", IMAGE % f"file: image.raw, {keys}, materials: {{0: pore}}")
            self.check(title, expected)

    def test_hdf5_files(self):
        make = """
import h5py, numpy
with h5py.File("good.h5", "w") as f:
    f["labels"] = numpy.zeros((4, 4, 4), "u1")
    f["text"], f["scalar"] = "abc", 1
    f["empty"] = numpy.zeros((0, 4, 4), "u1")
    f["line"], f["four"] = numpy.zeros(4, "u1"), numpy.zeros((2, 2, 2, 2), "u1")
    f["complex"] = numpy.zeros((4, 4, 4), "c8")
    f["compound"] = numpy.zeros((4, 4, 4), [("a", "u1"), ("b", "f4")])
    f["nan"] = numpy.full((4, 4, 4), numpy.nan)
    f["half"], f["bool"] = numpy.zeros((4, 4, 4), "f2"), numpy.zeros((4, 4, 4), "?")
    f.create_group("group")
    f["loose"], f["circle"] = h5py.SoftLink("/nowhere"), h5py.SoftLink("/circle")
    f["outside"] = h5py.ExternalLink("nowhere.h5", "/labels")
    f.create_dataset("huge", shape=(1 << 20, 1 << 20, 1 << 20), dtype="u1", chunks=(64, 64, 64))
    f.create_dataset("chunked", data=numpy.zeros((4, 4, 4), "u1"), chunks=(3, 3, 3), compression="gzip", shuffle=True)
"""
        made = subprocess.run([PYTHON, "-c", make], cwd=self.directory, capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        expected = {"labels": SANE, "chunked": SANE, "half": EITHER, "bool": EITHER}
        for dataset in ("labels", "text", "scalar", "empty", "line", "four", "complex", "compound", "nan", "half", "bool",
                        "group", "loose", "circle", "outside", "huge", "chunked", "nowhere", "/", "..", "''"):
            self.write("case.yaml", IMAGE % f"file: good.h5, dataset: {dataset}, materials: {{0: pore}}")
            self.check(f"hdf5 {dataset}", expected.get(dataset, ERROR))
        self.write("case.yaml", IMAGE % "file: good.h5, materials: {0: pore}")
        self.check("hdf5 without a dataset", ERROR)
        good = (self.directory / "good.h5").read_bytes()
        generator = random.Random(11)
        for dataset in ("labels", "chunked"):
            self.write("case.yaml", IMAGE % f"file: bad.h5, dataset: {dataset}, materials: {{0: pore}}")
            for size in (0, 8, 100, 2048, len(good) // 2, len(good) - 1):
                self.write("bad.h5", good[:size])
                self.check(f"hdf5 {dataset} cut to {size} bytes", ERROR)
            for n in range(10):
                bad = bytearray(good)
                for _ in range(20):
                    bad[generator.randrange(len(bad))] = generator.randrange(256)
                self.write("bad.h5", bytes(bad))
                self.check(f"hdf5 {dataset} with changed bytes {n}", EITHER)

    def test_tables_of_images(self):
        self.write("image.npy", npy())
        for table, expected in TABLES.items():
            self.write("case.yaml", IMAGE % f"file: image.npy, materials: {table}")
            self.check(f"table {table}", expected)

    def test_paths_of_images(self):
        self.write("image.npy", npy())
        self.write("image.xyz", npy())
        self.write("secret.npy", npy())
        (self.directory / "secret.npy").chmod(0)
        (self.directory / "loop.npy").symlink_to("loop.npy")
        for path, expected in PATHS.items():
            self.write("case.yaml", IMAGE % f"{path}, materials: {{0: pore}}")
            self.check(f"path {path}", expected)
        (self.directory / "secret.npy").chmod(0o600)

    def test_shapes(self):
        self.bodies({"{material: core, %s}" % text: expected for text, expected in SHAPES.items()}, "body")

    def test_materials(self):
        self.bodies(MATERIALS, "material")
        self.bodies({"{coefficient: 1, power: 5}": ERROR}, "material",
                    body="{material: core, sphere: {center: [9, 9, 9], radius: 0.3}}")

    def test_names(self):
        circle = BODIES.replace("core: %(material)s", "core: %(material)s, a: b, b: a, air: {coefficient: 3}")
        self.write("case.yaml", circle % {"material": "{coefficient: 2}", "body": SPHERE, "more": ""})
        self.check("materials that name each other", ERROR)
        for body in ("{material: cor, sphere: {center: [0, 0, 0], radius: 1}}", "{sphere: {center: [0, 0, 0], radius: 1}}",
                     "{material: 5, sphere: {center: [0, 0, 0], radius: 1}}", "{material: [core], where: 1}", "5", "[]"):
            self.bodies({body: ERROR}, "body")
        parameters = "parameters: {a: b, b: a}"
        self.bodies({parameters: ERROR, "parameters: {a: a}": ERROR, "parameters: {x: 1}": ERROR}, "more")

    def test_contacts_sheets_and_schemes(self):
        self.bodies(MORE, "more")

    def test_grids(self):
        for text, expected in GRIDS.items():
            key = text.split(":")[0]
            lines = [line for line in BODIES.splitlines() if not line.startswith(key)]
            body = {"material": "{coefficient: 2}", "body": SPHERE, "more": text}
            self.write("case.yaml", "\n".join(lines) % body + "\n")
            self.check(text, expected)

    @classmethod
    def tearDownClass(cls):
        print(f"{cls.count} hostile runs", file=sys.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
