#!/usr/bin/env python3
"""Counts iterations of algebraic multigrid on P1 matrices of random Delaunay meshes, which contain slivers.

    PYTHONPATH=build/cpu/python bench/delaunay_rows.py 100000 --json RESULT.json
    PYTHONPATH=build/cpu/python bench/delaunay_rows.py 20000 100000 400000 --dimensions 3 --only Dirichlet

It needs NumPy, SciPy and the poisson module.
"""

import argparse
import json

import numpy as np
import poisson
import scipy.sparse as sp
from provenance import commit
from scipy.spatial import Delaunay


def mesh(points, dimension, seed=1):
    """Returns random points in the unit box and on its sides, and the simplices that join them."""
    random = np.random.default_rng(seed)
    side = round(points ** (1 / dimension)) ** (dimension - 1)
    parts = [random.random((points, dimension))]
    for axis in range(dimension):
        for end in (0, 1):
            face = random.random((side, dimension))
            face[:, axis] = end
            parts.append(face)
    parts.append(np.array(np.meshgrid(*[[0.0, 1.0]] * dimension, indexing="ij")).reshape(dimension, -1).T)
    places = np.vstack(parts)
    return places, Delaunay(places).simplices


def stiffness(places, simplices, kappa=None):
    """Returns ∫ κ ∇φ_i · ∇φ_j as a sparse matrix."""
    corners = places[simplices]
    edges = corners[:, 1:] - corners[:, :1]
    volume = np.abs(np.linalg.det(edges)) / (2 if places.shape[1] == 2 else 6)
    slopes = np.zeros(corners.shape)
    slopes[:, 1:] = np.transpose(np.linalg.inv(edges), (0, 2, 1))
    slopes[:, 0] = -slopes[:, 1:].sum(axis=1)
    entries = (volume * (1 if kappa is None else kappa))[:, None, None] * np.einsum("eik,ejk->eij", slopes, slopes)
    n = simplices.shape[1]
    rows, columns = np.repeat(simplices, n, axis=1).ravel(), np.tile(simplices, (1, n)).ravel()
    return sp.coo_matrix((entries.ravel(), (rows, columns)), shape=(len(places),) * 2).tocsr()


def problems(points, dimension, only=None):
    """Yields names, matrices and whether they are singular."""
    for name, make, singular in problem_makers(points, dimension):
        if only is None or name == only:
            yield name, make(), singular


def problem_makers(points, dimension):
    """Yields names, functions that return matrices, and whether these are singular."""
    places, simplices = mesh(points, dimension)
    inside = ~np.any((places == 0) | (places == 1), axis=1)
    random = np.random.default_rng(5)
    count, middle = len(simplices), places[simplices].mean(axis=1)

    def held(A):
        return A[inside][:, inside].tocsr()

    blocks = np.floor(middle * 8 * (4 - dimension)).sum(axis=1) % 2 == 0
    chosen = np.where(random.random(count) < 0.5, 1e6, 1.0)
    lognormal = np.exp(2 * random.standard_normal(count))
    flat = np.ones(dimension)
    flat[-1] = 1e-3
    sheared = places.copy()
    sheared[:, 0] += 3 * sheared[:, 1]
    yield "Dirichlet", lambda: held(stiffness(places, simplices)), False
    yield "Neumann", lambda: stiffness(places, simplices), True
    yield "checkerboard of 1e6", lambda: held(stiffness(places, simplices, np.where(blocks, 1e6, 1.0))), False
    yield "1e6 or 1 at random", lambda: held(stiffness(places, simplices, chosen)), False
    yield "lognormal, deviation 2", lambda: held(stiffness(places, simplices, lognormal)), False
    yield "squeezed by 1e-3", lambda: held(stiffness(places * flat, simplices)), False
    yield "graded as x^3", lambda: held(stiffness(places**3, simplices)), False
    yield "sheared by 3", lambda: held(stiffness(sheared, simplices)), False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("points", type=int, nargs="+")
    parser.add_argument("--dimensions", type=int, nargs="+", default=[3, 2])
    parser.add_argument("--only", help="the name of a problem")
    parser.add_argument("--json", help="file for the results")
    given, found = parser.parse_args(), []
    for dimension in given.dimensions:
        for points in given.points:
            for name, A, singular in problems(points, dimension, given.only):
                b = np.random.default_rng(5).standard_normal(A.shape[0])
                result = poisson.Rows(A, tolerance=1e-8, max_iterations=300).solve(b - b.mean() * singular, check=False)
                found.append({"dimension": dimension, "problem": name, "rows": A.shape[0],
                              "iterations": result.iterations, "converged": bool(result.converged)})
                print(found[-1], flush=True)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"benchmark": "delaunay_rows", "commit": commit(), "points": given.points, "problems": found},
                      file, indent=1)


if __name__ == "__main__":
    main()
