"""Solves with gradients for PyTorch."""

import torch as _torch

from . import _adjoint


def solve(problem, *, source=None, coefficient=None, reaction=None, boundary=None):
    """Solves a problem and returns u, differentiable with respect to the given data, also twice.

    Args:
        problem: a Problem, whose default solver is kept, or a Solver. For gradcheck make one with tolerance=1e-12 and
            precision="double".
        source, coefficient, reaction: tensors with one value for each node or cell, or numbers. The coefficient has one
            value for each cell, or is a dictionary with the keys x, y, z.
        boundary: data of faces by their names: a tensor for Dirichlet and Neumann faces, {"alpha": …, "value": …} for
            Robin faces.

    Data that are not given stay as they are in the problem. A coefficient of materials is table[ids]: the gradient of
    `table` then is the sum over the cells of each material.

    Raises NotImplementedError with the reason for schemes without gradients, ConfigurationError for invalid data, and
    SolverError if the solve or its adjoint does not converge.
    """
    core = _adjoint.of(problem)
    data = _adjoint.names({"source": source, "coefficient": coefficient, "reaction": reaction, "boundary": boundary})
    core.check(data)
    tensors = [t if isinstance(t, _torch.Tensor) else _torch.as_tensor(t, dtype=_torch.float64) for t in data.values()]
    u = _Solve.apply(core, tuple(data), *tensors)
    return core.residual(_cat, None).expanded(u)


def _cat(parts, axis):
    return _torch.cat(parts, dim=axis)


def _residual(core, like):
    def constant(values):
        return _torch.as_tensor(values, dtype=like.dtype, device=like.device)

    return core.residual(_cat, constant), constant


def _aliases(names, tensors):
    """Returns new tensors of the same values, to differentiate with respect to the data alone."""
    return {name: t.view_as(t) for name, t in zip(names, tensors)}


def _partial(value, aliases, needed):
    """Returns the partial derivatives of a number with respect to the data, None where they are not needed."""
    wanted = [t for t, need in zip(aliases.values(), needed) if need]
    found = iter(_torch.autograd.grad(value, wanted, create_graph=_torch.is_grad_enabled(), allow_unused=True)
                 if wanted and value.requires_grad else [None] * len(wanted))
    return [next(found) if need else None for need in needed]


class _Solve(_torch.autograd.Function):
    @staticmethod
    def forward(ctx, core, names, *tensors):
        ctx.core, ctx.names = core, names
        values = core.solve(dict(zip(names, (t.detach() for t in tensors))))
        wide = any(t.dtype == _torch.float64 and t.dim() > 0 for t in tensors)
        dtype = _torch.float64 if wide or not tensors else _torch.float32
        place = tensors[0].device if tensors else "cpu"
        u = _torch.from_numpy(values).to(device=place, dtype=dtype)
        ctx.save_for_backward(u, *tensors)
        return u

    @staticmethod
    def backward(ctx, g):
        u, *tensors = ctx.saved_tensors
        core, names = ctx.core, ctx.names
        adjoint = _Adjoint.apply(core, names, g, *tensors)
        grad_mode = _torch.is_grad_enabled()
        with _torch.enable_grad():
            residual, constant = _residual(core, u)
            mask = constant(core.mask)
            data = _aliases(names, tensors)
            fixed = {name: constant(value) for name, value in core.face_data(data).items()}
            given = residual.boundary_values(data)
            state = mask * u + (1 - mask) * (u - given).detach() + given
            r = residual.load(data) - residual.operator(data, state, fixed)
            value = (adjoint * mask * r).sum() + ((1 - mask) * g * given).sum()
        with _torch.set_grad_enabled(grad_mode):
            return (None, None, *_partial(value, data, ctx.needs_input_grad[2:]))


class _Adjoint(_torch.autograd.Function):
    @staticmethod
    def forward(ctx, core, names, g, *tensors):
        ctx.core, ctx.names = core, names
        values = core.adjoint(dict(zip(names, (t.detach() for t in tensors))), g.detach())
        adjoint = _torch.from_numpy(values).to(device=g.device, dtype=g.dtype)
        ctx.save_for_backward(adjoint, *tensors)
        return adjoint

    @staticmethod
    def backward(ctx, h):
        adjoint, *tensors = ctx.saved_tensors
        core, names = ctx.core, ctx.names
        second = _Adjoint.apply(core, names, h, *tensors)
        grad_mode = _torch.is_grad_enabled()
        with _torch.enable_grad():
            residual, constant = _residual(core, adjoint)
            data = _aliases(names, tensors)
            fixed = {name: constant(value) for name, value in core.face_data(data).items() if _in_operator(name)}
            own = {name: value for name, value in data.items() if _in_operator(name)}
            value = -(second * constant(core.mask) * residual.operator(own, adjoint, fixed)).sum()
        with _torch.set_grad_enabled(grad_mode):
            return (None, None, second, *_partial(value, data, ctx.needs_input_grad[3:]))


def _in_operator(name):
    """Returns whether A depends on a datum: κ, σ or α."""
    return name.startswith(("coefficient", "reaction", "kappa")) or name.endswith(".alpha")
