#!/usr/bin/env python3
"""Blocks with other numbers, orders and axes, in other units and on several processes: the answers are the same.

    test_block_numbering.py POISSON_PROGRAM ROOT FAULT_SHIM [unittest arguments]
"""

import itertools
import json
import math
import random

from several_processes import SeveralProcesses, main

# Corners in the order of VTK, by the bits of their ends along x, y and z.
ORDER = (0, 1, 3, 2, 4, 5, 7, 6)
AXES = "xyz"


def ring():
    """A sector of a ring of two blocks with thin cells at its inner wall, in the plane."""
    def place(step, radius):
        return [radius * math.cos(0.5 * step), radius * math.sin(0.5 * step)]

    return {
        "grid": {
            "cells": 13, "vertices": [place(2 * k, r) for k in range(3) for r in (1, 2)],
            "blocks": [{"corners": [0, 1, 3, 2], "cells": [19, None], "grading": {"x": {"first_cell": 2e-3}}},
                       {"corners": [2, 3, 5, 4], "cells": [None, 9]}],
            "curves": [{"edge": [2 * k + r - 1, 2 * k + r + 1], "arc": place(2 * k + 1, r)}
                       for k in range(2) for r in (1, 2)],
            "patches": {"inner": [[0, 2], [2, 4]], "outer": [[1, 3], [3, 5]]}},
        "equation": {"coefficient": "exp(sin(5*x)*cos(4*y))", "source": "x*y", "reaction": 0.3},
        "boundary": {"inner": {"dirichlet": 1}, "outer": {"robin": {"alpha": 3, "value": 1}},
                     "default": {"neumann": 0.1}},
        "output": {"probes": [place(1, 1.3), place(3, 1.7)]}}


def tube():
    """An O-grid in two parts of a round tube with thin cells at its wall."""
    heights = (0, 0.7, 1.5)

    def number(level, circle, quarter):
        return 8 * level + 4 * circle + quarter % 4

    def place(quarter, radius, z):
        return [radius * math.cos(0.5 * math.pi * quarter), radius * math.sin(0.5 * math.pi * quarter), z]

    blocks, wall, ends = [], [], {"in": [], "out": []}
    for k in range(2):
        levels = (k, k + 1)
        blocks.append({"corners": [number(e, 0, q) for e in levels for q in range(4)], "cells": [5, 6, 4 + k]})
        for q in range(4):
            sides = [(0, q), (0, q + 1), (1, q + 1), (1, q)]
            blocks.append({"corners": [number(e, *side) for e in levels for side in sides], "cells": [None, 7, None],
                           "grading": {"y": {"first_cell": 3e-3, "at": "upper"}}})
            wall.append([number(e, 1, q + s) for e in levels for s in (0, 1)])
            ends["in" if k == 0 else "out"].append([number(2 * k, *side) for side in sides])
        ends["in" if k == 0 else "out"].append([number(2 * k, 0, q) for q in range(4)])
    return {
        "grid": {
            "vertices": [place(q, r, z) for z in heights for r in (0.4, 1) for q in range(4)], "blocks": blocks,
            "curves": [{"edge": [number(e, 1, q), number(e, 1, q + 1)], "arc": place(q + 0.5, 1, heights[e])}
                       for e in range(3) for q in range(4)],
            "patches": {**ends, "wall": wall}},
        "equation": {"coefficient": "1 + x*x + z"},
        "boundary": {"in": {"dirichlet": 1}, "out": {"dirichlet": 0}, "wall": {"robin": {"alpha": 5, "ambient": "x"}}},
        "output": {"probes": [[0.1, 0.2, 0.8], [0.8, 0.1, 0.3]]}}


def skewed(periodic):
    """Eight hexahedra with a common vertex that is moved; y repeats itself on request."""
    def number(i, j, k):
        return i + 3 * (j + 3 * k)

    def side(axis, at):
        a, b = (d for d in range(3) if d != axis)
        found = []
        for first in itertools.product((0, 1), repeat=2):
            corners = []
            for step in ((0, 0), (1, 0), (1, 1), (0, 1)):
                node = [at] * 3
                node[a], node[b] = first[0] + step[0], first[1] + step[1]
                corners.append(number(*node))
            found.append(corners)
        return found

    vertices = [[i / 2, j / 2, k / 2] for k, j, i in itertools.product(range(3), repeat=3)]
    vertices[number(1, 1, 1)] = [0.58, 0.43, 0.55]
    cells = ((5, 7), (6, 4), (8, 3))
    blocks = [{"corners": [number(i + (n in (1, 2)), j + (n > 1), k + e) for e in (0, 1) for n in range(4)],
               "cells": [cells[0][i], cells[1][j], cells[2][k]],
               "grading": {"x": {"expansion": 20}} if i == 0 else {"x": {"expansion": 3, "at": "upper"}}}
              for k, j, i in itertools.product(range(2), repeat=3)]
    grid = {"vertices": vertices, "blocks": blocks, "patches": {"left": side(0, 0), "right": side(0, 2)}}
    if periodic:
        grid["patches"].update(front=side(1, 0), back=side(1, 2))
        grid["periodic"] = [["front", "back"]]
    return {
        "grid": grid, "equation": {"coefficient": "2 + sin(2*pi*y)*x", "source": "sin(2*pi*y)"},
        "boundary": {"left": {"dirichlet": "z"}, "right": {"robin": {"alpha": 2, "ambient": 3}},
                     "default": {"neumann": 0}},
        "output": {"probes": [[0.31, 0.52, 0.63]]}}


def turned(block, draw):
    """Returns a block with other axes, which may run backwards."""
    dimension = 2 if len(block["corners"]) == 4 else 3
    axes = draw.sample(range(dimension), dimension)
    flips = [draw.random() < 0.5 for _ in axes]
    place = {ORDER[n]: vertex for n, vertex in enumerate(block["corners"])}
    found = dict(block)
    found["corners"] = [place[sum(((c >> a & 1) ^ flips[a]) << axes[a] for a in range(dimension))]
                        for c in ORDER[:len(place)]]
    found["cells"] = [block["cells"][axis] for axis in axes]
    found["grading"] = {}
    for a, axis in enumerate(axes):
        rule = block.get("grading", {}).get(AXES[axis])
        if rule and flips[a]:
            rule = {**rule, "at": {"lower": "upper", "upper": "lower"}[rule.get("at", "lower")]}
        if rule:
            found["grading"][AXES[a]] = rule
    return found


def shuffled(case, seed):
    """Returns a case with other numbers of vertices, and another order and other axes of blocks, sides and edges."""
    draw, grid = random.Random(seed), case["grid"]
    count = len(grid["vertices"])
    number = draw.sample(range(count), count)

    def renamed(vertices):
        return [number[v] for v in vertices]

    vertices = [None] * count
    for old, new in enumerate(number):
        vertices[new] = grid["vertices"][old]
    blocks = [turned({**block, "corners": renamed(block["corners"])}, draw) for block in grid["blocks"]]
    patches = {name: [draw.sample(renamed(side), len(side)) for side in draw.sample(sides, len(sides))]
               for name, sides in draw.sample(list(grid["patches"].items()), len(grid["patches"]))}
    curves = [{**curve, "edge": draw.sample(renamed(curve["edge"]), 2)} for curve in grid.get("curves", [])]
    return {**case, "grid": {**grid, "vertices": vertices, "blocks": draw.sample(blocks, len(blocks)),
                             "patches": patches, "curves": curves}}


def in_units(case, factor):
    """Returns a case without functions of space in another unit of length."""
    def scaled(value):
        return [scaled(v) for v in value] if isinstance(value, list) else value * factor

    grid = json.loads(json.dumps(case["grid"]))
    grid["vertices"] = scaled(grid["vertices"])
    for curve in grid.get("curves", []):
        curve["arc"] = scaled(curve["arc"])
    for block in grid["blocks"]:
        for rule in block.get("grading", {}).values():
            if "first_cell" in rule:
                rule["first_cell"] = scaled(rule["first_cell"])
    return {**case, "grid": grid, "output": {"probes": scaled(case["output"]["probes"])}}


class BlockNumbering(SeveralProcesses):
    def answers(self, case, count=0):
        case = {**case, "grid": {"type": "blocks", **case["grid"]}, "solver": {"tolerance": 1e-10},
                "output": {"formats": [], **case["output"]}}
        self.write("blocks.yaml", json.dumps(case))
        summary = self.solved(count, "out", case="blocks.yaml")
        self.assertTrue(summary["converged"], summary["reason"])
        values = {f"flow of {name}": flow for name, flow in summary["flux"].items()}
        values.update({f"u at probe {n}": probe["u"] for n, probe in enumerate(summary["probes"])})
        values.update({key: summary["solution"][key] for key in ("min", "max", "integral", "l2")})
        return values, summary["iterations"]

    def agree(self, found, wanted, what):
        size = max(map(abs, wanted.values()))
        for name, value in wanted.items():
            self.assertAlmostEqual(found[name], value, delta=1e-7 * size, msg=f"{what}: {name}")

    def test_numbers_do_not_matter(self):
        for name, case in (("ring", ring()), ("tube", tube()), ("cube", skewed(False)), ("periodic", skewed(True))):
            wanted, iterations = self.answers(case)
            for seed in range(3):
                found, needed = self.answers(shuffled(case, seed))
                self.agree(found, wanted, f"{name}, seed {seed}")
                self.assertLessEqual(abs(needed - iterations), 1, f"{name}, seed {seed}")

    def test_units_do_not_matter(self):
        for name, case in (("ring", ring()), ("tube", tube()), ("periodic", skewed(True))):
            first, second = list(case["grid"]["patches"])[:2]
            case = {**case, "equation": {"coefficient": 2.5},
                    "boundary": {first: {"dirichlet": 1}, second: {"dirichlet": 0}, "default": {"neumann": 0}}}
            wanted, _ = self.answers(case)
            for factor in (1e-6, 1e5):
                found, _ = self.answers(in_units(case, factor))
                for key, value in wanted.items():
                    power = len(case["output"]["probes"][0]) - 2 if key.startswith("flow") else 0
                    if key not in ("integral", "l2"):
                        self.assertAlmostEqual(found[key] / factor**power, value, delta=1e-8 * max(1, abs(value)),
                                               msg=f"{name}, {factor}: {key}")

    def test_processes_do_not_matter(self):
        for name, case in (("ring", ring()), ("tube", tube()), ("periodic", skewed(True))):
            wanted, _ = self.answers(case)
            for count in (2, 3):
                found, _ = self.answers(shuffled(case, count), count)
                self.agree(found, wanted, f"{name}, {count} processes")


if __name__ == "__main__":
    main()
