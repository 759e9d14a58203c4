#!/usr/bin/env python3
"""Tests the answers of whole runs: effective coefficients, settled flows, balanced fluxes, pictures.

    test_answers.py POISSON_PROGRAM SOURCE_DIRECTORY [unittest arguments]
"""

import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

from hostile_images import tiff

PROGRAM = os.path.abspath(sys.argv[1])
PYTHON = "/usr/bin/python3"  # has the distribution's h5py

IMAGE = """\
image: {file: image.raw, type: uint8, shape: [%s], voxel: 1e-6, materials: {0: pore, 255: grain}}
materials: {pore: {coefficient: 2}, grain: insulator}
output: {effective: {axes: all, faces: %s}, formats: []}
"""

BODIES = """\
domain: {lower: [0, 0, 0], upper: [1, 1, 1]}
grid: {cells: [24, 20, 22]}
materials: {air: {coefficient: 1}, core: {coefficient: 50, power: 3}}
background: air
bodies: [{material: core, sphere: {center: [0.4, 0.5, 0.6], radius: 0.27}}]
boundary: {x-: {dirichlet: 1}, x+: {dirichlet: 0}, default: {neumann: 0}}
output: {formats: []}
"""

PERIODIC = """\
domain: {lower: [0, 0, 0], upper: [1, 1, 1]}
grid: {cells: [24, 20, 22]}
materials: {air: {coefficient: 1}, core: {coefficient: 50}, shell: {floating: {charge: 0}}}
background: air
bodies:
  - {material: core, sphere: {center: [0.4, 0.5, 0.6], radius: 0.27}}
  - {material: shell, box: {lower: [0.7, 0.1, -0.1], upper: [0.95, 0.4, 0.3]}}
output: {effective: {faces: periodic, axes: all}, fields: [u, flux]}
"""

CYLINDER = """\
domain: {lower: [0, 0], upper: [1, 1]}
grid: {cells: [%d, %d]}
materials: {air: {coefficient: 1}, core: {coefficient: %g}}
background: air
bodies: [{material: core, sphere: {center: %s, radius: %.17g}}]
output: {effective: {axes: all, faces: periodic}, formats: [], bodies: false}
"""

# Square tubes along x in an insulator; the third one is closed.
TUBES = """\
domain: {lower: [0, 0, 0], upper: [1, 1, 1]}
grid: {cells: [20, 18, 24]}
materials: {wall: insulator, open: {coefficient: 2}, metal: {floating: {charge: 0}}}
background: wall
bodies:
  - {material: open, box: {lower: [-1, 0.3, 0.08], upper: [2, 0.7, 0.28]},
     repeat: {count: [1, 1, 3], step: [0, 0, 0.25]}}
  - {material: wall, box: {lower: [0.5, 0, 0.55], upper: [0.6, 1, 1]}}
# {material: metal, box: {lower: [0.2, 0.4, 0.1], upper: [0.4, 0.6, 0.2]}}
output: {effective: {faces: %s, axes: x}, formats: []}
"""

# κ = 1 + x on the cells and on the nodes of a cube, and NaN in one cell or node.
WRITE_KAPPA = """
import h5py, numpy
for file, more, shift in (("cells.h5", 0, 0.5), ("nodes.h5", 1, 0)):
    with h5py.File(file, "w") as data:
        values = numpy.empty((12 + more, 14 + more, 16 + more))
        values[:] = 1 + (numpy.arange(16 + more) + shift) / 16
        values[7, 7, 6] = numpy.nan
        data["kappa"] = values
"""


# A thin image at the threshold of percolation: blobs of about 7 voxels, half of which conduct.
WRITE_THIN = """
import numpy
shape = (3, 300, 400)
noise = numpy.fft.rfftn(numpy.random.default_rng(1).standard_normal(shape))
waves = sum(numpy.fft.fftfreq(n).reshape([-1 if e == d else 1 for e in range(3)]) ** 2 for d, n in enumerate(shape[:2]))
waves = waves + numpy.fft.rfftfreq(shape[2]) ** 2
smooth = numpy.fft.irfftn(noise * numpy.exp(-2 * (3 * numpy.pi) ** 2 * waves), s=shape)
numpy.save("image.npy", numpy.where(smooth > numpy.median(smooth), 0, 255).astype("u1"))
"""

# Eight layers of a board with a chip and vias; layers are thinner than cells, which are flat.
BOARD = """\
domain: {lower: [0, 0, 0], upper: [0.042, 0.048, 0.0036]}
grid: {cells: [60, 47, 26]}
output: {formats: []}
materials: {m0: {coefficient: 10}, m1: {coefficient: 218}, m2: {coefficient: 1.4}, m3: {coefficient: 0.14},
            m4: {coefficient: [98, 98, 11]}, m5: {coefficient: [7, 7, 3]}, m6: {coefficient: 36},
            m7: {coefficient: 265}, chip: {coefficient: 130, power: 5}, via: {coefficient: 390}}
background: m0
bodies:
  - {material: m1, layer: {axis: z, from: 1.148e-3, to: 1.191e-3}}
  - {material: m2, layer: {axis: z, from: 1.191e-3, to: 1.238e-3}}
  - {material: m3, layer: {axis: z, from: 1.238e-3, to: 1.285e-3}}
  - {material: m4, layer: {axis: z, from: 1.285e-3, to: 1.524e-3}}
  - {material: m5, layer: {axis: z, from: 1.524e-3, to: 1.563e-3}}
  - {material: m6, layer: {axis: z, from: 1.563e-3, to: 1.624e-3}}
  - {material: m7, layer: {axis: z, from: 1.624e-3, to: 3.6e-3}}
  - {material: chip, box: {lower: [0.0125, 0.0119, 0.55e-3], upper: [0.0251, 0.0334, 3.18e-3]}}
  - {material: via, cylinder: {from: [0.0042, 0.0072, -1], to: [0.0042, 0.0072, 1], radius: 2e-3},
     repeat: {count: [4, 3, 1], step: [0.0105, 0.0143, 0]}}
boundary: {z-: {robin: {alpha: 1000, value: 0}}, z+: {robin: {alpha: 10, value: 0}}, default: {neumann: 0}}
contacts: [{between: [chip, m0], resistance: 1e-7}, {between: [m1, m2], resistance: 5e-6}]
"""


class Answers(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)

    def run_case(self, text, *sets, status=0):
        (self.directory / "case.yaml").write_text(text, encoding="utf-8")
        words = [word for value in sets for word in ("--set", value)]
        results = self.directory / "results"
        run = subprocess.run([PROGRAM, "--config", "case.yaml", "--set", f"output.directory={results}", *words],
                             capture_output=True, text=True, cwd=self.directory)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        self.output = run.stdout + run.stderr
        return json.loads((results / "summary.json").read_text(encoding="utf-8")) if status in (0, 3) else None

    def image(self, shape, solid):
        nx, ny, nz = shape
        values = bytes(255 if solid(i, j, k) else 0 for k in range(nz) for j in range(ny) for i in range(nx))
        (self.directory / "image.raw").write_bytes(values)
        return ", ".join(map(str, shape))

    def test_channels_and_a_closed_direction(self):
        # Channels along x of half of the cross-section. Nothing crosses y or z.
        shape = self.image((12, 8, 10), lambda i, j, k: j % 2 == 1 or k == 5)
        summary = self.run_case(IMAGE % (shape, "fixed"))
        effective = summary["effective"]
        porosity = 4 * 9 / 80
        self.assertTrue(summary["converged"])
        self.assertEqual(effective["percolates"], [True, False, False])
        self.assertEqual(effective["failed"], [])
        self.assertAlmostEqual(effective["porosity"], porosity, places=12)
        self.assertAlmostEqual(effective["tensor"][0][0], 2 * porosity, places=7)
        self.assertAlmostEqual(effective["tortuosity"][0], 1, places=7)
        self.assertEqual([row[1:] for row in effective["tensor"]], [[0, 0]] * 3)
        self.assertEqual(effective["tortuosity"][1:], [None, None])
        self.assertIn("along y 0: no conducting path", self.output)

    def test_nothing_percolates(self):
        shape = self.image((9, 8, 7), lambda i, j, k: i == 4 or j == 3 or k == 2)
        for faces in ("fixed", "periodic"):
            with self.subTest(faces=faces):
                effective = self.run_case(IMAGE % (shape, faces))["effective"]
                self.assertEqual(effective["percolates"], [False] * 3)
                self.assertEqual(effective["tensor"], [[0] * 3] * 3)

    def test_flows_of_a_mean_gradient_balance(self):
        shape = self.image((17, 20, 19), lambda i, j, k: (i * 7 + j * 13 + k * 29 + i * j * k) % 5 == 0)
        summary = self.run_case(IMAGE % (shape, "periodic"))
        self.assertTrue(summary["converged"])
        self.assertGreater(summary["effective"]["tensor"][0][0], 0.1)
        self.assertLess(summary["balance"]["relative"], 1e-10)  # of the flows that the gradient drives
        self.assertNotIn("do not balance", self.output)

    def test_a_failed_direction_has_no_value(self):
        shape = self.image((16, 16, 16), lambda i, j, k: (i * 7 + j * 13 + k * 29 + i * j * k) % 5 == 0)
        summary = self.run_case(IMAGE % (shape, "fixed"), "solver.max_iterations=1", "solver.full_multigrid=false",
                                status=3)
        effective = summary["effective"]
        self.assertFalse(summary["converged"])
        self.assertEqual(effective["failed"], ["x", "y", "z"])
        self.assertEqual(effective["tensor"], [[None] * 3] * 3)
        self.assertIn("the solve did not converge", self.output)

    def test_periodic_directions_share_levels(self):
        def measure(axes):
            summary = self.run_case(PERIODIC, f"output.effective.axes={axes}", "output.formats=[vtk]")
            files = sorted((self.directory / "results").glob("*.vti"))
            self.assertEqual(len(files), 1)
            return summary, files[0].read_bytes()

        alone = [measure(axis) for axis in "xyz"]
        together, fields = measure("all")
        for axis, (summary, _) in enumerate(alone):
            for row in range(3):
                self.assertAlmostEqual(together["effective"]["tensor"][row][axis],
                                       summary["effective"]["tensor"][row][axis], delta=1e-6)
        # The files contain the solution along the first axis.
        self.assertTrue(fields == alone[0][1])
        self.assertEqual(together["floating_bodies"], alone[0][0]["floating_bodies"])
        self.assertEqual(together["solution"], alone[0][0]["solution"])
        self.assertLess(together["peak_memory_bytes"], 1.4 * alone[0][0]["peak_memory_bytes"])

    def test_every_periodic_part_conducts(self):
        # Straight channels of different widths, between walls, and a pocket that crosses the ends but does not wind.
        shape = self.image((18, 15, 13), lambda i, j, k: k in (0, 6, 11) or j in (0, 4, 9) or (j > 9 and 3 < i < 9))
        summary = self.run_case(IMAGE % (shape, "periodic"))
        open_cells = (3 + 4) * (5 + 4 + 1)
        self.assertTrue(summary["converged"])
        self.assertEqual(summary["effective"]["percolates"], [True, False, False])
        self.assertAlmostEqual(summary["effective"]["tensor"][0][0], 2 * open_cells / (15 * 13), places=8)
        self.assertEqual(summary["floating"]["cells"], 5 * 10 * 13)

    def test_every_periodic_tube_conducts(self):
        # Tubes of equal sections, of which one is crossed by a floating body; the third one is closed by a wall.
        text = TUBES % "periodic"
        alone = self.run_case(text.replace("count: [1, 1, 3]", "count: [1, 1, 1]"))["effective"]["tensor"][0][0]
        both = self.run_case(text)["effective"]["tensor"][0][0]
        self.assertGreater(alone, 0.05)
        self.assertAlmostEqual(both, 2 * alone, delta=2e-5)
        floating = text.replace("# ", "  - ")
        self.assertGreater(self.run_case(floating)["effective"]["tensor"][0][0], 1.05 * both)

    def test_a_floating_body_between_periodic_ends_is_named(self):
        text = PERIODIC.replace("lower: [0.7, 0.1, -0.1], upper: [0.95", "lower: [-1, 0.1, -0.1], upper: [2")
        self.run_case(text, status=2)
        self.assertIn("case.yaml:7:5: bodies[1] (shell): floats and connects both ends of x", self.output)

    def test_one_slice_is_an_image_in_the_plane(self):
        def solid(i, j, k):
            return (i * 5 + j * 7 + i * j) % 4 == 0

        plane = IMAGE.replace("shape: [%s]", "shape: [20, 17]") % "fixed"
        self.image((20, 17, 1), solid)
        expected = self.run_case(plane)["effective"]["tensor"]
        for voxel in ("1e-6", "[1e-6, 1e-6, 3e-6]"):
            found = self.run_case((IMAGE % ("20, 17, 1", "fixed")).replace("voxel: 1e-6", f"voxel: {voxel}"))
            self.assertEqual(found["effective"]["tensor"], expected)
        self.image((20, 17, 6), solid)
        text = (IMAGE % ("20, 17, 6", "fixed")).replace("voxel", "crop: [[0, 20], [0, 17], [3, 4]], voxel")
        self.assertEqual(self.run_case(text)["effective"]["tensor"], expected)
        self.image((20, 1, 17), lambda i, j, k: solid(i, k, j))
        self.run_case(IMAGE % ("20, 1, 17", "fixed"), status=2)
        self.assertIn("case.yaml:1:8: image: has one voxel along y", self.output)

    def test_images_of_every_type_of_tiff(self):
        text = IMAGE.replace("image.raw, type: uint8, shape: [%s]", "image.tif")
        text = text.replace("insulator", "{coefficient: 0.1}")
        found = set()
        for code, kind, labels in (("B", 1, (0, 255)), ("b", 2, (-1, 100)), ("H", 1, (3, 65535)), ("h", 2, (-300, 7)),
                                   ("I", 1, (0, 4294967295)), ("i", 2, (-70000, 5)), ("f", 3, (0, 1)),
                                   ("d", 3, (-2, 1))):
            for order in "<>":
                data = struct.pack(f"{order}16{code}", *(labels[(i * 7 + i // 5) % 3 == 0] for i in range(16)))
                bits = 8 * struct.calcsize(f"{order}{code}")
                (self.directory / "image.tif").write_bytes(
                    tiff(bits=bits, data=data, order=order, pages=3, tags=[(339, 3, 1, kind), (258, 3, 1, bits)]))
                table = "{%d: pore, %d: grain}" % labels
                summary = self.run_case((text % "fixed").replace("{0: pore, 255: grain}", table))
                found.add(summary["effective"]["tensor"][0][0])
        self.assertEqual(len(found), 1)

    def test_nodes_of_a_netlist_have_names_of_their_own(self):
        bodies = ", ".join(f"{{material: lead, name: '{name}', sphere: {{center: [0.5, 0.5, {0.2 + 0.3 * n}], "
                           "radius: 0.1}}" for n, name in enumerate(("a b", "A-b", "0")))
        text = BODIES.replace("core: {coefficient: 50, power: 3}", "lead: {fixed: 1}")
        text = text.replace(text[text.index("bodies"):text.index("boundary")], f"bodies: [{bodies}]\n")
        self.run_case(text.replace("formats: []", "formats: [], capacitance: ['a b', A-b, '0']"))
        netlist = (self.directory / "results/capacitance.cir").read_text()
        self.assertIn(".subckt capacitance a_b A_b_2 0_2\n", netlist)

    def test_thin_images_take_few_iterations(self):
        subprocess.run([PYTHON, "-c", WRITE_THIN], check=True, cwd=self.directory)
        text = (IMAGE % ("1", "fixed")).replace("image.raw, type: uint8, shape: [1]", "image.npy").replace("all", "x")
        for grain in ("insulator", "{coefficient: 1e-6}"):
            summary = self.run_case(text.replace("grain: insulator", f"grain: {grain}"))
            self.assertTrue(summary["converged"])
            self.assertLessEqual(summary["iterations"], 18)

    def test_boards_of_thin_layers_take_few_iterations(self):
        for contacts in (True, False):
            summary = self.run_case(BOARD if contacts else BOARD[:BOARD.index("contacts")])
            self.assertTrue(summary["converged"])
            self.assertLessEqual(summary["iterations"], 12)

    def test_cylinders_off_the_centres_of_cells_conduct_as_computed(self):
        # Rayleigh's method with 21 multipoles (tests/media/cylinder_arrays.py).
        for filling, kappa, expected in ((0.5, 10, 2.4154674), (0.7, 10, 4.0617074), (0.5, 0.1, 0.4139986),
                                         (0.7, 0.1, 0.2462019), (0.5, 100, 2.9947677)):
            for cells, x, y in ((64, 0.37, 0.21), (60, 0.5, 0.5), (72, 0.13, 0.77)):
                place = [0.5 + x / cells, 0.5 + y / cells]
                radius = math.sqrt(filling / math.pi)
                tensor = self.run_case(CYLINDER % (cells, cells, kappa, place, radius))["effective"]["tensor"]
                for axis in range(2):
                    self.assertAlmostEqual(tensor[axis][axis] / expected, 1, delta=2e-3)

    def test_bodies_cover_a_dataset(self):
        # κ = 1 + x at the centres of cells, as an expression and as datasets on cells and on nodes. The body covers
        # values that are no coefficients.
        n = (16, 14, 12)
        bare = BODIES.replace("[24, 20, 22]", str(list(n))).replace("background: air\n", "").replace(
            "air: {coefficient: 1}, ", "")
        subprocess.run([PYTHON, "-c", WRITE_KAPPA], check=True, cwd=self.directory)
        expected = self.run_case(bare, "equation.coefficient=1 + x")
        for file in ("cells.h5", "nodes.h5"):
            with self.subTest(file=file):
                found = self.run_case(bare, f"equation.coefficient={{file: {file}, dataset: kappa}}")
                for key, flow in expected["flux"].items():
                    self.assertAlmostEqual(found["flux"][key], flow, delta=1e-9)
        self.run_case(bare.replace("0.6], radius: 0.27", "0.1], radius: 0.05"),
                      "equation.coefficient={file: cells.h5, dataset: kappa}", status=2)
        self.assertIn("equation.coefficient: the value is nan at (0.40625, 0.535714, 0.625)", self.output)

    def test_a_floating_body_between_faces_of_different_values(self):
        text = BODIES.replace("sphere: {center: [0.4, 0.5, 0.6], radius: 0.27}",
                              "box: {lower: [-1, 0.2, 0.2], upper: [2, 0.6, 0.6]}")
        self.run_case(text.replace("{coefficient: 50, power: 3}", "{floating: {charge: 0}}"), status=2)
        self.assertIn("boundary.x-.dirichlet: the value is 1 at (0, 0.225, 0.204545): it ", self.output)
        self.assertIn("must be 0 as on the other Dirichlet faces that floating body core touches", self.output)

    def test_a_settled_flow_ends_the_solve(self):
        exact = self.run_case(BODIES, "solver.tolerance=1e-12")
        for share in (1e-2, 1e-4):
            settled = self.run_case(BODIES, f"solver.flow_tolerance={share}")
            self.assertTrue(settled["converged"])
            self.assertLess(settled["iterations"], exact["iterations"])
            for key, flow in exact["flux"].items():
                self.assertAlmostEqual(settled["flux"][key], flow, delta=share * exact["balance"]["source"])
        self.assertEqual(settled["reason"], "converged: the flow has settled")
        self.run_case(BODIES, "solver.flow_tolerance=0.1", "solver.tolerance=0", status=2)
        self.assertIn("solver.flow_tolerance", self.output)

    def test_fluxes_balance_in_every_cell(self):
        loose = self.run_case(BODIES, "output.formats=[vtk]", "solver.tolerance=1e-4")
        self.assertNotIn("in_cells", loose["balance"])
        summary = self.run_case(BODIES, "output.formats=[vtk]", "output.fields=[u, flux]", "solver.tolerance=1e-4")
        self.assertLessEqual(summary["balance"]["in_cells"], 1e-10)
        self.assertLess(summary["residual"]["relative"], loose["residual"]["relative"])
        self.assertIn("flows and sources differ by at most", self.output)

    def test_a_quantity_has_a_name_and_a_unit(self):
        summary = self.run_case(BODIES, "output.quantity={name: T, unit: °C}")
        self.assertEqual(summary["quantity"], {"name": "T", "unit": "°C"})
        self.assertIn("T in °C", self.output)

    def size(self):
        data = (self.directory / "results/solution.png").read_bytes()
        return struct.unpack(">II", data[16:24]), data

    def test_pictures_show_given_planes_and_ranges(self):
        self.run_case(BODIES, "output.formats=[png]")
        (three, _), plain = self.size()
        self.run_case(BODIES, "output.formats=[png]", "output.pictures=[{plane: z, at: 0.25}]")
        (one, _), _ = self.size()
        self.assertLess(one, three)
        for more in ("output.colours.range=[0.1, 0.6]", "output.colours.logarithmic=true"):
            self.run_case(BODIES, "output.formats=[png]", more)
            self.assertFalse(self.size()[1] == plain, more)
        self.run_case(BODIES, "output.pictures=[{plane: z, at: 1.5}]", status=2)
        self.assertIn("output.pictures[0].at: is outside the domain, where z is 0 to 1", self.output)
        self.run_case(BODIES, "output.colours={range: [0, 1], logarithmic: true}", status=2)
        self.assertIn("must be positive", self.output)

    def test_pictures_show_outlines_arrows_and_streamlines(self):
        def drawn(*sets):
            self.run_case(BODIES, "output.formats=[png]", *sets)
            return self.size()[1]

        usual, none = drawn(), drawn("output.outlines=false")
        self.assertTrue(usual == drawn("output.outlines=true"))
        self.assertFalse(usual == none)
        marked = {drawn("output.outlines=false", f"output.{key}={value}")
                  for key in ("arrows", "streamlines") for value in ("true", 10)}
        self.assertEqual(len(marked - {none}), 4)
        self.assertTrue(drawn("output.outlines=false", "output.arrows=false", "output.streamlines=false") == none)
        self.assertTrue(drawn("output.arrows=true") == drawn("output.arrows=24"))
        # Unknowns at nodes have arrows, too.
        nodes = BODIES.split("materials:")[0] + "output: {formats: [png], arrows: 8}\n"
        self.run_case(nodes)
        with_arrows = self.size()[1]
        self.run_case(nodes, "output.arrows=false")
        self.assertFalse(self.size()[1] == with_arrows)

    def test_wrong_marks_are_refused(self):
        for setting, words in (("output.arrows=0", ">= 1"), ("output.arrows=many", "output.arrows"),
                               ("output.streamlines=2.5", "integer"), ("output.outlines=maybe", "output.outlines")):
            self.run_case(BODIES, setting, status=2)
            self.assertIn(words, self.output)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
