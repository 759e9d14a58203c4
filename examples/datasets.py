#!/usr/bin/env python3
"""Writes the datasets of configs/chip.yaml and configs/aquifer.yaml: values on the cells of a grid, [nz][ny][nx].

    datasets.py configs

Needs numpy and h5py (Debian: python3-h5py)."""

import pathlib
import sys

import h5py
import numpy


def write(path, **datasets):
    with h5py.File(path, "w") as file:
        file.attrs["comment"] = "written by examples/datasets.py"
        for name, values in datasets.items():
            # Creation times would change the file in every run.
            file.create_dataset(name, data=values.astype("f4"), compression="gzip", compression_opts=9, shuffle=True,
                                track_times=False)


def chip(path):
    """Writes a chip in its package on a board under an aluminium lid: 40 x 40 x 8 mm, cells of 1 x 1 x 0.4 mm."""
    nx, ny, nz = 40, 40, 20
    x, y, z = (numpy.arange(nx) + 0.5) * 1.0, (numpy.arange(ny) + 0.5) * 1.0, (numpy.arange(nz) + 0.5) * 0.4  # mm
    Z, Y, X = numpy.meshgrid(z, y, x, indexing="ij")  # each [nz][ny][nx]: x runs fastest, as in the file

    def box(half, low, high):
        return (abs(X - 20) < half) & (abs(Y - 20) < half) & (Z > low) & (Z < high)

    kappa = numpy.full((nz, ny, nx), 0.8)  # W/(m K): moulding compound
    kappa[Z < 1.6] = 0.3  # the board
    kappa[(Z < 1.6) & (abs(X - 20) < 6) & (abs(Y - 20) < 6) & (X.astype(int) % 3 == 0) & (Y.astype(int) % 3 == 0)] = 390
    kappa[box(14, 1.6, 2.4)] = 390  # a copper pad over thermal vias
    die = box(5, 2.4, 2.8)
    kappa[die] = 130  # silicon
    kappa[box(5, 2.8, 3.2)] = 4  # paste
    kappa[box(14, 3.2, 5.2)] = 390  # a copper slug
    kappa[Z > 5.2] = 200  # the lid
    volume = die.sum() * 1e-3 * 1e-3 * 0.4e-3
    write(path, kappa=kappa, power=numpy.where(die, 10 / volume, 0))  # 10 W


def aquifer(path):
    """Writes a sandy aquifer of 1280 x 640 m in cells of 10 m, 20 m thick: its conductivity, log-normal with a
    correlation length of about 60 m, and the recharge by rain minus the pumping of two wells, per thickness."""
    nx, ny, cell = 128, 64, 10.0
    length, deviation, median, thickness = 60.0, 1.5, 8.0, 20.0  # m; of ln K; m/d; m
    noise = numpy.random.default_rng(20).standard_normal((ny, nx))
    ky, kx = numpy.meshgrid(numpy.fft.fftfreq(ny, cell), numpy.fft.fftfreq(nx, cell), indexing="ij")
    filtered = numpy.exp(-((numpy.pi * length) ** 2) * (kx**2 + ky**2) / 2)
    field = numpy.fft.ifft2(numpy.fft.fft2(noise) * filtered).real
    conductivity = median * numpy.exp(deviation * field / field.std())
    recharge = numpy.full((ny, nx), 5e-4)  # m/d
    for j, i in ((20, 40), (45, 90)):
        recharge[j, i] -= 400 / cell**2  # 400 m³ a day
    write(path, conductivity=conductivity, recharge=recharge / thickness)  # m/d, 1/d


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    chip(folder / "chip.h5")
    aquifer(folder / "aquifer.h5")
