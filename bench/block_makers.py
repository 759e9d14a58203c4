"""Makes macro meshes as dictionaries of vertices, blocks, curves and patches: the keys of `grid: {type: blocks}`."""

import math
import random


def same(t):
    return t


def squares(mx, my, x=same, y=same, move=0.0, seed=1, turned=False):
    """Returns mx × my blocks of the unit square, whose inner vertices are moved by up to `move` of a block."""
    generator = random.Random(seed)
    vertices, blocks, n = [], [], mx + 1
    for j in range(my + 1):
        for i in range(mx + 1):
            inside = 0 < i < mx and 0 < j < my
            by = [generator.uniform(-move, move) if inside else 0 for _ in range(2)]
            vertices.append([x((i + by[0]) / mx), y((j + by[1]) / my)])
    for j in range(my):
        for i in range(mx):
            corners = [i + n * j, i + 1 + n * j, i + 1 + n * (j + 1), i + n * (j + 1)]
            turn = 1 if turned and (i + j) % 2 else 0
            blocks.append({"corners": corners[turn:] + corners[:turn]})
    patches = {"bottom": [[i, i + 1] for i in range(mx)], "top": [[my * n + i, my * n + i + 1] for i in range(mx)],
               "left": [[j * n, (j + 1) * n] for j in range(my)],
               "right": [[j * n + mx, (j + 1) * n + mx] for j in range(my)]}
    return {"vertices": vertices, "blocks": blocks, "curves": [], "patches": patches}


def sheared(degrees, ratio=1.0):
    """Returns 2 × 2 parallelograms with an angle, whose edges have a ratio of lengths."""
    angle = math.radians(degrees)
    made = squares(2, 2)
    made["vertices"] = [[i / 2 + j / 2 * ratio * math.cos(angle), j / 2 * ratio * math.sin(angle)]
                        for j in range(3) for i in range(3)]
    return made


def star(count):
    """Returns blocks around a vertex, with the patch wall."""
    vertices = [[0.0, 0.0]]
    for k in range(count):
        for part, radius in ((k, 1.0), (k + 0.5, 1.1)):
            angle = 2 * math.pi * part / count
            vertices.append([radius * math.cos(angle), radius * math.sin(angle)])
    after = [(k + 1) % count for k in range(count)]
    blocks = [{"corners": [0, 2 * k + 1, 2 * k + 2, 2 * after[k] + 1]} for k in range(count)]
    wall = [[2 * k + 1, 2 * k + 2] for k in range(count)] + [[2 * k + 2, 2 * after[k] + 1] for k in range(count)]
    return {"vertices": vertices, "blocks": blocks, "curves": [], "patches": {"wall": wall}}


def ring(count, outer, layers=1, splines=False, **grading):
    """Returns a ring between the radii 1 and `outer` with the patches wall and far; the grading is radial."""
    def place(radius, part):
        angle = 2 * math.pi * (part + 0.13) / count
        return [radius * math.cos(angle), radius * math.sin(angle)]

    radii = [1 + (outer - 1) * layer / layers for layer in range(layers + 1)]
    vertices = [place(radius, k) for radius in radii for k in range(count)]
    blocks, curves = [], []
    for layer in range(layers):
        for k in range(count):
            low, next_k = layer * count, (k + 1) % count
            blocks.append({"corners": [low + k, low + count + k, low + count + next_k, low + next_k]})
    if grading:
        blocks[0]["grading"] = {"x": grading}
    for layer, radius in enumerate(radii):
        for k in range(count):
            edge = [layer * count + k, layer * count + (k + 1) % count]
            through = [place(radius, k + part / 8) for part in range(1, 8)]
            curves.append({"edge": edge, "spline": through} if splines else {"edge": edge, "arc": through[3]})
    sides = [[k, (k + 1) % count] for k in range(count)]
    far = [[layers * count + a, layers * count + b] for a, b in sides]
    return {"vertices": vertices, "blocks": blocks, "curves": curves, "patches": {"wall": sides, "far": far}}


def disc(**grading):
    """Returns a square with four blocks around it and arcs outside; the grading is towards the wall."""
    vertices = [[-0.4, -0.4], [0.4, -0.4], [0.4, 0.4], [-0.4, 0.4]]
    around = [math.pi / 4 * (2 * k - 3) for k in range(4)]
    vertices += [[math.cos(angle), math.sin(angle)] for angle in around]
    blocks = [{"corners": [0, 1, 2, 3]}]
    blocks += [{"corners": [k, 4 + k, 4 + (k + 1) % 4, (k + 1) % 4]} for k in range(4)]
    if grading:
        blocks[1]["grading"] = {"x": {**grading, "at": "upper"}}
    wall = [[4 + k, 4 + (k + 1) % 4] for k in range(4)]
    middle = [angle + math.pi / 4 for angle in around]
    curves = [{"edge": edge, "arc": [math.cos(angle), math.sin(angle)]} for edge, angle in zip(wall, middle)]
    return {"vertices": vertices, "blocks": blocks, "curves": curves, "patches": {"wall": wall}}


def l_shape(expansion=None):
    """Returns three squares around the corner (0, 0), with the patch inner beside it."""
    vertices = [[x, y] for y in (-1, 0, 1) for x in (-1, 0, 1)]
    blocks = [{"corners": [0, 1, 4, 3]}, {"corners": [3, 4, 7, 6]}, {"corners": [4, 5, 8, 7]}]
    if expansion:
        upper, lower = {"expansion": expansion, "at": "upper"}, {"expansion": expansion}
        blocks[0]["grading"] = {"x": upper, "y": upper}
        blocks[2]["grading"] = {"x": lower, "y": lower}
    return {"vertices": vertices, "blocks": blocks, "curves": [], "patches": {"inner": [[1, 4], [4, 5]]}}


def extruded(plane, height, layers=1, twist=0.0, **grading):
    """Returns plane blocks with a height, which may be twisted; the patches bottom and top are added."""
    count, vertices, blocks, curves = len(plane["vertices"]), [], [], []

    def lifted(place, layer):
        angle = twist * layer / layers
        x, y = place
        return [x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle),
                height * layer / layers]

    for layer in range(layers + 1):
        vertices += [lifted(place, layer) for place in plane["vertices"]]
        for curve in plane["curves"]:
            made = {"edge": [end + layer * count for end in curve["edge"]]}
            if "arc" in curve:
                made["arc"] = lifted(curve["arc"], layer)
            else:
                made["spline"] = [lifted(place, layer) for place in curve["spline"]]
            curves.append(made)
    for layer in range(layers):
        for block in plane["blocks"]:
            made = {"corners": [c + (layer + above) * count for above in (0, 1) for c in block["corners"]]}
            if layer == 0 and "grading" in block:
                made["grading"] = dict(block["grading"])
            blocks.append(made)
    if grading:
        blocks[0].setdefault("grading", {})["z"] = grading
    patches = {name: [[a + layer * count, b + layer * count, b + (layer + 1) * count, a + (layer + 1) * count]
                      for layer in range(layers) for a, b in edges] for name, edges in plane["patches"].items()}
    patches["bottom"] = [list(block["corners"]) for block in plane["blocks"]]
    patches["top"] = [[c + layers * count for c in block["corners"]] for block in plane["blocks"]]
    return {"vertices": vertices, "blocks": blocks, "curves": curves, "patches": patches}


def cubes(m, edges=(1, 1, 1), move=0.0, seed=1):
    """Returns m × m × m blocks of a box, whose inner vertices are moved by up to `move` of a block."""
    made = extruded(squares(m, m, lambda t: edges[0] * t, lambda t: edges[1] * t), edges[2], m)
    generator = random.Random(seed)
    for v, place in enumerate(made["vertices"]):
        at = [v % (m + 1), v // (m + 1) % (m + 1), v // (m + 1) ** 2]
        if all(0 < index < m for index in at):
            for d in range(3):
                place[d] += generator.uniform(-move, move) * min(edges) / m
    return made


def graded(made, block, axis, **rule):
    made["blocks"][block].setdefault("grading", {})[axis] = rule
    return made


def counted(made, block, cells):
    made["blocks"][block]["cells"] = cells
    return made
