#!/usr/bin/env python3
"""Computes steps of implicit Euler for ρc ∂u/∂t = ∇·(κ∇u) + q, with one run of the program per step.

    time_steps.py [--program build/release/app/poisson] [--steps 10] [--set KEY=VALUE ...] configs/time-step.yaml FOLDER

The file describes the first step. It has the parameters `rc` for ρc, `dt` for Δt and, optionally, `q`; its reaction is
rc/dt and its source is q + rc/dt times the first u. Each further step uses the last u in its source and as its starting
guess.
FOLDER/NAME.vti.series (.vtr.series on stretched axes) lists the steps with their times: open it in ParaView.

Needs numpy and h5py (Debian: python3-h5py)."""

import argparse
import json
import pathlib
import subprocess

import h5py


def last_solution(folder):
    """Returns u of a step. solution.h5 stores u at its root. A box with unknowns at nodes has a VTKHDF file instead,
    which stores u in a group."""
    plain = folder / "solution.h5"
    with h5py.File(plain if plain.exists() else folder / "solution.hdf") as file:
        return file["u" if plain.exists() else "VTKHDF/PointData/u"][...]


def step(program, config, folder, settings):
    """Solves one step and returns its summary."""
    command = [program, config, "--quiet", "--set", *settings, f"output.directory={folder}",
               "output.formats=[vtk, hdf5]"]
    subprocess.run(command, check=True)
    return json.loads((folder / "summary.json").read_text(encoding="utf-8"))


def parameter(summary, name, default=None):
    value = summary["config"].get("parameters", {}).get(name, default)
    if not isinstance(value, (int, float)):
        raise SystemExit(f"parameters.{name} has to be a number here, and is {value!r}")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/app/poisson")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", help="keys of the file to override")
    parser.add_argument("config", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    between = folder / "between.h5"
    settings, files = list(arguments.set), []
    for number in range(1, arguments.steps + 1):
        place = folder / f"step-{number:04}"
        summary = step(arguments.program, arguments.config, place, settings)
        rc, dt, q = parameter(summary, "rc"), parameter(summary, "dt"), parameter(summary, "q", 0)
        time = number * dt
        print(f"t = {time:g}: u from {summary['solution']['min']:.6g} to {summary['solution']['max']:.6g}")
        name = next(file["name"] for file in summary["files"] if file["name"].endswith((".vti", ".vtr")))
        files.append({"name": f"{place.name}/{name}", "time": time})
        with h5py.File(between, "w") as file:
            file["u"] = last_solution(place)
            file["source"] = q + rc / dt * file["u"][...]
        settings = [*arguments.set, f'equation.source={{file: "{between}", dataset: /source}}',
                    f'solver.initial={{file: "{between}", dataset: /u}}']
        # Writing the series after each step lets ParaView follow a long run.
        series = folder / f"{arguments.config.stem}{pathlib.Path(name).suffix}.series"
        series.write_text(json.dumps({"file-series-version": "1.0", "files": files}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
