#!/usr/bin/env python3
"""Runs one file of configs/ and checks its summary against known numbers.

    check_configs.py POISSON_PROGRAM CONFIG

The numbers are closed forms or results of an independent assembly of the same finite volumes or elements, solved with
another program's direct or algebraic multigrid solver (noted "independent"). Both are stricter than an error bound:
they determine the discretization.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

# Each file has the path of a number in summary.json, its value, and its tolerance.
CHECKS = {
    "cavity": [
        ("probes.0.u", 1 / 6, 1e-6),
        ("solution.min", 0, 1e-12),
        ("solution.max", 1, 1e-12),
    ],
    "cavity-2d": [
        ("probes.0.u", 1 / 4, 1e-6),
        ("solution.min", 0, 1e-12),
        ("solution.max", 1, 1e-12),
    ],
    "electrodes": [
        ("probes.0.u", 1 / 2, 1e-6),
        ("flux.x-", 1 / 2, 4e-3),
        ("flux.y-", 1 / 2, 4e-3),
        ("flux.y+", -1 / 2, 4e-3),
    ],
    "blocks-cylinder": [
        ("faces.0.flow", -2 * math.pi, 4e-3),
        ("error.max", 0, 2e-3),
        ("balance.residual", 0, 1e-7),
    ],
    "blocks-l-shape": [
        ("error.max", 0, 2e-3),
        ("balance.residual", 0, 1e-6),
    ],
    "blocks-bend": [
        ("probes.0.u", 1 / 2, 1e-6),  # by symmetry
        ("balance.residual", 0, 1e-6),
    ],
    "blocks-heat-sink": [
        ("faces.0.flow", 10, 1e-9),
        ("faces.1.flow", -10, 1e-6),
        ("balance.residual", 0, 1e-6),
    ],
    "mesh-l-shape": [
        ("solution.integral", 0.2140758, 2e-3),
        ("faces.0.flow", -0.87, 2e-2),
        ("balance.residual", 0, 1e-8),
    ],
    "mesh-ring": [
        ("faces.0.flow", 2 * math.pi / math.log(2), 3e-3),
        ("probes.0.u", math.log2(2 / 1.5), 1e-3),
        ("error.max", 0, 1e-3),
    ],
    "mesh-ball": [
        ("probes.0.u", 1 / 2, 1e-4),  # by symmetry
        ("solution.integral", 1 / 2, 5e-4),
        ("balance.residual", 0, 1e-7),
    ],
    "mesh-cooled-plate": [
        ("probes.0.u", 18.3, 0.1),
        ("balance.residual", 0, 1e-4),
    ],
    "mesh-bracket": [
        ("faces.1.flow", 20, 1e-9),
        ("faces.1.area", 0.002, 1e-12),
        ("balance.residual", 0, 1e-6),
    ],
    "boundary-layer": [
        ("probes.0.u", 1 - math.exp(-1), 5e-4),
        ("probes.1.u", 1, 1e-6),
        ("error.max", 0, 4e-4),
        ("flux.y-", -0.25 * math.tanh(25) / 50, 2e-5),
        ("flux.y+", -0.25 * math.tanh(25) / 50, 2e-5),
        ("flux.x-", 0, 1e-12),
    ],
    "neumann": [
        ("probes.0.u", 1.0010080959651744, 1e-6),  # independent
        ("error.max", 0.0010080959651762, 1e-6),  # independent
        ("solution.integral", 0, 1e-10),
        ("balance.projected", 0, 1e-8),
    ],
    "periodic": [
        ("probes.0.u", 1.0031244274362534, 1e-6),
        ("error.max", 0.0031244274362534, 1e-6),
        ("solution.integral", 0, 1e-10),
        ("balance.projected", 0, 1e-8),
    ],
    "robin": [
        ("probes.0.u", 70.87574500495, 1e-4),  # independent; the closed form is 70.87567644656
        ("error.max", 6.8558e-5, 1e-5),  # independent
        ("flux.x-", 1235.0406482, 1e-2),  # independent; the closed form is 1235.0357493
    ],
    "banded": [
        ("probes.0.u", 0.24793600090715, 1e-10),  # by elimination
        ("solution.integral", 192, 1e-8),
        ("matrix.bands", 5, 0),
        ("matrix.asymmetry", 0, 0),
    ],
    "smooth-coefficient": [
        ("probes.0.u", 1.00016937504, 1e-6),  # independent
        ("error.max", 1.7350313e-4, 1e-6),  # independent
        ("solution.integral", 0.2577792533, 1e-6),  # independent
    ],
    "jump": [
        ("probes.0.u", 0.5, 1e-6),
        ("flux.z+", 1.4101106698, 1e-5),  # independent
        ("flux.z-", -1.4101106698, 1e-5),
        ("solution.integral", 0.5, 1e-6),
    ],
    "rotated-tensor": [
        ("probes.0.u", 0.9999368000815, 1e-7),  # independent
        ("error.max", 6.319991849e-5, 1e-7),  # independent
    ],
    "kellogg": [
        ("probes.0.u", -0.07193444502354, 1e-9),  # independent
        ("error.l2", 0.009709775813872, 1e-9),  # independent
    ],
    "cells": [
        ("probes.0.u", 0.25 / 0.605, 1e-8),
        ("probes.1.u", 0, 1e-12),
        ("flux.x-", -1 / 0.605, 1e-7),
        ("flux.x+", 1 / 0.605, 1e-7),
        ("solution.integral", (0.5 * 0.25 + 0.5 * 0.5025) / 0.605, 1e-7),
        ("unknowns", 32 * 16 * 16, 0),
    ],
    "die": [
        ("probes.0.u", 132.5231846034, 1e-5),  # independent
        ("solution.max", 132.5231846034, 1e-5),
        ("balance.source", 10, 1e-9),
        ("flux.z-", -1.6675, 1e-5),
        ("flux.z+", -8.3325, 1e-5),
    ],
    "l-shape": [
        ("solution.integral", 0.2143499682, 2e-8),  # independent; the closed form is 0.2140758036
        ("solution.max", 0.149568669, 1e-7),  # independent
        ("probes.0.u", 0, 1e-7),  # on the boundary of the body
        ("flux.x-", -0.7879940908, 1e-6),  # independent
        ("flux.x+", -0.2757403991, 1e-6),  # independent
    ],
    "annulus": [
        ("flux.x-", 9.064820053800604, 1e-8),  # 2π/Σ(h/r), with r at the centres of cells
        ("flux.x+", -9.064820053800604, 1e-8),
        ("error.max", 0, 3.5e-5),
        ("probes.0.u", math.log(2 / 1.5) / math.log(2) + 0.225, 3.5e-5),
    ],
    "axisymmetric": [
        ("flux.x+", -0.3570260538154, 1e-7),  # independent
        ("flux.y-", -0.0739358171914, 1e-7),  # independent
        ("flux.y+", -0.0739358171914, 1e-7),
        ("solution.max", 1, 1e-6),
        ("probes.0.u", 1, 3e-3),  # on the staircase of the sphere
        ("probes.1.u", 0.5, 3e-3),
    ],
    "time-step": [
        ("solution.max", 86.70118536536494, 1e-9),  # by the eigenvalue of the discrete Laplacian
        ("probes.0.u", 86.70118536536494, 1e-9),
        ("solution.max_at.0", 0.04 / 2 - 0.04 / 128, 1e-12),
    ],
    "layers": [
        ("probes.0.u", 25 + 2e4 * (1 / 500 + 5e-4 / 130 + 1e-4 / 50 + 1.5e-3 / 0.3), 1e-6),
        ("solution.min", 25 + 2e4 * (1 / 500 + 0.625e-4 / 130), 1e-6),
        ("flux.z+", -4, 1e-8),
        ("cell_width.least", 5e-5, 1e-15),
        ("cell_width.widest", 0.00125, 1e-12),
    ],
    "chip": [
        ("probes.0.u", 71.42023525144116, 1e-5),  # independent
        ("probes.1.u", 64.83094968257565, 1e-5),  # independent
        ("solution.max", 71.42023525144116, 1e-5),
        ("solution.max_at.2", 0.0026, 1e-12),
        ("solution.integral", 0.0008301129788156478, 1e-9),  # independent
        ("balance.source", 10, 1e-9),
        ("flux.z-", -0.635776013891413, 1e-5),  # independent
        ("flux.z+", -9.364223985840027, 1e-5),
        ("balance.relative", 0, 1e-6),
    ],
    "heat-sink": [
        ("probes.0.u", 40.954658853530, 1e-5),  # independent
        ("solution.max", 40.954658853530, 1e-5),
        ("solution.min", 36.409900110631, 1e-5),  # independent
        ("flux.z-", -0.200959720661, 1e-6),  # independent
        ("balance.source", 29.8, 1e-9),
        ("balance.reaction", 29.8 - 0.200959720661, 1e-5),
    ],
    "aquifer": [
        ("probes.0.u", 5.121252607351659, 1e-5),  # independent
        ("solution.min", 5.121252607351659, 1e-5),
        ("solution.min_at.0", 405, 1e-9),
        ("solution.min_at.1", 205, 1e-9),
        ("probes.1.u", 8.637352683817605, 1e-5),  # independent
        ("flux.x-", 18.511887359691, 1e-4),  # independent
        ("flux.x+", 1.00811292386435, 1e-4),  # independent
        ("balance.source", -19.52, 1e-5),
    ],
    "porous": [
        ("effective.porosity", 0.65, 1e-5),
    ],
    "sphere-array": [
        ("effective.tensor.0.0", 1.88774, 2e-3),  # by solid harmonics (tests/media/sphere_arrays.py); 0.02 % off
    ],
    "fin": [
        ("flux.z-", 0.0532736453, 2e-7),  # the outline as an extruded polygon
        ("probes.0.u", 79.9118543, 1e-4),
    ],
    "floating": [
        ("floating_bodies.0.value", math.log(9 / 5) / math.log(36 / 5), 2e-5),
        ("floating_bodies.0.value", 0.297754, 1e-6),
        ("floating_bodies.0.charge", 0, 1e-10),
        ("solution.max", 1, 1e-12),
    ],
    "bus-bar": [
        ("flux.x-", 1.620785e6, 20),
        ("flux.x+", -1.620785e6, 20),
        ("solution.max", 0.09983114036847164, 1e-8),
    ],
    "package": [
        ("balance.source", 12.5, 1e-9),
        ("solution.max", 68.006217, 1e-4),  # 67.597 and 67.443 with a half and a third of the width
        ("flux.z+", -9.670395, 1e-4),  # -9.680232 and -9.676970
    ],
    "capacitor": [
        ("capacitance.entries.0.0", 4 * math.pi / (1 / 0.25 - 1 / 0.45), 6e-3),
    ],
    "sphere": [
        ("probes.0.u", 0.1 * 3 / 12, 2.5e-4),  # the inner field is accurate to 1 %
        ("error.max", 0, 9e-3),  # 2.2e-2 if κ is sampled at the cells' centres
        ("error.l2", 0, 1.3e-3),  # elements: 2.2e-3
    ],
    "fourth-order": [
        ("probes.0.u", 1.648722990023916, 1e-10),  # independent
        ("error.max", 1.8574450709e-6, 1e-10),  # independent
    ],
    "extrapolation": [
        ("probes.0.u", -0.4161539517836935, 1e-10),  # independent
        ("error.max", 2.7713365851e-5, 1e-10),  # independent
        ("balance.extrapolated", 6.802890970232e-3, 1e-9),  # independent
    ],
    "manufactured": [
        ("probes.0.u", 1.45748125007, 1e-6),  # independent
        ("error.max", 3.3490697e-4, 1e-6),  # independent
    ],
}

# Each format writes one of these names.
FILES = {"vtk": ("solution.vti", "solution.vtr", "solution.vtu", "solution.vtm"),
         "hdf5": ("solution.hdf", "solution.h5"), "png": ("solution.png",)}


def at(summary, path):
    for key in path.split("."):
        summary = summary[int(key)] if isinstance(summary, list) else summary[key]
    return summary


def number_failures(summary, checks):
    for path, expected, tolerance in checks:
        found = at(summary, path)
        if not isinstance(found, (int, float)) or not abs(found - expected) <= tolerance:
            yield f"{path} is {found}, expected {expected} within {tolerance:g}"


def balance_failures(summary):
    """Checks fluxes + flows of fixed bodies + source + extrapolated - reaction = -sum of residuals + projected up to
    rounding; a matrix has no fluxes."""
    if "matrix" in summary:
        return
    balance = summary["balance"]
    # A mesh has named faces instead of those of a box.
    flows = summary["flux"].values() or [face["flow"] for face in summary["faces"]]
    terms = [*flows, balance["source"], -balance["reaction"], balance["residual"],
             -balance["projected"], balance.get("extrapolated", 0)]
    # A body with a fixed value takes and gives flow like a face.
    terms += [body["flow"] for body in summary.get("bodies", []) if body["cells"] and body["min"] == body["max"]]
    scale = max(1e-3, *map(abs, terms))
    if not abs(math.fsum(terms)) <= 1e-9 * scale:
        yield f"the balance is off by {math.fsum(terms):g}: {terms}"


def file_failures(summary, directory):
    for form in summary["config"]["output"]["formats"]:
        files = [directory / name for name in FILES[form] if (directory / name).is_file()]
        if len(files) != 1 or files[0].stat().st_size == 0:
            yield f"format {form} left not one of {', '.join(FILES[form])}, or an empty one"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, config = sys.argv[1], pathlib.Path(sys.argv[2])
    if config.stem not in CHECKS:
        sys.exit(f"{config.name} has no checked number. Add one to {__file__}.")
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary, config.stem)
        command = [program, "--config", str(config), "--set", f"output.directory={directory}", "--quiet"]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"exit status {result.returncode} from {' '.join(command)}\n{result.stdout}{result.stderr}")
        summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
        failures = [*number_failures(summary, CHECKS[config.stem]), *balance_failures(summary),
                    *file_failures(summary, directory)]
    if not summary["converged"]:
        failures.append("the summary says that the run did not converge")
    if result.stdout or result.stderr:
        failures.append(f"--quiet printed: {result.stdout}{result.stderr}")
    print(f"{config.name}: {summary['iterations']} iterations, {summary['time']['solve']:.3f} s")
    for path, _, _ in CHECKS[config.stem]:
        print(f"  {path} = {at(summary, path)}")
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
