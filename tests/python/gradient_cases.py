"""Problems with every kind of data, for tests of gradients."""

import numpy as np

import poisson

SCHEMES = [("node", "fv"), ("cell", "fv"), ("node", "q1")]
FACES = {
    "dirichlet": {"default": "D"},
    "all kinds": {"x-": "D", "x+": "N", "y-": "R", "default": "D"},
    "periodic": {"x-": "P", "x+": "P", "y-": "R", "y+": "D", "default": "N"},
    "robin": {"x-": "R", "x+": "N", "default": "R"},
    "singular": {"default": "N"},
}


def names(dimension):
    return [axis + end for axis in "xyz"[:dimension] for end in "-+"]


def face_shape(name, sizes):
    """Returns the shape of a face of an array of this shape."""
    a = len(sizes) - 1 - "xyz".index(name[0])
    return tuple(n for i, n in enumerate(sizes) if i != a)


def repeat(values, faces, axes):
    """Makes the last value of periodic axes that of the first; axes names the axes of the array."""
    for i, axis in enumerate(axes):
        if faces.get(axis + "-") == "P":
            last, first = ([slice(None)] * values.ndim for _ in range(2))
            last[i], first[i] = -1, 0
            values[tuple(last)] = values[tuple(first)]
    return values


def make(dimension, centering, scheme, faces, cells=(4, 5, 6), per_axis=False, seed=1):
    """Returns a problem on stretched axes with random data, and these data by their names."""
    rng = np.random.default_rng(seed)
    kinds = {name: FACES[faces].get(name, FACES[faces]["default"]) for name in names(dimension)}
    cells = cells[-dimension:]
    axes = "zyx"[-dimension:]
    at_nodes = centering == "node"
    sizes = tuple(n + at_nodes for n in cells)
    nodes = [np.cumsum(np.r_[0, 0.5 + rng.random(n)]) for n in reversed(cells)]
    keys = [f"coefficient.{axis}" for axis in "xyz"[:dimension]] if per_axis else ["coefficient"]
    data = {key: np.exp(rng.normal(size=cells)) for key in keys}
    data["source"] = rng.normal(size=sizes)
    if at_nodes:
        repeat(data["source"], kinds, axes)
    if faces == "singular":
        data["source"] -= data["source"].mean()
    else:
        data["reaction"] = 0.1 + rng.random(cells)
    boundary = {}
    for name, kind in kinds.items():
        if kind == "P":
            boundary[name] = "periodic"
            continue
        whole = kind == "D" or kind == "N"
        shape = face_shape(name, sizes if whole else cells)
        own = rng.random(shape)
        if whole and at_nodes:
            repeat(own, kinds, [a for a in axes if a != name[0]])
        data[f"boundary.{name}"] = own
        if kind == "R":
            data[f"boundary.{name}.alpha"] = 1 + rng.random(shape)
        boundary[name] = {"dirichlet": own} if kind == "D" else {"neumann": own} if kind == "N" else \
            {"robin": {"alpha": data[f"boundary.{name}.alpha"], "value": own}}
    coefficient = {axis: data[f"coefficient.{axis}"] for axis in "xyz"[:dimension]} if per_axis else data["coefficient"]
    problem = poisson.Problem(nodes=nodes, coefficient=coefficient, reaction=data.get("reaction"), source=data["source"],
                              boundary=boundary, centering=centering, scheme=scheme)
    return problem, data


def periodic(problem, name, values):
    """Makes values of a datum periodic where the problem is."""
    kinds = {face: "P" if kind == "periodic" else "" for face, kind in problem.geometry["faces"].items()}
    axes = "zyx"[-problem.geometry["dimension"]:]
    face = name[len("boundary."):][:1] if name.startswith("boundary.") else ""
    own = [axis for axis in axes if axis != face]
    nodes = {"xyz"[i]: len(n) for i, n in enumerate(problem.geometry["nodes"])}
    if values.shape == tuple(nodes[axis] for axis in own):
        repeat(values, kinds, own)
    return values


def arguments(data):
    """Returns data by their names as the arguments of poisson.torch.solve and poisson.jax.solve."""
    found = {"boundary": {}}
    for name, value in data.items():
        if name.startswith("coefficient."):
            found.setdefault("coefficient", {})[name[-1]] = value
        elif name.startswith("boundary."):
            face, _, alpha = name[len("boundary."):].partition(".")
            if alpha or f"{name}.alpha" in data:
                found["boundary"].setdefault(face, {})["alpha" if alpha else "value"] = value
            else:
                found["boundary"][face] = value
        else:
            found[name] = value
    return found


CASES = [(d, c, s, f, False) for d in (2, 3) for c, s in SCHEMES for f in FACES] + \
        [(d, c, "fv", "all kinds", True) for d in (2, 3) for c in ("node", "cell")]
FEWER_CASES = [(d, c, s, "all kinds", False) for d in (2, 3) for c, s in SCHEMES] + \
              [(2, c, s, f, False) for c, s in SCHEMES for f in ("periodic", "singular")] + \
              [(3, c, "fv", "all kinds", True) for c in ("node", "cell")]
