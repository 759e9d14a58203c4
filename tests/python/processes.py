"""Runs under mpirun: solves with blocks of arrays and writes what this process got into a folder.

    mpirun -n 3 python tests/python/processes.py FOLDER CENTERING
"""

import pathlib
import sys

import numpy as np

import poisson

SHAPES = {"cell": (12, 10, 16), "node": (13, 11, 17)}
CELLS = (12, 10, 16)


def adjoint(s, right):
    """Returns A⁻¹ of a right-hand side, like u."""
    from poisson import _adjoint

    core = _adjoint.of(s)
    found = np.empty(core.shape)
    core.adjoint({}, np.ascontiguousarray(right[core.places]), found)
    for axis in core.repeated:
        found = np.concatenate([found, np.take(found, [0], axis)], axis)
    return found


def gradients(s, data, weights):
    """Returns gradients of a loss of the block's u, by torch; nothing without torch."""
    try:
        import torch
    except ImportError:
        return {}
    values = {name: torch.tensor(value, requires_grad=True) for name, value in data.items()}
    shape = tuple(len(n) - (s.geometry["centering"] == "cell") for n in reversed(s.geometry["nodes"]))
    face = torch.full(shape[:2], 0.5, dtype=torch.float64, requires_grad=True)
    flow = torch.tensor(0.25, dtype=torch.float64, requires_grad=True)
    u = poisson.torch.solve(s, **values, boundary={"x-": face, "x+": flow})
    (torch.tensor(weights) * u + 0.1 * u**3).sum().backward()
    if s.info["processes"] > 1:
        try:
            u = poisson.torch.solve(s, **values)
            (g,) = torch.autograd.grad(u.sum(), values["source"], create_graph=True)
            raise AssertionError("second derivatives need one process")
        except NotImplementedError:
            pass
    found = {f"slope of {name}": value.grad.numpy() for name, value in values.items()}
    return {**found, "slope of a face": face.grad.numpy(), "slope of a number": flow.grad.numpy()}


def main():
    folder, centering = pathlib.Path(sys.argv[1]), sys.argv[2]
    rng = np.random.default_rng(3)
    f, guess = rng.normal(size=(2, *SHAPES[centering]))
    kappa, second = 1 + rng.random((2, *CELLS))
    p = poisson.Problem(shape=SHAPES[centering], centering=centering, coefficient=kappa, source=f,
                        boundary={"x-": 1.0, "x+": {"neumann": 1},
                                  "y-": "periodic", "y+": "periodic", "default": "z"})
    found = {}
    with p.solver(tolerance=1e-11, precision="double") as s:
        found["all values"] = s.solve().u
        s.source = 2 * f[s.block]
        found["blocks"] = s.solve(guess=guess[s.block]).u
        s.coefficient = second[s.cells]
        s.boundary["x-"] = np.full(SHAPES[centering][:2], 3.0)
        r = s.solve()
        found["levels"], found["balance"] = r.u, [r.balance["source"], *r.flows.values()]
        found["gradient"], found["kappa"] = r.field("gradient"), r.field("coefficient")
        r.save(folder / "files")
        try:
            s.source = np.zeros((2, 2, 2))
        except (poisson.ConfigurationError, RuntimeError) as error:
            found["error"] = str(error)
        again = s.solve().u
        found["again"] = again
        found["adjoint"] = adjoint(s, guess)
        found.update(gradients(s, {"coefficient": kappa[s.cells], "source": f[s.block]}, guess[s.block]))
        rank, count = s.info["rank"], s.info["processes"]
        found["block"] = [(b.start, b.stop) for b in s.block]
        found["cells"] = [(b.start, b.stop) for b in s.cells]
    np.savez(folder / f"{count}-{rank}.npz", **found)


main()
