#!/usr/bin/env python3
"""Solves media whose coefficient varies strongly from place to place with the program poisson.

    bench/media.py --media random-1e4,pores-4 --sizes 64,65 --faces flow      # one line for each solve
    bench/media.py --sizes 512 --dimension 2 --set solver.coarse_operator=rediscretized
    bench/media.py --write DIR --media fibres --sizes 96                      # write the files, solve nothing

Every medium depends only on the shape and the seed. A line contains the iterations, the seconds of set-up and of the
solve, the verdict, the estimated error, and each fallback. Needs numpy and h5py.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
try:
    import h5py
    import numpy as np
except ImportError as error:
    sys.exit(f"{error}: install python3-numpy and python3-h5py")


def smooth_noise(random, shape, cells):
    """Returns periodic Gaussian noise of variance 1 with a correlation length of about `cells` cells."""
    noise = np.fft.rfftn(random.standard_normal(shape))
    squares = [np.fft.fftfreq(n) ** 2 for n in shape[:-1]] + [np.fft.rfftfreq(shape[-1]) ** 2]
    square = sum(np.reshape(s, [-1 if e == d else 1 for e in range(len(shape))]) for d, s in enumerate(squares))
    field = np.fft.irfftn(noise * np.exp(-2 * (np.pi * cells) ** 2 * square / 4), shape, axes=range(len(shape)))
    return (field - field.mean()) / field.std()


def two_phases(random, shape, cells, share, inside):
    """Returns κ = `inside` in blobs of about `cells` cells that fill the `share` of the box, and 1 elsewhere."""
    field = smooth_noise(random, shape, cells / 2)
    return np.where(field < np.quantile(field, share), inside, 1.0)


def per_cell(decades):
    return lambda random, shape: 10.0 ** (decades * random.random(shape))


def either(ratio):
    return lambda random, shape: np.where(random.random(shape) < 0.5, ratio, 1.0)


def fibres(random, shape):
    """Returns 60 straight fibres of κ = 10⁴ with a radius of 2 % of the box; in the plane they are strips."""
    places = np.meshgrid(*[(np.arange(n) + 0.5) / n for n in shape], indexing="ij", sparse=True)
    kappa = np.ones(shape)
    for _ in range(60):
        centre, along = random.random(len(shape)), random.standard_normal(len(shape))
        along /= np.linalg.norm(along)
        apart = [p - c for p, c in zip(places, centre)]
        run = sum(a * d for a, d in zip(apart, along))
        kappa[sum((a - run * d) ** 2 for a, d in zip(apart, along)) < (0.02 if len(shape) == 3 else 0.003) ** 2] = 1e4
    return kappa


def layers(random, shape):
    """Returns layers of 1 to 8 cells across the last axis of the box, with κ over six decades."""
    kappa, at = np.ones(shape), 0
    while at < shape[0]:
        to = at + int(random.integers(1, 9))
        kappa[at:to] = 10 ** (6 * random.random())
        at = to
    return kappa


def sphere(ratio):
    return lambda random, shape: np.where(
        sum((p - 0.5) ** 2 for p in np.meshgrid(*[(np.arange(n) + 0.5) / n for n in shape], indexing="ij",
                                                sparse=True)) < 0.09, ratio, 1.0)


MEDIA = {
    "random-1e2": per_cell(2),
    "random-1e4": per_cell(4),
    "random-1e6": per_cell(6),
    "either-1e2": either(1e2),
    "either-1e4": either(1e4),
    "either-1e6": either(1e6),
    "blobs-4": lambda random, shape: two_phases(random, shape, 4, 0.4, 1e3),
    "pores-4": lambda random, shape: two_phases(random, shape, 4, 0.5, 1e-6),
    "pores-4-1e-9": lambda random, shape: two_phases(random, shape, 4, 0.5, 1e-9),
    "pores-12": lambda random, shape: two_phases(random, shape, 12, 0.5, 1e-6),
    "pores-12-1e-9": lambda random, shape: two_phases(random, shape, 12, 0.5, 1e-9),
    "lognormal": lambda random, shape: np.exp(3 * smooth_noise(random, shape, 2)),
    "smooth": lambda random, shape: np.exp(smooth_noise(random, shape, shape[0] / 8)),
    "fibres": fibres,
    "layers": layers,
    "sphere-1e2": sphere(1e2),
    "sphere-1e6": sphere(1e6),
}
SOURCE = {2: "sin(6.283185307179586 * x) + cos(6.283185307179586 * y)",
          3: "sin(6.283185307179586 * x) + cos(6.283185307179586 * y) + sin(6.283185307179586 * z)"}


def boundary(faces, dimension):
    """Returns the faces by name; `flow` runs along the last axis."""
    last = "xyz"[dimension - 1]
    return {"flow": f"{{default: {{neumann: 0}}, {last}-: {{dirichlet: 0}}, {last}+: {{dirichlet: 1}}}}",
            "neumann": "{default: {neumann: 0}}",
            "dirichlet": "{default: {dirichlet: \"x\"}}",
            "periodic": "{" + ", ".join(f"{a}-: periodic, {a}+: periodic" for a in "xyz"[:dimension]) + "}",
            "robin": "{default: {robin: {alpha: 1, value: \"y\"}}}"}[faces]


def write(folder, name, medium, shape, faces, seed, centering):
    """Writes one problem: κ as a dataset of the shape [z][y][x], and its configuration. Returns the path of the
    latter."""
    random = np.random.default_rng(seed)
    with h5py.File(folder / f"{name}.h5", "w") as file:
        file["kappa"] = MEDIA[medium](random, shape)
    source = f", source: \"{SOURCE[len(shape)]}\"" if faces in ("neumann", "periodic") else ""
    path = folder / f"{name}.yaml"
    path.write_text(f"""title: {medium}
domain: {{lower: {[0] * len(shape)}, upper: {[1] * len(shape)}}}
grid: {{cells: {list(shape[::-1])}}}
equation: {{coefficient: {{file: {name}.h5, dataset: /kappa}}{source}}}
boundary: {boundary(faces, len(shape))}
discretization: {{centering: {centering}}}
output: {{directory: {name}, formats: []}}
""")
    return path


def solve(program, path, settings):
    folder = path.parent / path.stem
    command = [*program, str(path), *(["--set", *settings] if settings else [])]
    run = subprocess.run(command, capture_output=True, text=True)
    summary = folder / "summary.json"
    if not summary.exists():
        return None, run.stdout + run.stderr
    found = json.loads(summary.read_text())
    summary.unlink()
    return found, run.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/app/poisson"), help="may begin with mpirun -n N")
    parser.add_argument("--media", default=",".join(MEDIA))
    parser.add_argument("--sizes", default="64", help="cells along each axis, or AxBxC as the shape [z][y][x]")
    parser.add_argument("--dimension", type=int, default=3, choices=(2, 3))
    parser.add_argument("--faces", default="flow", help="flow, neumann, dirichlet, periodic, robin")
    parser.add_argument("--centering", default="cell")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", nargs="*", default=[], help="keys of the configuration to override")
    parser.add_argument("--write", metavar="DIR", help="only write the problems into the folder")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(asked.write or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for faces in asked.faces.split(","):
            for size in asked.sizes.split(","):
                n = [int(s) for s in size.split("x")]
                shape = tuple(n) if len(n) > 1 else tuple(n * asked.dimension)
                for medium in asked.media.split(","):
                    path = write(folder, f"{medium}-{size}-{faces}", medium, shape, faces, asked.seed, asked.centering)
                    if asked.write:
                        continue
                    found, text = solve(asked.program.split(), path, asked.set)
                    path.with_suffix(".h5").unlink()
                    print(line(medium, size, faces, found, text), flush=True)


def line(medium, size, faces, found, text):
    if found is None:
        return f"{medium:14} {size:>12} {faces:9} {text.strip()}"
    fallbacks = "; ".join(found.get("steps", []))
    return (f"{medium:14} {size:>12} {faces:9} {found['iterations']:4} iterations  set-up {found['time']['setup']:6.3f} s"
            f"  solve {found['time']['solve']:7.3f} s  {found['reason']}  {fallbacks}")


if __name__ == "__main__":
    main()
