"""Solves on meshes with gradients for PyTorch."""

import torch as _torch


def solve_mesh(problem, **data):
    """Solves a MeshProblem and returns u at its points, differentiable once with respect to the given data.

    Args:
        problem: a MeshProblem. For gradcheck make it with tolerance=1e-12 and precision="double".
        data: tensors as for MeshProblem.update: coefficient, reaction, source with a value for each element, and
            boundary={name: tensor with a value for each point, or {"alpha": …, "value": …}}.
    """
    named = problem._named(data)
    tensors = [_torch.as_tensor(value, dtype=_torch.float64) for value in named.values()]
    return _Solve.apply(problem, tuple(named), *tensors)


class _Solve(_torch.autograd.Function):
    @staticmethod
    def forward(ctx, problem, names, *tensors):
        changed = problem._change({name: t.detach().cpu().numpy() for name, t in zip(names, tensors)})
        u = problem.solve().u
        ctx.problem, ctx.names, ctx.changed = problem, names, changed
        ctx.shapes = [t.shape for t in tensors]
        ctx.u = u
        return _torch.from_numpy(u)

    @staticmethod
    def backward(ctx, g):
        ctx.problem._set(ctx.changed)  # another solve may have changed them
        found = ctx.problem.gradient(ctx.u, g.detach().cpu().numpy())
        grads = []
        for name, shape, need in zip(ctx.names, ctx.shapes, ctx.needs_input_grad[2:]):
            value = _torch.from_numpy(found[name])
            grads.append((value.sum() if len(shape) == 0 else value.reshape(shape)) if need else None)
        return None, None, *grads
