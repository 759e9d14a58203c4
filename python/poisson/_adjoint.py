"""Solves for poisson.torch and poisson.jax: u for given data, A⁻¹ for given right-hand sides, and derivatives.

A is symmetric, so a gradient is one more solve. With λ = A⁻¹ ∂J/∂u, the derivative with respect to a datum p is
λᵀ ∂(b − A u)/∂p. The compiled module computes it for f, κ and σ; the frameworks compute it for data of faces, and second
derivatives, from _residual.Residual. For singular problems A⁻¹ is the pseudoinverse for solutions and data without a
mean, which is symmetric as well.
"""

import weakref

import numpy as np

from . import _arrays, _core
from ._core import ConfigurationError
from ._grid import repeat_first, volume_of_cells
from ._residual import Residual, check_supported
from ._solver import Solver


def of(problem):
    """Returns the Differentiable of a Solver, or of a Problem with its default solver."""
    if isinstance(problem, Differentiable):
        return problem
    if not isinstance(problem, Solver) and not hasattr(problem, "solver"):
        raise ConfigurationError(f"gradients: expected a Problem or a Solver, found {_arrays.shown(problem)}")
    core = getattr(problem, "_differentiable", None)
    if core is None:
        solver = problem if isinstance(problem, Solver) else problem.solver()
        core = solver._differentiable = Differentiable(solver)
        if solver is not problem:
            problem._default_solver, problem._differentiable = solver, core
    return core


def names(data):
    """Returns the data that a call gives, by the names that the compiled solver uses.

    The keys of `data` are source, coefficient, reaction and boundary, as in Problem. Values of Robin faces are
    dictionaries with the keys alpha and value.
    """
    flat = {}
    for key in ("source", "reaction"):
        if data.get(key) is not None:
            flat[key] = data[key]
    coefficient = data.get("coefficient")
    if isinstance(coefficient, dict):
        flat.update((f"coefficient.{axis}", value) for axis, value in coefficient.items())
    elif coefficient is not None:
        flat["coefficient"] = coefficient
    for face, value in _arrays.mapping(data.get("boundary"), "boundary", "{'x-': g}").items():
        if isinstance(value, dict):
            (kind, value), *more = value.items() if set(value) & {"dirichlet", "neumann", "robin"} else [(None, value)]
            if more:
                raise ConfigurationError(f"boundary.{face}: several conditions; give one")
        parts = value if isinstance(value, dict) else {"value": value}
        for part, datum in parts.items():
            if part not in ("value", "alpha"):
                raise ConfigurationError(f"boundary.{face}: unknown key '{part}'; give value, or alpha and value of a Robin face")
            flat[f"boundary.{face}" + (".alpha" if part == "alpha" else "")] = datum
    return flat


def in_operator(name):
    """Returns whether A depends on a datum: κ, σ or α."""
    return name.startswith(("coefficient", "reaction", "kappa")) or name.endswith(".alpha")


_numbered: list = []  # operators of compiled functions name objects by numbers


def numbered(number):
    """Returns the Differentiable of a number. Raises SolverError if its solver does not exist any more."""
    core = _numbered[number]()
    if core is None:
        raise _core.SolverError("the solver of a compiled function does not exist any more: keep it")
    return core


class Differentiable:
    """Keeps the levels of a solver and the data that they belong to.

    Arrays of u, λ and ∂J/∂u are like u without the repeated nodes of periodic axes; they are numpy arrays, or tensors of
    torch, on the host or on the solver's device.
    """

    def __init__(self, solver):
        self._solver = weakref.ref(solver)  # which keeps this object
        self.geometry = solver.geometry
        self.device = solver._device
        self._set = {}
        self._source = None  # the session reads it where it is
        residual = self._residual = Residual(self.geometry, None, np.asarray)
        self.processes = solver._session.processes
        own = solver.block
        self.places = tuple(slice(b.start, min(b.stop, n)) for b, n in zip(own, residual.sizes))
        self.shape = [b.stop - b.start for b in self.places]
        self.repeated = [a for a, b in enumerate(own) if b.stop > residual.sizes[a]]
        self.number = len(_numbered)
        _numbered.append(weakref.ref(self))
        self.cells = residual.cells
        self._faces = {}  # what the session returned for face_data
        self._numbers = {}  # those of these values that are equal on the face
        self.levels = 0  # counts changes of the levels
        self._supported = set()  # names of data that passed the check
        self.volume = volume_of_cells(solver.geometry)

    @property
    def solver(self):
        """The Solver. Raises SolverError if it does not exist any more."""
        solver = self._solver()
        if solver is None:
            raise _core.SolverError("the solver of these gradients does not exist any more: keep it")
        return solver

    @property
    def mask(self):
        """1 at unknowns, 0 at Dirichlet nodes."""
        return self._residual.mask

    def check(self, data):
        """Raises NotImplementedError or ConfigurationError as _residual.check_supported."""
        names = tuple(data)
        if names not in self._supported:
            check_supported(self.geometry, names)
            self._supported.add(names)

    def residual(self, cat, constant):
        return self._residual.in_framework(cat, constant)

    def _given(self, value, name, later):
        """Returns (value, copy): what the session reads, and what later values are compared with."""
        if not name.startswith("boundary") and self.device >= 0 and _arrays.is_array(value):
            found = _arrays.on_device(value, name)
            if found and found[0].device == self.device:
                there = found[0]
                if name == "source":
                    if found[1] != later:
                        self.solver._wait_for(found[1])
                    return there, None
                kept = there.owner.clone() if _arrays.package(there.owner) == "torch" else there.owner.copy()
                there, stream, _ = _arrays.on_device(kept, name)  # stays as it is when the caller changes the array
                self.solver._wait_for(stream)
                return there, kept
        host = _arrays.to_host(value, name)[0]
        return (host.item() if host.ndim == 0 else host), host.copy() if name != "source" else None

    def forget(self, names):
        """Is told that the solver got other data."""
        for name in names:
            self._set.pop(name, None)
        self._count(names)

    def _count(self, names):
        """Forgets what the session returned for faces and belongs to former data, and counts changes of the levels."""
        if any(name.startswith("boundary") for name in names):
            self._faces, self._numbers = {}, {}
        elif any(name.startswith("coefficient") for name in names):
            self._faces = {key: values for key, values in self._faces.items() if key[0] != "kappa"}
        self.levels += any(in_operator(name) for name in names)

    def _differs(self, name, value):
        """Returns whether a datum is new, on any process."""
        return self.solver._session.any(not self._equal(name, value)) if self.processes > 1 else \
            not self._equal(name, value)

    def _equal(self, name, value):
        kept = self._set.get(name)
        if kept is None:
            return False
        if _arrays.package(kept) == "torch" or _arrays.package(kept) == "cupy":
            return _arrays.package(value) == _arrays.package(kept) and kept.shape == value.shape and \
                bool((kept == value).all())
        return not _arrays.is_on_device(value) and np.array_equal(kept, _arrays.to_host(value, name)[0])

    def _update(self, data, later=None):
        """Gives the compiled solver those data that differ from its present ones. `later`: the stream for which the solve
        waits before it reads the source."""
        changed = {name: value for name, value in data.items() if name != "source" and self._differs(name, value)}
        if any(name.startswith("coefficient.") for name in changed):
            changed.update((name, value) for name, value in data.items() if name.startswith("coefficient."))
        if "source" in data:
            changed["source"] = data["source"]
        if not changed:
            return
        given = {name: self._given(value, name, later) for name, value in changed.items()}
        for name in changed:
            self._set.pop(name, None)
        if set(changed) != {"source"}:
            self._count(changed)
        session = self.solver._session
        source = given.get("source", (None, None))[0]
        if isinstance(source, np.ndarray) and session.lend_source(source):
            del given["source"]
        self._source = source if source is not None else self._source
        if given:
            session.update({name: value for name, (value, _) in given.items()})
        self._set.update((name, kept) for name, (_, kept) in given.items() if kept is not None)

    def solve(self, data, u):
        """Writes the solution for data by their names into an array like u. Returns the number of the levels of the data.

        Raises SolverError if it does not converge.
        """
        with self.solver._lock:
            to, stream = self._handle(u, "u")
            self._update(data, stream)
            self._check_singular(data)
            self._run("the solve", lambda session: session.solve(None, _log, to, stream))
            return self.levels

    def adjoint(self, data, g, adjoint, levels=None, factor=1.0):
        """Writes factor·A⁻¹ g for the operator of the data into an array like u, zero at Dirichlet nodes.

        `levels`: the number of the levels of these data, if the caller knows it; the data are then not compared.
        """
        with self.solver._lock:
            if levels != self.levels:
                self._update({name: value for name, value in data.items() if in_operator(name)})
            right, _ = self._handle(g, "gradient")
            to, stream = self._handle(adjoint, "u")
            try:
                self._run("the adjoint solve", lambda session: session.solve_rhs(right, to, stream, factor))
            except ConfigurationError as error:
                raise _core.SolverError("the gradient of the loss with respect to u is not finite; check the "
                                        "loss") from error

    def _run(self, what, solve):
        solver = self.solver
        solver._state += 1
        course = solve(solver._session)
        if not course["converged"]:
            raise _core.SolverError(f"{what} did not converge: {course['reason']}")

    def _handle(self, array, name):
        """Returns what the compiled module reads or writes, and the stream of its package or None. Arrays of other devices
        must be copied before."""
        found = _arrays.on_device(array, name)
        if found:
            return found[:2]
        return (array.numpy() if _arrays.package(array) == "torch" else array), None

    def _check_singular(self, data):
        if "reaction" in data and self.solver._session.singular:
            raise _core.SolverError("the problem is singular (no Dirichlet face, no reaction), so u jumps where the "
                                    "reaction begins and has no derivative there: leave out the reaction, or make it "
                                    "positive")

    # ---- derivatives of λᵀ(b − A u) ----

    def kind(self, name, shape):
        """Returns the name of the compiled derivative with respect to a datum of this shape, or None."""
        at_nodes, elements = self.geometry["centering"] == "node", self.geometry["scheme"] == "q1"
        nodes = [n + 1 for n in self.cells]
        shape = list(shape)
        if name.startswith("coefficient") and shape == self.cells:
            return "kappa_elements" if elements else "kappa_at_nodes" if at_nodes else "kappa_in_cells"
        if name == "reaction" and elements:
            return "reaction_elements" if shape == self.cells else None
        if name not in ("source", "reaction"):
            return None
        if shape == (nodes if at_nodes else self.cells):
            return None if elements else f"{name}_at_values"
        return f"{name}_in_cells" if at_nodes and shape == self.cells else None

    def gradient(self, name, kind, u, adjoint, data, to, faces=()):
        """Writes the derivative of λᵀ(b − A u) with respect to a datum into an array like the datum.

        `u` and `adjoint` contain the repeated nodes; all arrays have one precision and are in one memory. The derivative
        with respect to κ of a problem in cells contains the terms of `faces` (number_faces); Residual.add_face_terms adds
        those of other faces.
        """
        d = self.geometry["dimension"]
        axis = "xyz".index(name[-1]) if name.startswith("coefficient.") else None
        kappa = []
        if kind == "kappa_in_cells":
            kappa = [self._handle(data[name if axis is None else f"coefficient.{a}"], name)[0] for a in "xyz"[:d]]
        to, stream = self._handle(to, "gradient")
        u = None if kind.startswith("source") else self._handle(u, "u")[0]
        first, last = (0, d) if axis is None else (axis, axis + 1)
        with self.solver._lock:
            self.solver._session.gradient(kind, u, self._handle(adjoint, "adjoint")[0], kappa, first, last, to, stream,
                                          faces)

    # ---- several processes ----

    def in_cells(self, name):
        """Returns whether an array of a datum has one value for each cell of the block, not for each value of u."""
        return name.startswith("coefficient") or self.geometry["centering"] == "cell"

    def whole(self, values, cells):
        """Returns the global array of the blocks of all processes. Collective; a copy on the host.

        Nodes of a periodic axis that is cut have no repeated last node.
        """
        flat = self.solver._session.gathered(np.ascontiguousarray(values, dtype=np.float64), cells)
        repeated = () if cells else self.repeated
        return flat.reshape([n + (a in repeated) for a, n in enumerate(self.cells if cells else self._residual.sizes)])

    def whole_datum(self, values, name):
        """Returns the global array of a datum, with the repeated nodes of periodic axes. Collective."""
        cells = self.in_cells(name)
        whole = self.whole(values, cells)
        for a in range(self._residual.d):
            if not cells and self._residual.periodic[a] and a not in self.repeated:
                whole = repeat_first(whole, a)
        return whole

    def whole_values(self, values):
        """Returns the global array of one like u, without repeated nodes. Collective."""
        for a in self.repeated:
            values = repeat_first(values, a)
        return self._residual.core(self.whole(values, self.geometry["centering"] == "cell"))

    def own(self, whole, name):
        """Returns the block of this process of a global datum."""
        return whole[self.solver.cells if self.in_cells(name) else self.solver.block]

    def _face_values(self, axis, end, alpha):
        """Returns the values of a face of a problem in cells."""
        key = (axis, end, alpha)
        if key not in self._faces:
            values = self.solver._session.face_values(axis, end, alpha)
            along = self.geometry["dimension"] - 1 - axis
            shape = [n for a, n in enumerate(self.shape) if a != along]
            if self.processes > 1:
                block = np.zeros(self.shape)
                if values.size > 0:
                    block[tuple(-end if a == along else slice(None) for a in range(block.ndim))] = values.reshape(shape)
                self._faces[key] = np.take(self.whole(block, True), -end, axis=along)
            else:
                self._faces[key] = values.reshape(shape)
        return self._faces[key]

    def _kappa_behind(self, axis, end):
        key = ("kappa", axis, end)
        if key not in self._faces:
            d = self.geometry["dimension"]
            kappa = self.solver._session.values("coefficient")
            if self.processes > 1:
                parts = [kappa] if kappa.ndim == d else list(np.moveaxis(kappa, -1, 0))
                parts = [self.whole(part, True) for part in parts]
                kappa = parts[0] if kappa.ndim == d else np.stack(parts, axis=-1)
            for face, kind in self.geometry["faces"].items():
                if kind in ("dirichlet", "robin"):
                    a, e = "xyz".index(face[0]), int(face[1] == "+")
                    own = kappa if kappa.ndim == d else kappa[..., a]
                    self._faces["kappa", a, e] = np.take(own, -e, axis=d - 1 - a)
        return self._faces[key]

    def number_faces(self, data):
        """Returns (axis, end, value, α or None) of the Dirichlet and Robin faces of a problem in cells, or None if one of
        them has data that are no numbers or are in `data`."""
        found = []
        with self.solver._lock:
            for face, kind in self.geometry["faces"].items():
                if kind not in ("dirichlet", "robin"):
                    continue
                if f"boundary.{face}" in data or f"boundary.{face}.alpha" in data:
                    return None
                axis, end = "xyz".index(face[0]), int(face[1] == "+")
                numbers = [self._number(axis, end, alpha) for alpha in (False, True)[: 1 + (kind == "robin")]]
                if None in numbers:
                    return None
                found.append((axis, end, numbers[0], numbers[1] if kind == "robin" else None))
        return found

    def _number(self, axis, end, alpha):
        """Returns the value of a face if all its cells have the same, or None."""
        key = (axis, end, alpha)
        if key not in self._numbers:
            values = self._face_values(axis, end, alpha)
            self._numbers[key] = float(values.flat[0]) if np.ptp(values) == 0 else None
        return self._numbers[key]

    def face_data(self, data):
        """Returns fixed data that the faces of a problem in cells need: κ behind them, their values and alphas."""
        if self.geometry["centering"] == "node":
            return {}
        fixed = {}
        with self.solver._lock:
            for face, kind in self.geometry["faces"].items():
                if kind not in ("dirichlet", "robin"):
                    continue
                axis, end = "xyz".index(face[0]), int(face[1] == "+")
                if f"boundary.{face}" not in data:
                    fixed[face] = self._face_values(axis, end, False)
                if kind == "robin" and f"boundary.{face}.alpha" not in data:
                    fixed[f"{face}.alpha"] = self._face_values(axis, end, True)
                if not any(name.startswith("coefficient") for name in data):
                    fixed[f"kappa.{face}"] = self._kappa_behind(axis, end)
        return fixed


def _log(line):
    from ._solver import _log as log

    log.warning("%s", line)
