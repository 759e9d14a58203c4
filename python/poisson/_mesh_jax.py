"""Solves on meshes with gradients for JAX."""

import functools

import jax as _jax
import jax.numpy as _jnp
import numpy as _np


def solve_mesh(problem, **data):
    """Solves a MeshProblem and returns u at its points, differentiable once in reverse mode.

    Args:
        problem: a MeshProblem.
        data: arrays as for MeshProblem.update. Values are computed in 64 bits; enable them in JAX for 64-bit results.
    """
    named = problem._named(data)
    return _solve(problem, tuple(named), tuple(_jnp.asarray(value, dtype=float) for value in named.values()))


def _solved(problem, names, values):
    problem._change({name: _np.asarray(value, dtype=_np.float64) for name, value in zip(names, values)})
    return problem.solve().u


def _callback(problem, names, *values):
    return _solved(problem, names, values).astype(values[0].dtype)


def _gradient_callback(problem, names, g, *values):
    u = _solved(problem, names, values)
    found = problem.gradient(u, _np.asarray(g, dtype=_np.float64))
    return tuple((found[name].sum() if value.ndim == 0 else found[name].reshape(value.shape)).astype(value.dtype)
                 for name, value in zip(names, values))


@functools.partial(_jax.custom_vjp, nondiff_argnums=(0, 1))
def _solve(problem, names, values):
    shape = _jax.ShapeDtypeStruct((len(problem.mesh.points),), values[0].dtype)
    return _jax.pure_callback(functools.partial(_callback, problem, names), shape, *values)


def _forward(problem, names, values):
    return _solve(problem, names, values), values


def _backward(problem, names, values, g):
    shapes = tuple(_jax.ShapeDtypeStruct(value.shape, value.dtype) for value in values)
    return (_jax.pure_callback(functools.partial(_gradient_callback, problem, names), shapes, g, *values),)


_solve.defvjp(_forward, _backward)
