"""Solves with gradients for JAX."""

import functools

import jax as _jax
import jax.numpy as _jnp
import numpy as _np

from . import _adjoint, _core


def solve(problem, coefficient=None, source=None, *, reaction=None, boundary=None):
    """Solves a problem and returns u, inside jit, grad, jvp and vmap.

    Args:
        problem: a Problem, whose default solver is kept, or a Solver.
        coefficient, source, reaction: arrays with one value for each node or cell, or numbers. The coefficient has one
            value for each cell, or is a dictionary with the keys x, y, z.
        boundary: data of faces by their names: an array for Dirichlet and Neumann faces, {"alpha": …, "value": …} for
            Robin faces.

    vmap over sources, or over any other data, solves one after another on the same levels; only a new coefficient,
    reaction or alpha makes them again. Use jax.config.update("jax_enable_x64", True) for gradients beyond six digits.

    Raises NotImplementedError with the reason for schemes without gradients and for several processes, while the function
    is traced.
    """
    core = _adjoint.of(problem)
    if core.processes > 1:
        raise NotImplementedError("poisson.jax works in one process only, because XLA may change the order of calls, for "
                                  "which the other processes wait: use poisson.torch, or start Python without mpirun")
    data = _adjoint.names({"source": source, "coefficient": coefficient, "reaction": reaction, "boundary": boundary})
    core.check(data)
    wide = _jnp.result_type(1.0, *data.values()) == _jnp.float64
    dtype = _jnp.float64 if wide else _jnp.float32
    data = {name: _jnp.asarray(value, dtype=dtype) for name, value in data.items()}
    return core.residual(_jnp.concatenate, None).expanded(_solution(core, data))


def _run(number, kind, names, arguments, result):
    """Solves for views of arrays of the host: u of data, or A⁻¹ of the last argument."""
    core = _adjoint.numbered(number)
    data = dict(zip(names.split(",") if names else (), arguments))
    if kind == "solve":
        core.solve(data, result)
    else:
        core.adjoint(data, arguments[-1], result)


_TARGET = "poisson_solve"
_handler = _core.jax_handler(_run) if hasattr(_jax, "ffi") else None
if _handler is not None:
    _jax.ffi.register_ffi_target(_TARGET, _handler, platform="cpu")


def _call(core, kind, dtype, data, *more):
    """Solves on the host, for one set of data after another under vmap.

    XLA calls the compiled module on the CPU; other platforms copy the arrays for a callback of Python.
    """
    shape = _jax.ShapeDtypeStruct(tuple(core.shape), dtype)
    names = ",".join(data)
    arguments = (*data.values(), *more)

    def by_callback(*values):
        def call(*arrays):
            result = _np.empty(shape.shape, dtype=dtype)
            _run(core.number, kind, names, [_np.ascontiguousarray(a) for a in arrays], result)
            return result

        return _jax.pure_callback(call, shape, *values, vmap_method="sequential")

    def by_handler(*values):
        call = _jax.ffi.ffi_call(_TARGET, shape, vmap_method="sequential")
        return call(*values, number=_np.int64(core.number), kind=kind, names=names)

    if _handler is None:
        return by_callback(*arguments)
    return _jax.lax.platform_dependent(*arguments, cpu=by_handler, default=by_callback)


@functools.partial(_jax.custom_jvp, nondiff_argnums=(0,))
def _solution(core, data):
    dtype = next(iter(data.values())).dtype if data else _jnp.zeros(0).dtype
    return _call(core, "solve", dtype, data)


@_solution.defjvp
def _derivative(core, primals, tangents):
    """Solves A u' = (b − A u)', the derivative of the residual in the direction of the data."""
    (data,), (directions,) = primals, tangents
    u = _solution(core, data)
    dtype = u.dtype

    def constant(values):
        return _jnp.asarray(values, dtype=dtype)

    residual = core.residual(_jnp.concatenate, constant)
    mask = constant(core.mask)
    fixed = _fixed(core, data, dtype)

    def rest(values):
        given = residual.boundary_values(values)
        state = mask * u + (1 - mask) * _jax.lax.stop_gradient(u - given) + given
        return mask * (residual.load(values) - residual.operator(values, state, fixed)), (1 - mask) * given

    _, (change, given) = _jax.jvp(rest, (data,), (directions,))
    own = {name: value for name, value in data.items() if _adjoint.in_operator(name)}
    homogeneous = {name: value for name, value in fixed.items() if _adjoint.in_operator(name)}

    def product(x):
        return mask * residual.operator(own, mask * x, homogeneous) + (1 - mask) * x

    def inverse(_, b):
        return _call(core, "adjoint", dtype, own, b)

    inner = _jax.lax.custom_linear_solve(product, change, inverse, symmetric=True)
    return u, inner + given


def _fixed(core, data, dtype):
    """Returns the fixed data of faces. They are read when the function is traced, because they never change; κ behind
    the faces of a problem in cells is that of the problem."""
    return {name: _jnp.asarray(value, dtype=dtype) for name, value in core.face_data(data).items()}


from ._mesh_jax import solve_mesh  # noqa: E402,F401
