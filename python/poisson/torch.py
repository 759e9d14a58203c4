"""Solves with gradients for PyTorch."""

import concurrent.futures as _futures

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

    A function that torch.compile compiles contains the solve as one operator (PyTorch 2.4 or newer), with first
    derivatives. Data that are not given stay as they are in the problem. A coefficient of materials is table[ids]: the gradient of
    `table` then is the sum over the cells of each material. u is on the device of the data. Tensors on the solver's
    device stay there.

    Under mpirun, tensors are those of the process's block, and gradients are those of the sum of the losses of all
    processes. Numbers and data of faces are the same on each process, and so are their gradients. Second derivatives
    need one process.

    Raises NotImplementedError with the reason for schemes without gradients, ConfigurationError for invalid data, and
    SolverError if the solve or its adjoint does not converge.
    """
    data = _adjoint.names({"source": source, "coefficient": coefficient, "reaction": reaction, "boundary": boundary})
    names = tuple(data)
    core = _checked(problem, names)
    tensors = [t if isinstance(t, _torch.Tensor) else _torch.as_tensor(t, dtype=_torch.float64) for t in data.values()]
    if _operators and _torch.compiler.is_compiling():
        u = _torch.ops.poisson.solve(core.number, ",".join(names), tensors)
    else:
        u = _Solve.apply(core, names, *tensors)
    for axis in core.repeated:
        u = _torch.cat([u, u.narrow(axis, 0, 1)], dim=axis)
    return u


def _checked(problem, names):
    """Returns the Differentiable of a problem after a check of the data's names."""
    core = _adjoint.of(problem)
    core.check(names)
    return core


def _cat(parts, axis):
    return _torch.cat(parts, dim=axis)


def _residual(core, like):
    def constant(values):
        return _torch.as_tensor(values, dtype=like.dtype, device=like.device)

    return core.residual(_cat, constant), constant


def _place(core, device):
    """Returns the device where the compiled solver reads and writes tensors of a device."""
    return device if device.type == "cuda" and device.index == core.device else _torch.device("cpu")


def _like_data(tensors):
    """Returns dtype and device of u for these data."""
    arrays = [t for t in tensors if t.dim() > 0] or tensors
    wide = not arrays or any(t.dtype == _torch.float64 for t in arrays)
    return _torch.float64 if wide else _torch.float32, arrays[0].device if arrays else _torch.device("cpu")


def _solved(core, data):
    """Returns u and the number of the levels of the data."""
    dtype, device = _like_data(list(data.values()))
    u = _torch.empty(core.shape, dtype=dtype, device=_place(core, device))
    levels = core.solve({name: t.detach() for name, t in data.items()}, u)
    return u.to(device), levels


def _adjoint_of(core, data, g, levels=None, factor=1.0):
    place = _place(core, g.device)
    found = _torch.empty(core.shape, dtype=g.dtype, device=place)
    core.adjoint({name: t.detach() for name, t in data.items()}, g.detach().to(place).contiguous(), found,
                 levels, factor)
    return found.to(g.device)


def _compiled_gradient(core, name, kind, data, u, adjoint):
    """Returns the derivative of λᵀ(b − A u) with respect to a datum, by the compiled module."""
    datum = data[name]
    dtype, place = datum.dtype, _place(core, datum.device)

    def ready(t):
        return t.detach().to(device=place, dtype=dtype).contiguous()

    gradient = _torch.empty(datum.shape, dtype=dtype, device=place)
    adjoint = ready(adjoint)
    if kind.startswith("source") and not core.repeated:
        core.gradient(name, kind, None, adjoint, {}, gradient)
        return gradient.to(datum.device)
    R, _ = _residual(core, _torch.empty(0, dtype=dtype, device=place))
    own = {key: ready(t) for key, t in data.items() if key.startswith("coefficient")}
    if kind == "kappa_in_cells" and name != "coefficient":
        own = {f"coefficient.{a}": own.get(f"coefficient.{a}", own[name]) for a in "xyz"}
    u = ready(u)
    faces = core.number_faces(data) if kind == "kappa_in_cells" else []
    core.gradient(name, kind, R.expanded(u).contiguous(), R.expanded(adjoint).contiguous(), own, gradient, faces or [])
    if faces is None:
        axes = [a for a in range(R.d) if name in ("coefficient", f"coefficient.{R.names[a]}")]
        values = {key: ready(t) for key, t in data.items() if key.startswith(("boundary", name))}
        fixed = {key: ready(_torch.as_tensor(value)) for key, value in core.face_data(data).items()}
        R.add_face_terms(gradient, axes, values, u, adjoint, fixed)
    return gradient.to(datum.device)


def _aliases(names, tensors):
    """Returns new tensors of the same values, to differentiate with respect to the data alone."""
    return {name: t.view_as(t) for name, t in zip(names, tensors)}


def _partial(value, aliases, needed):
    """Returns the partial derivatives of a number with respect to the data, None where they are not needed."""
    wanted = [t for t, need in zip(aliases.values(), needed) if need]
    found = iter(_torch.autograd.grad(value, wanted, create_graph=_torch.is_grad_enabled(), allow_unused=True)
                 if wanted and value.requires_grad else [None] * len(wanted))
    return [next(found) if need else None for need in needed]


def _gradients(core, names, tensors, u, adjoint, g, needed):
    """Returns the derivatives of λᵀ(b − A u) with respect to the data, and of u on Dirichlet faces times g.

    The compiled module computes those with respect to f, κ and σ if no second derivatives are wanted.
    """
    if core.processes > 1:
        return _gradients_of_blocks(core, names, tensors, u, adjoint, g, needed)
    found = [None] * len(tensors)
    needed = list(needed)
    if not _torch.is_grad_enabled():
        data = dict(zip(names, tensors))
        for i, (name, t) in enumerate(data.items()):
            kind = core.kind(name, t.shape) if needed[i] and t.is_floating_point() else None
            if kind and t.dtype in (_torch.float32, _torch.float64):
                found[i] = _compiled_gradient(core, name, kind, data, u, adjoint)
                needed[i] = False
        if not any(needed):
            return found
    rest = _partial_gradients(core, names, tensors, u, adjoint, g, needed)
    return [a if b is None else b for a, b in zip(found, rest)]


def _partial_gradients(core, names, tensors, u, adjoint, g, needed):
    """Returns the same derivatives by the rules of torch."""
    grad_mode = _torch.is_grad_enabled()
    with _torch.enable_grad():
        residual, constant = _residual(core, u)
        mask = constant(core.mask)
        own = _aliases(names, tensors)
        fixed = {name: constant(value) for name, value in core.face_data(own).items()}
        given = residual.boundary_values(own)
        state = mask * u + (1 - mask) * (u - given).detach() + given
        r = residual.load(own) - residual.operator(own, state, fixed)
        value = (adjoint * mask * r).sum() + ((1 - mask) * g * given).sum()
    with _torch.set_grad_enabled(grad_mode):
        return _partial(value, own, needed)


def _gradients_of_blocks(core, names, tensors, u, adjoint, g, needed):
    """Returns the same derivatives for several processes, each of which gathers the global arrays."""
    if _torch.is_grad_enabled():
        raise NotImplementedError("second derivatives work in one process only: start Python without mpirun")

    def gathered(t, gather):
        return _torch.as_tensor(gather(t.detach().cpu().double().numpy()), dtype=t.dtype, device=t.device)

    shared = [name.startswith("boundary") or t.dim() == 0 for name, t in zip(names, tensors)]
    whole = [t.detach() if same else gathered(t, lambda values, name=name: core.whole_datum(values, name))
             for name, t, same in zip(names, tensors, shared)]
    whole = [t.requires_grad_(need) for t, need in zip(whole, needed)]
    fields = [gathered(t, core.whole_values) for t in (u, adjoint, g)]
    found = _partial_gradients(core, names, whole, *fields, needed)
    return [f if f is None or same else core.own(f, name).contiguous()
            for name, f, same in zip(names, found, shared)]


def _is_weighted_adjoint(core, names, tensors, g, needed):
    """Returns whether the only gradient is that of a source in cells of equal volumes: the adjoint times the volume."""
    if core.volume is None or core.processes > 1 or sum(needed) != 1:
        return False
    t = tensors[needed.index(True)]
    return names[needed.index(True)] == "source" and list(t.shape) == core.shape and t.dtype == g.dtype


class _Solve(_torch.autograd.Function):
    @staticmethod
    def forward(ctx, core, names, *tensors):
        ctx.core, ctx.names, ctx.solver = core, names, core.solver
        u, ctx.levels = _solved(core, dict(zip(names, tensors)))
        ctx.save_for_backward(u, *tensors)
        return u

    @staticmethod
    def backward(ctx, g):
        u, *tensors = ctx.saved_tensors
        if _torch.is_grad_enabled():  # for second derivatives
            adjoint = _Adjoint.apply(ctx.core, ctx.names, ctx.levels, g, *tensors)
        else:
            data, needed = dict(zip(ctx.names, tensors)), ctx.needs_input_grad[2:]
            if _is_weighted_adjoint(ctx.core, ctx.names, tensors, g, needed):
                found = _adjoint_of(ctx.core, data, g, ctx.levels, ctx.core.volume)
                return None, None, *(found if need else None for need in needed)
            adjoint = _adjoint_of(ctx.core, data, g, ctx.levels)
        return None, None, *_gradients(ctx.core, ctx.names, tensors, u, adjoint, g, ctx.needs_input_grad[2:])


class _Adjoint(_torch.autograd.Function):
    @staticmethod
    def forward(ctx, core, names, levels, g, *tensors):
        ctx.core, ctx.names, ctx.levels, ctx.solver = core, names, levels, core.solver
        adjoint = _adjoint_of(core, dict(zip(names, tensors)), g, levels)
        ctx.save_for_backward(adjoint, *tensors)
        return adjoint

    @staticmethod
    def backward(ctx, h):
        adjoint, *tensors = ctx.saved_tensors
        core, names = ctx.core, ctx.names
        second = _Adjoint.apply(core, names, ctx.levels, h, *tensors)
        grad_mode = _torch.is_grad_enabled()
        with _torch.enable_grad():
            residual, constant = _residual(core, adjoint)
            data = _aliases(names, tensors)
            fixed = {name: constant(value) for name, value in core.face_data(data).items() if _adjoint.in_operator(name)}
            own = {name: value for name, value in data.items() if _adjoint.in_operator(name)}
            value = -(second * constant(core.mask) * residual.operator(own, adjoint, fixed)).sum()
        with _torch.set_grad_enabled(grad_mode):
            return (None, None, None, second, *_partial(value, data, ctx.needs_input_grad[4:]))


# ---- the operators of compiled functions ----


def _define_operators():
    """Defines poisson::solve with its derivative, for torch.compile. Returns whether this version of torch can."""
    if not hasattr(_torch.library, "custom_op"):
        return False

    def of(core, names, data):
        return _adjoint.numbered(core), dict(zip(names.split(",") if names else (), data))

    @_torch.library.custom_op("poisson::solve", mutates_args=())
    def solve_op(core: int, names: str, data: list[_torch.Tensor]) -> _torch.Tensor:
        return _solved(*of(core, names, data))[0]

    @_torch.library.custom_op("poisson::adjoint", mutates_args=())
    def adjoint_op(core: int, names: str, data: list[_torch.Tensor], g: _torch.Tensor) -> _torch.Tensor:
        return _adjoint_of(*of(core, names, data), g)

    @_torch.library.custom_op("poisson::gradients", mutates_args=())
    def gradients_op(core: int, names: str, data: list[_torch.Tensor], needed: list[bool], u: _torch.Tensor,
                     adjoint: _torch.Tensor, g: _torch.Tensor) -> list[_torch.Tensor]:
        solver, values = of(core, names, data)
        with _futures.ThreadPoolExecutor(1) as thread:  # operators run without autograd, which data of faces need
            stream = _torch.cuda.current_stream(u.device) if u.is_cuda else None
            found = thread.submit(_first_gradients, solver, values, u, adjoint, g, needed, stream).result()
        used = {t.data_ptr() for t in (u, adjoint, g, *data)}
        return [_of_its_own(_torch.zeros_like(t) if f is None else f, used) for t, f in zip(data, found)]

    @solve_op.register_fake
    def _(core, names, data):
        dtype, device = _like_data(data)
        return _torch.empty(_adjoint.numbered(core).shape, dtype=dtype, device=device)

    @adjoint_op.register_fake
    def _(core, names, data, g):
        return _torch.empty_like(g, memory_format=_torch.contiguous_format)

    @gradients_op.register_fake
    def _(core, names, data, needed, u, adjoint, g):
        return [_torch.empty_like(t, memory_format=_torch.contiguous_format) for t in data]

    def keep(ctx, inputs, output):
        ctx.core, ctx.names, data = inputs
        ctx.needed = [t.requires_grad for t in data]
        ctx.save_for_backward(output, *data)

    def backward(ctx, g):
        u, *data = ctx.saved_tensors
        adjoint = _torch.ops.poisson.adjoint(ctx.core, ctx.names, data, g)
        found = _torch.ops.poisson.gradients(ctx.core, ctx.names, data, ctx.needed, u, adjoint, g)
        return None, None, [f if need else None for f, need in zip(found, ctx.needed)]

    solve_op.register_autograd(backward, setup_context=keep)
    return True


def _of_its_own(tensor, used):
    """Returns a contiguous tensor that shares no memory with earlier ones, as operators must."""
    if not tensor.is_contiguous() or tensor.data_ptr() in used:
        tensor = tensor.clone(memory_format=_torch.contiguous_format)
    used.add(tensor.data_ptr())
    return tensor


def _first_gradients(core, data, u, adjoint, g, needed, stream):
    with _torch.cuda.stream(stream), _torch.no_grad():
        tensors = [t.detach().requires_grad_(need) for t, need in zip(data.values(), needed)]
        return _gradients(core, tuple(data), tensors, u, adjoint, g, needed)


_operators = _define_operators()


from ._mesh_torch import solve_mesh  # noqa: E402,F401
