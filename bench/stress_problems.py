"""Generates random problems on thin, anisotropic and stretched boxes, for bench/stress.

A problem has the form that random_problems.py assembles. In addition, `kappas` contains κ along each array axis, and
the value of a Dirichlet face may be the slopes of a linear function.
"""

import math

import h5py
import numpy as np

from random_problems import REAL, SCHEMES, decades

METHODS = {
    "auto": {},
    "direct": {"method": "direct"},
    "multigrid": {"method": "multigrid"},
    "cg": {"method": "cg", "max_iterations": 5000},
    "preconditioner": {"preconditioner": "direct"},
}


def axis_nodes(random, cells, length, kind):
    """Returns nodes of equal cells (None), of cells that grow by a rule at one or both ends, or of random cells."""
    if kind == "equal":
        return None
    at = random.choice(["lower", "upper", "both"])
    if kind == "tanh":
        s = random.uniform(.5, 9)
        t = np.arange(cells + 1) / cells
        x = (1 + np.tanh(s * (t - .5)) / np.tanh(s / 2)) / 2 if at == "both" else 1 + np.tanh(s * (t - 1)) / np.tanh(s)
    else:
        expansion, t = decades(random, 1, 8), np.linspace(0, 1, cells)
        growth = random.random(cells) if kind == "any" else np.minimum(t, 1 - t) * 2 if at == "both" else t
        widths = expansion ** growth
        x = np.concatenate([[0], np.cumsum(widths / widths.sum())])
    if at == "upper":
        x = 1 - x[::-1]
    x = x * length
    x[0], x[-1] = 0, length
    return x if np.all(np.diff(x) > 0) else None


def random_lengths(random, dimension):
    kind = random.choice(["cube", "thin", "rod", "any"], p=[.3, .35, .15, .2])
    lengths = np.ones(dimension)
    if kind == "thin":
        lengths[random.integers(dimension)] = decades(random, -7, -.5)
    elif kind == "rod":
        lengths[:] = decades(random, -6, -.5)
        lengths[random.integers(dimension)] = 1
    elif kind == "any":
        lengths = 10 ** random.uniform(-3, 3, dimension)
    return kind, [float(x) for x in lengths * (decades(random, -6, 6) if random.random() < .15 else 1)]


def random_cells(random, dimension, most):
    thin = dimension == 3 and random.random() < .3  # few cells along one axis, many along the others
    least = math.log(2 if random.random() < .2 else 5)
    while True:
        cells = [int(math.exp(random.uniform(least, math.log(52 if thin or dimension == 2 else 26))))
                 for _ in range(dimension)]
        if thin:
            cells[random.integers(3)] = int(random.integers(2, 5))
        if math.prod(cells) <= most:
            return cells


def random_axis_factors(random, dimension):
    if random.random() < .45:
        return np.ones(dimension)
    return 10 ** (random.uniform(0, 8) * (random.random(dimension) - .5))


def random_field(random, shape):
    """Returns a varying κ: smooth, in blocks, in layers, or from cell to cell."""
    kind = str(random.choice(["smooth", "blocks", "layers", "cells"], p=[.35, .3, .2, .15]))
    span = random.uniform(.1, 8)
    if kind == "smooth":
        places = np.meshgrid(*[(np.arange(n) + .5) / n for n in shape], indexing="ij")
        exponent = span / 2 * np.sin(sum(random.uniform(-6, 6) * place for place in places) + random.uniform(0, 6))
    elif kind == "cells":
        exponent = span * random.random(shape)
    elif kind == "layers":
        axis = int(random.integers(len(shape)))
        exponent = span * random.random(shape[axis]).reshape([-1 if d == axis else 1 for d in range(len(shape))])
    else:
        sides = [int(random.integers(1, max(2, n // 2) + 1)) for n in shape]
        blocks = span * (random.random([-(-n // side) for n, side in zip(shape, sides)]) < .4)
        exponent = blocks[np.ix_(*[np.arange(n) // side for n, side in zip(shape, sides)])]
    return kind, 10.0 ** np.broadcast_to(exponent, shape)


def random_faces(random, scheme, lengths, factors, slopes):
    """Returns two faces (kind, value, alpha) for each axis. `slopes` are those of the linear solution of one
    family."""
    dimension = len(lengths)
    family = str(random.choice(["dirichlet", "mixed", "weak", "robin", "neumann", "periodic", "linear"],
                               p=[.13, .27, .15, .1, .1, .1, .15]))
    if scheme == "compact4":
        family = str(random.choice(["dirichlet", "periodic", "mixed"], p=[.4, .2, .4]))
    silent = random.random() < .35
    faces = []
    for d in range(dimension):
        strength = factors[d] / lengths[d]
        if family == "periodic" or (family != "linear" and random.random() < (.5 if scheme == "compact4" else .12)):
            faces.append([("periodic", 0.0, 0.0)] * 2)
            continue
        pair = []
        for end in range(2):
            if family == "linear":
                given = random.random() < .3
                flux = float(factors[d] * slopes[d] * (1 if end else -1))
                pair.append(("dirichlet", slopes[::-1], 0.0) if given else ("neumann", flux, 0.0))
                continue
            kind = ("dirichlet" if scheme == "compact4" or family == "dirichlet" else "robin" if family == "robin" else
                    str(random.choice(["dirichlet", "neumann", "robin"], p=[.35, .45, .2])) if family == "mixed" else
                    "neumann")
            alpha = strength * decades(random, -10 if random.random() < .3 else -3, 6)
            value = 0.0 if silent else float(random.choice([0, 1, random.uniform(-1, 1)]))
            pair.append((kind, float(value * {"dirichlet": 1, "neumann": strength, "robin": alpha}[kind]), alpha))
        faces.append(pair)
    open_axes = [d for d in range(dimension) if faces[d][0][0] != "periodic"]
    if family == "weak" and open_axes:
        d, end = int(random.choice(open_axes)), int(random.integers(2))
        alpha = factors[d] / lengths[d] * decades(random, -12, -1)
        faces[d][end] = ("robin", float(alpha * random.uniform(-1, 1)), alpha)
    return family, faces


def random_sigma(random, shape, lengths, factors, scheme, separable):
    if random.random() < .5:
        return np.zeros(shape)
    d = int(random.integers(len(lengths)))
    size = factors[d] / lengths[d] ** 2 * decades(random, -14 if random.random() < .3 else -4, 7)
    where = np.ones(shape) if separable or scheme == "compact4" else random.random(shape) < .5
    return size * where


def random_source(random, scheme, shape, faces, size):
    where = [n + 1 for n in shape] if scheme == "compact4" else list(shape)
    kind = str(random.choice(["one", "zero", "random", "point", "wave"], p=[.3, .2, .2, .15, .15]))
    f = np.zeros(where)
    if kind == "one":
        f[:] = 1
    elif kind == "random":
        f = random.standard_normal(where)
    elif kind == "point":
        f.flat[int(random.integers(f.size))] = 1
    elif kind == "wave":
        along = int(random.integers(len(where)))
        wave = np.cos(math.pi * (np.arange(where[along]) + .5) / where[along])
        f = f + wave.reshape([-1 if d == along else 1 for d in range(len(where))])
    if scheme == "compact4":  # nodal data are the same at both ends of a periodic axis
        for d, pair in enumerate(faces[::-1]):
            if pair[0][0] == "periodic":
                ends = np.moveaxis(f, d, 0)
                ends[-1] = ends[0]
    return kind, f * size


def random_stress(seed, number, most):
    random = np.random.default_rng([seed, number, 38])
    dimension = int(random.choice([2, 3]))
    scheme = str(random.choice(list(SCHEMES), p=[.36, .3, .26, .08]))
    separable = bool(scheme == "compact4" or random.random() < .6)
    cells = random_cells(random, dimension, most)
    box, lengths = random_lengths(random, dimension)
    kind = str(random.choice(["equal", "geometric", "tanh", "each"], p=[.25, .35, .15, .25]))
    nodes = [axis_nodes(random, n, length, "equal" if scheme == "compact4" else kind if kind != "each" else
                        str(random.choice(["equal", "geometric", "tanh", "any"], p=[.45, .25, .15, .15])))
             for n, length in zip(cells, lengths)]
    axes = [np.linspace(0, length, n + 1) if x is None else x for x, length, n in zip(nodes, lengths, cells)]
    shape = cells[::-1]
    factors = random_axis_factors(random, dimension) * (decades(random, -6, 6) if random.random() < .2 else 1)
    slopes = [float(random.choice([0, 1, random.uniform(-1, 1)]) / length) for length in lengths]
    field, values = ("constant", np.ones(shape)) if separable else random_field(random, shape)
    family, faces = random_faces(random, scheme, lengths, factors, slopes)
    linear = family == "linear"
    if linear and not separable:
        field, values = "constant", np.ones(shape)
    sigma = np.zeros(shape) if linear else random_sigma(random, shape, lengths, factors, scheme, separable)
    source, f = random_source(random, scheme, shape, faces, float(max(factors / np.array(lengths) ** 2)))
    if linear:
        source, f = "zero", np.zeros_like(f)
    settings = {"tolerance": 1e-8 if random.random() < .7 else decades(random, -11, -4)}
    if random.random() < .15:
        settings["precision"] = "double"
    elif random.random() < .06:
        settings |= {"precision": "single", "tolerance": 1e-5}
    if random.random() < .1:
        settings |= {"initial": float(random.uniform(-1, 1))}
    return {"scheme": scheme, "axes": axes, "nodes": nodes, "lengths": lengths, "sigma": sigma, "f": f, "faces": faces,
            "constant": field == "constant", "kappa": values, "kappas": [values * k for k in factors[::-1]],
            "factors": [float(k) for k in factors], "slopes": slopes, "settings": settings,
            "about": {"dimension": dimension, "scheme": scheme, "cells": cells, "box": box, "lengths": lengths,
                      "axes": kind, "kappa": field, "faces": family, "source": source,
                      "factors": [float(k) for k in factors], "contrast": float(values.max() / values.min()),
                      "sigma": float(np.max(sigma)), "tolerance": settings["tolerance"],
                      "precision": settings.get("precision", "mixed"),
                      "stretch": max(float(np.diff(x).max() / np.diff(x).min()) for x in axes)}}


def is_separable(problem):
    return problem["constant"] and len(np.unique(problem["sigma"])) == 1


def methods_of(problem):
    """Returns the methods that support the problem, by name."""
    return [name for name in METHODS if name != "direct" or is_separable(problem)]


def linear_solution(problem, system, numbers):
    """Returns the linear function of the slopes at each value if it solves the discrete equations exactly, else
    None."""
    if problem["about"]["faces"] != "linear":
        return None
    cells = problem["scheme"] == "cell"
    places = [np.asarray(x, REAL) for x in problem["axes"][::-1]]
    places = [(x[1:] + x[:-1]) / 2 if cells else x for x in places]
    u = np.where(system.given, system.value, REAL(0))
    u[numbers.ravel()] = sum(REAL(s) * x for s, x in zip(problem["slopes"][::-1], np.meshgrid(*places, indexing="ij"))).ravel()
    return u


def groups_of(problem, system, numbers, most=300):
    """Returns a group for each value: constant along the axis of the strongest couplings, blocks along the other
    axes."""
    cells, lengths = np.array(problem["about"]["cells"]), np.array(problem["lengths"])
    shape = list(numbers.shape)
    shape[len(shape) - 1 - int(np.argmax(np.array(problem["factors"]) * (cells / lengths) ** 2))] = 1
    while math.prod(shape) > most:
        shape[int(np.argmax(shape))] //= 2
    labels = np.zeros(numbers.shape, int)
    for d, (n, groups) in enumerate(zip(numbers.shape, shape)):
        labels = labels * groups + (np.arange(n) * groups // n).reshape([-1 if e == d else 1 for e in range(len(shape))])
    result = np.zeros(system.size, int)
    result[numbers.ravel()] = labels.ravel()
    return result


def configuration(problem, directory, method):
    datasets = {}

    def data(name, values):
        if len(np.unique(values)) == 1:
            return float(values.flat[0])
        datasets[name] = values
        return {"file": "data.h5", "dataset": "/" + name}

    def value_of(value):
        return value if np.ndim(value) == 0 else " + ".join(f"({s!r})*{x}" for s, x in zip(value[::-1], "xyz"))

    def face(kind, value, alpha):
        return ("periodic" if kind == "periodic" else {kind: value_of(value)} if kind != "robin" else
                {"robin": {"alpha": alpha, "value": value}})

    names = "xyz"[:len(problem["axes"])]
    grid = {"cells": [len(x) - 1 for x in problem["axes"]]}
    given = {name: {"nodes": [float(v) for v in x]} for name, x in zip(names, problem["nodes"]) if x is not None}
    if given:
        grid |= {"type": "tensor-product", "axes": given}
    alike = len(set(problem["factors"])) == 1
    kappa = (data("kappa", problem["kappas"][0]) if alike else
             {name: data("kappa_" + name, k) for name, k in zip(names, problem["kappas"][::-1])})
    result = {"title": "stress", "domain": {"lower": [0] * len(names), "upper": problem["lengths"]}, "grid": grid,
              "equation": {"coefficient": kappa, "reaction": data("sigma", problem["sigma"]), "source": data("f", problem["f"])},
              "boundary": {names[d] + "-+"[end]: face(*problem["faces"][d][end])
                           for d in range(len(names)) for end in range(2)},
              "discretization": SCHEMES[problem["scheme"]],
              "solver": {"max_iterations": 300} | problem["settings"] | METHODS[method],
              "output": {"directory": "results", "formats": ["hdf5"]}}
    if datasets:
        with h5py.File(directory / "data.h5", "w") as file:
            for name, values in datasets.items():
                file[name] = values
    return result
