"""Generates random extreme problems and assembles their matrices by the definition of each scheme, for
bench/robustness: node-centred finite volumes with κ by cells, cell-centred ones with κ in series between centres, (bi-,
tri-)linear elements, and the compact scheme.
"""

import itertools
import math

import h5py
import numpy as np

TOLERANCE = 1e-8
REAL = np.longdouble
SCHEMES = {"node": {}, "cell": {"centering": "cell"}, "q1": {"scheme": "q1"}, "compact4": {"scheme": "compact4"}}


def decades(random, low, high):
    return float(10 ** random.uniform(low, high))


def random_axis(random, cells, length, benign):
    """Returns nodes of equal cells, of cells that grow by up to 10⁶ towards one or both ends, or of random cells."""
    kind = random.choice(["equal", "geometric", "both", "any"], p=[.55, .25, .1, .1])
    ratio = decades(random, 0, 1 if benign else 6)
    if kind == "equal":
        widths = np.ones(cells)
    elif kind == "any":
        widths = ratio ** (random.random(cells) / (1 if benign else 2))
    else:
        place = np.linspace(0, 1, cells)
        widths = ratio ** (np.minimum(place, 1 - place) * 2 if kind == "both" else place)
        if random.random() < .3:
            widths = widths[::-1]
    nodes = np.concatenate([[0], np.cumsum(widths / widths.sum())]) * length
    nodes[-1] = length
    return nodes


def random_kappa(random, shape, benign):
    kind = random.choice(["constant", "smooth", "cells", "blocks", "layers", "two"], p=[.15, .1, .2, .25, .15, .15])
    span = random.uniform(0, 1 if benign else 10)
    places = np.meshgrid(*[(np.arange(n) + .5) / n for n in shape], indexing="ij")
    if kind == "constant":
        exponent = np.zeros(shape)
    elif kind == "smooth":
        phase = sum(random.uniform(-6, 6) * place for place in places) + random.uniform(0, 6)
        exponent = span * np.sin(phase) / 2
    elif kind == "cells":
        exponent = span * random.random(shape)
    elif kind == "blocks":
        sides = [int(random.integers(1, max(2, n // 2) + 1)) for n in shape]
        blocks = span * random.random([-(-n // side) for n, side in zip(shape, sides)])
        if random.random() < .5:
            blocks = np.where(blocks > span / 2, span, 0)
        exponent = blocks[np.ix_(*[np.arange(n) // side for n, side in zip(shape, sides)])]
    elif kind == "layers":
        axis = int(random.integers(len(shape)))
        layer = span * random.random(shape[axis])
        exponent = np.broadcast_to(layer.reshape([-1 if d == axis else 1 for d in range(len(shape))]), shape)
    else:
        exponent = (1 if benign else 6) * (random.random(shape) < .5)
    return kind, 10.0 ** exponent * (1 if random.random() < .7 else decades(random, -6, 6))


def random_faces(random, dimension, scheme, benign):
    """Returns two faces (kind, value, alpha) for each axis."""
    family = random.choice(["dirichlet", "mixed", "weak", "neumann", "periodic"], p=[.25, .35, .15, .12, .13])
    if scheme == "compact4":
        family = random.choice(["dirichlet", "periodic", "mixed"], p=[.6, .1, .3])
    faces = []
    for _ in range(dimension):
        if family == "periodic" or random.random() < (.5 if scheme == "compact4" and family == "mixed" else .12):
            faces.append([("periodic", 0.0, 0.0)] * 2)
            continue
        pair = []
        for _ in range(2):
            value = float(random.choice([0, 1, random.uniform(-1, 1)]))
            kind = ("dirichlet" if scheme == "compact4" or family == "dirichlet" else
                    random.choice(["dirichlet", "neumann", "robin"], p=[.35, .45, .2]) if family == "mixed" else "neumann")
            pair.append((str(kind), value, decades(random, -1, 1) if benign else decades(random, -8, 4)))
        faces.append(pair)
    if family == "weak":
        open_axes = [d for d in range(dimension) if faces[d][0][0] != "periodic"]
        if open_axes:
            d, end = int(random.choice(open_axes)), int(random.integers(2))
            faces[d][end] = ("robin", faces[d][end][1], .1 if benign else decades(random, -8, -2))
    return str(family), faces


def random_problem(seed, number, most, benign):
    random = np.random.default_rng([seed, number])
    dimension = int(random.choice([2, 3]))
    scheme = str(random.choice(list(SCHEMES), p=[.32, .32, .3, .06]))
    while True:
        high = math.log(66) if dimension == 2 or random.random() < .3 else math.log(28)
        cells = [int(math.exp(random.uniform(math.log(2), high))) for _ in range(dimension)]
        if math.prod(cells) <= most:
            break
    lengths = [decades(random, -1 if benign else -4, 0) if random.random() < .2 else 1.0 for _ in range(dimension)]
    compact = scheme == "compact4"
    axes = [np.linspace(0, length, n + 1) if compact else random_axis(random, n, length, benign)
            for n, length in zip(cells, lengths)]
    shape = cells[::-1]
    kind, kappa = ("constant", np.full(shape, decades(random, -3, 3))) if compact else random_kappa(random, shape, benign)
    sigma = np.zeros(shape)
    if random.random() < .2:
        size = decades(random, 0, 2 if benign else 9)
        patches = np.ones(shape, bool)
        if not compact:
            sides = [int(random.integers(1, n + 1)) for n in shape]
            patches = (random.random([-(-n // s) for n, s in zip(shape, sides)]) < .5)[
                np.ix_(*[np.arange(n) // s for n, s in zip(shape, sides)])]
        sigma = size * patches
    family, faces = random_faces(random, dimension, scheme, benign)
    where = [n + 1 for n in shape] if compact else shape
    source = random.choice(["one", "zero", "random", "point"], p=[.35, .15, .35, .15])
    f = np.ones(where) if source == "one" else np.zeros(where) if source == "zero" else random.standard_normal(where)
    if source == "point":
        f = np.where(np.arange(f.size).reshape(where) == int(random.integers(f.size)), 1.0, 0.0)
    if compact:  # nodal data are the same at both ends of a periodic axis
        for d in range(dimension):
            if faces[d][0][0] == "periodic":
                last = np.moveaxis(f, dimension - 1 - d, 0)
                last[-1] = last[0]
    return {"scheme": scheme, "axes": axes, "kappa": np.array(kappa, float), "sigma": np.array(sigma, float),
            "f": np.array(f, float), "faces": faces,
            "about": {"dimension": dimension, "scheme": scheme, "cells": cells, "kappa": kind, "faces": family,
                      "contrast": float(kappa.max() / kappa.min()), "sigma": float(np.max(sigma)),
                      "stretch": max(float(np.diff(x).max() / np.diff(x).min()) for x in axes)}}


def configuration(problem, directory, device):
    with h5py.File(directory / "data.h5", "w") as file:
        for name in ("kappa", "sigma", "f"):
            file[name] = problem[name]

    def face(kind, value, alpha):
        return ("periodic" if kind == "periodic" else {kind: value} if kind != "robin" else
                {"robin": {"alpha": alpha, "value": value}})

    constant = problem["scheme"] == "compact4"

    def data(name):
        return {"file": "data.h5", "dataset": "/" + name} if not constant or name == "f" else float(problem[name].flat[0])

    axes = problem["axes"]
    grid = {"cells": [len(x) - 1 for x in axes]}
    if not constant:
        grid |= {"type": "tensor-product", "axes": {"xyz"[d]: {"nodes": list(map(float, x))} for d, x in enumerate(axes)}}
    return {"title": "random", "domain": {"lower": [0] * len(axes), "upper": [float(x[-1]) for x in axes]}, "grid": grid,
            "equation": {"coefficient": data("kappa"), "reaction": data("sigma"), "source": data("f")},
            "boundary": {"xyz"[d] + "-+"[end]: face(*problem["faces"][d][end])
                         for d in range(len(axes)) for end in range(2)},
            "discretization": SCHEMES[problem["scheme"]], "solver": {"method": "multigrid", "tolerance": TOLERANCE}, "backend": {"device": device},
            "output": {"directory": "results", "formats": ["hdf5"]}}


class System:
    """Stores rows own_i u_i + Σ c_ij (u_i − u_j) = b_i with some u_j given, in extended precision."""

    def __init__(self, size):
        self.size = size
        self.own, self.b, self.mass = (np.zeros(size, REAL) for _ in range(3))
        self.edges = []
        self.given = np.zeros(size, bool)
        self.value = np.zeros(size, REAL)

    def couple(self, i, j, c):
        self.edges.append((np.ravel(i), np.ravel(j), np.ravel(np.broadcast_to(c, np.shape(i)))))

    def add(self, vector, i, values):
        np.add.at(vector, np.ravel(i), np.ravel(np.broadcast_to(values, np.shape(i))))

    def finish(self):
        i, j, c = (np.concatenate(parts) for parts in zip(*self.edges))
        keep = i != j  # False for a periodic axis of one interval
        i, j, c = i[keep], j[keep], c[keep]
        i, j, c = np.concatenate([i, j]), np.concatenate([j, i]), np.concatenate([c, c])
        order = np.lexsort((j, i))
        i, j, c = i[order], j[order], c[order]
        first = np.concatenate([[True], (np.diff(i) != 0) | (np.diff(j) != 0)])
        starts = np.flatnonzero(first)
        self.i, self.j, self.c = i[starts], j[starts], np.add.reduceat(c, starts)
        self.starts = np.flatnonzero(np.concatenate([[True], np.diff(self.i) != 0]))
        self.rows = self.i[self.starts]
        self.unknown = ~self.given
        self.diagonal = self.own + self.sums(self.c)
        self.diagonal[self.given] = 1
        tied = np.zeros(self.size, bool)
        tied[self.i[self.given[self.j]]] = True
        self.singular = not np.any(self.own[self.unknown]) and not np.any(tied & self.unknown)
        self.raw = self.norm(self.b)
        if self.singular:
            self.b -= self.mass * (self.b.sum() / self.mass.sum())
        return self

    def sums(self, values):
        result = np.zeros(self.size, REAL)
        result[self.rows] = np.add.reduceat(values, self.starts)
        return result

    def multiply(self, u):
        return self.own * u + self.sums(self.c * (u[self.i] - u[self.j]))

    def residual(self, u):
        return np.where(self.unknown, self.b - self.multiply(u.astype(REAL)), 0)

    def norm(self, r):
        return float(np.sqrt(np.sum(np.where(self.unknown, r * r / self.diagonal, 0))))


def numbering(shape, periodic):
    """Returns the number of the value at each point of an array of nodes; periodic ends share one."""
    sizes = [n - 1 if wrap else n for n, wrap in zip(shape, periodic)]
    numbers = np.arange(math.prod(sizes)).reshape(sizes)
    return numbers[np.ix_(*[np.arange(n) % size for n, size in zip(shape, sizes)])]


def widths_of(problem):
    """Returns the cell widths of each array axis, z first, shaped to broadcast over the cells."""
    axes = problem["axes"][::-1]
    return [np.diff(x.astype(REAL)).reshape([-1 if d == e else 1 for e in range(len(axes))]) for d, x in enumerate(axes)]


def end_of(array, axis, end):
    return np.take(array, [-1 if end else 0], axis=axis)


def kappas_of(problem):
    """Returns κ along each array axis, z first. All axes have the same κ unless there are `kappas`."""
    return [k.astype(REAL) for k in problem.get("kappas", [problem["kappa"]] * len(problem["axes"]))]


def face_values(value, places, d, end):
    """Evaluates a number, or the slopes of a linear function (x last, like `places`), on the face of array axis d."""
    places = [np.asarray(x, REAL) for x in places]
    places[d] = places[d][[-1 if end else 0]]
    shape = [len(x) for x in places]
    if np.ndim(value) == 0:
        return np.full(shape, REAL(value))
    return sum(REAL(slope) * x for slope, x in zip(value, np.meshgrid(*places, indexing="ij")))


def nodes_of(problem):
    """Assembles node-centred finite volumes, elements, or the compact scheme, cell by cell."""
    h, faces, scheme = widths_of(problem), problem["faces"][::-1], problem["scheme"]
    dimension = len(h)
    shape = problem["kappa"].shape
    kappas, sigma, f = kappas_of(problem), *(problem[name].astype(REAL) for name in ("sigma", "f"))
    numbers = numbering([n + 1 for n in shape], [pair[0][0] == "periodic" for pair in faces])
    system = System(int(numbers.max()) + 1)
    corners = list(itertools.product((0, 1), repeat=dimension))

    def at(corner, values=numbers):
        return values[tuple(slice(c, c + n) for c, n in zip(corner, shape))]

    def mass(a, b, e):  # between the ends of an interval
        if scheme == "node":
            return h[e] / 2 if a[e] == b[e] else 0 * h[e]
        if scheme == "compact4":
            return h[e] * REAL(5 if a[e] == b[e] else 1) / 12
        return h[e] / (3 if a[e] == b[e] else 6)

    def product(factors):
        return math.prod(factors, start=np.ones((1,) * dimension, REAL))

    part = product(w / 2 for w in h)
    for a in corners:
        system.add(system.mass, at(a), part + 0 * sigma)
        system.add(system.own, at(a), sigma * part)
        if scheme != "compact4":
            system.add(system.b, at(a), f * part)
        for b in corners:
            if scheme == "compact4":
                system.add(system.b, at(a), at(b, f) * product(mass(a, b, e) for e in range(dimension)))
            if a >= b:
                continue
            entry = sum(kappas[d] * (1 if a[d] == b[d] else -1) / h[d] *
                        product(mass(a, b, e) for e in range(dimension) if e != d) for d in range(dimension))
            entry = entry + sigma * product(mass(a, b, e) for e in range(dimension))
            if np.any(entry):
                system.couple(at(a), at(b), -entry)
    sums, counts = np.zeros(system.size, REAL), np.zeros(system.size, int)
    for d, end in itertools.product(range(dimension), (0, 1)):
        kind, value, alpha = faces[d][end]
        area = product(h[e] / 2 for e in range(dimension) if e != d)
        if kind == "dirichlet":
            here, first = np.unique(end_of(numbers, d, end), return_index=True)
            sums[here] += face_values(value, problem["axes"][::-1], d, end).ravel()[first]
            counts[here] += 1
        if kind not in ("neumann", "robin"):
            continue
        for a in corners:
            if a[d] != end:
                continue
            here = end_of(at(a), d, end)
            system.add(system.b, here, REAL(value) * area)
            if kind == "neumann":
                continue
            system.add(system.own, here, REAL(alpha) * area)
            for b in corners:
                if b[d] == end and a < b and scheme != "node":
                    entry = REAL(alpha) * product(mass(a, b, e) for e in range(dimension) if e != d)
                    system.couple(here, end_of(at(b), d, end), -np.broadcast_to(entry, here.shape))
    system.given = counts > 0
    system.value[system.given] = sums[system.given] / counts[system.given]
    return system.finish(), numbers


def cells_of(problem):
    """Assembles cell-centred finite volumes: resistances are in series, and face values lie behind the faces."""
    h, faces = widths_of(problem), problem["faces"][::-1]
    dimension = len(h)
    kappas, sigma, f = kappas_of(problem), *(problem[name].astype(REAL) for name in ("sigma", "f"))
    numbers = np.arange(sigma.size).reshape(sigma.shape)
    volume = math.prod(h, start=np.ones(sigma.shape, REAL))
    faces_of_cells = sum(2 * sigma.size // n for n in sigma.shape)
    system = System(sigma.size + faces_of_cells)  # one additional value per boundary face of a cell
    middles = [(x[1:].astype(REAL) + x[:-1]) / 2 for x in problem["axes"][::-1]]
    inside, next_behind = slice(0, sigma.size), sigma.size
    system.mass[inside], system.own[inside], system.b[inside] = volume.ravel(), (sigma * volume).ravel(), (f * volume).ravel()
    system.given[sigma.size:] = True
    for d in range(dimension):
        area, half = volume / h[d], h[d] / 2 / kappas[d]
        below, above = (np.take(numbers, range(first, numbers.shape[d] - 1 + first), axis=d) for first in (0, 1))
        if below.size:
            system.couple(below, above, area.ravel()[below] / (half.ravel()[below] + half.ravel()[above]))
        for end in (0, 1):
            kind, value, alpha = faces[d][end]
            here = end_of(numbers, d, end)
            own, behind = area.ravel()[here], next_behind + np.arange(here.size).reshape(here.shape)
            next_behind += here.size
            if kind == "periodic" and end == 0:
                there = end_of(numbers, d, 1)
                system.couple(here, there, own / (half.ravel()[here] + half.ravel()[there]))
            if kind == "neumann":
                system.add(system.b, here, REAL(value) * own)
            if kind == "dirichlet":
                places = [problem["axes"][::-1][e] if e == d else middles[e] for e in range(dimension)]
                system.value[behind] = face_values(value, places, d, end)
                system.couple(here, behind, own / half.ravel()[here])
            if kind == "robin":
                system.value[behind] = REAL(value) / REAL(alpha)
                system.couple(here, behind, own / (1 / REAL(alpha) + half.ravel()[here]))
    return system.finish(), numbers


def assemble(problem):
    return (cells_of if problem["scheme"] == "cell" else nodes_of)(problem)
