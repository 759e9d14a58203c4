"""Solvers: the levels of a problem, which are kept between solves."""

import logging
import threading

import numpy as np

from . import _arrays, _core, _lifetime
from ._answers import Capacitance
from ._core import ConfigurationError
from ._libraries import name_libraries
from ._result import NotConverged, Result, as_given

_log = logging.getLogger("poisson")


class Solver:
    """Solves a problem repeatedly on one device. New data keep the levels where they can.

    Setting `source` or a value of `boundary` keeps everything. A new `coefficient` or `reaction` makes the levels again
    in the same memory. Several threads may use different solvers at the same time; calls of one solver are serialized.
    """

    def __init__(self, problem, config, narrow, model, allocator=None, like=None):
        _lifetime.require()
        self._lock = threading.RLock()
        self._config = config
        self._narrow = narrow
        self._model = model
        self._stream = None  # of the call in progress, if it names one
        self._state = 0
        self._changed = False
        self._differentiable = None
        self._data = {}  # κ and σ that replaced those of the problem
        self._allocator = allocator
        self._changes = {}  # the data other than sources that replaced those of the problem
        self._others = []  # solvers of the same data, for several right-hand sides at once
        for array in problem._there:
            _arrays.synchronize(array.owner)
        if _core.cuda:
            name_libraries()
        self._session = _core.Session(config, allocator, like and like._session)
        self._device = self._session.device_number
        self._processes = self._session.processes
        _lifetime.register(self)
        self._copies = problem._copies + sum(array.device != self._device for array in problem._there)
        self.geometry = config.geometry
        self._shape = self.shape
        self.problem = problem
        given = problem._given_source()
        if given is not None:
            self._session.lend_source(given)
        for doubt in self._session.doubts:
            _log.warning("%s", doubt)

    @property
    def info(self):
        """Method and its reason, unknowns, levels, bytes and device; `changed`: new data changed automatic choices."""
        with self._lock:
            return {**self._session.info, "changed": self._changed}

    @property
    def shape(self):
        """The shape of u."""
        return tuple(reversed(self._session.shape[: self.geometry["dimension"]]))

    @property
    def block(self):
        """The values that this process owns, as slices of the global u: one for each axis of u.

        Processes that mpirun starts share one grid. Arrays that a solver gets and returns then are those of the block,
        and each call is made by all processes.
        """
        return self._slices(False)

    @property
    def cells(self):
        """The cells of this process's block, as slices of the global grid: those of κ. Equals `block` for values in
        cells."""
        return self._slices(True)

    def _slices(self, cells):
        if self.geometry["matrix"]:
            return tuple(slice(0, n) for n in self.shape)
        first, last = self._session.block_of(cells)
        d = self.geometry["dimension"]
        return tuple(slice(first[a], last[a]) for a in reversed(range(d)))

    def _require_one_process(self, what):
        if self._processes > 1:
            raise NotImplementedError(f"{what} works in one process only: start Python without mpirun")

    @property
    def solution(self):
        """The present iterate: the last solution, also of an interrupted solve. A copy."""
        with self._lock:
            return self._values()

    def _values(self):
        made = self._new_values()
        if made:
            self._wait_for(made[2])  # the memory may have been used by it
            self._session.write_solution(made[1])
            self._session.hold(self._stream if self._stream is not None else made[2])
            return made[0]
        return as_given(self._session.values("u", self._narrow), self._model)

    def _new_values(self):
        """Returns an array for u in memory of the solver's device, its DeviceArray and its stream, or None."""
        if self._device < 0 or self._model is None or not _arrays.is_on_device(self._model):
            return None
        return _arrays.empty_on_device(self._model, self._shape, self._narrow, self._device)

    def _wait_for(self, stream):
        """Makes the solver's stream wait for the work of a stream, or of the one that the call names."""
        stream = self._stream if self._stream is not None else stream
        if stream is not None:
            self._session.wait_for(stream)

    def _field(self, name):
        with self._lock:
            try:
                values = self._session.values(name if isinstance(name, str) and name.isascii() else "")
            except IndexError:
                raise ConfigurationError(f"unknown field {_arrays.shown(name)}; choose from u, gradient, residual, error, "
                                         "coefficient, source, flux, material, face_flux_x, face_flux_y, face_flux_z") from None
        if self._processes > 1 and self.geometry["centering"] == "node" and name != "coefficient":
            values = values[tuple(slice(0, n) for n in self.shape)]  # without the first nodes of the next process
        return values

    def _answer(self, name):
        with self._lock:
            return getattr(self._session, name)()

    def _capacitance(self):
        return Capacitance(self._answer("capacitance"))

    def _host(self, value, name):
        """Returns a value for the compiled session and remembers its copies."""
        if _arrays.is_array(value):
            found = self._on_device(value, name)
            if found and not name.startswith("boundary"):
                return found
            host, copies = _arrays.to_host(value, name)
            self._copies += copies + 1
            return host
        if _arrays.package(value):
            value = _arrays.to_host(value, name)[0].item()
        return _arrays.number_or_text(value, name)

    def _on_device(self, value, name, later=None):
        """Returns an array in memory of the solver's device, or None. The solver's stream waits for the one that writes
        it, unless that is `later`, for which the solve waits."""
        found = _arrays.on_device(value, name) if self._device >= 0 else None
        if not found or found[0].device != self._device:
            return None
        there, stream, copies = found
        if stream != later:
            self._wait_for(stream)
        self._copies += copies
        return there

    def _together(self, prepare):
        """Returns prepare(). If this fails on one process, it fails on all, because the others would wait."""
        if self._processes == 1:
            return prepare()
        failure = None
        try:
            value = prepare()
        except Exception as error:
            failure = error
        if self._session.any(failure is not None):
            raise failure or _core.SolverError("another process has failed")
        return value

    def _given_data(self, source, coefficient, reaction, boundary):
        """Returns new data for the compiled session, by their names."""
        changes = {}
        if source is not None:
            changes["source"] = self._host(source, "source")
            self._model = source if _arrays.is_array(source) else self._model
        self._check_components(coefficient)
        if isinstance(coefficient, dict):
            for axis in sorted(coefficient):
                changes[f"coefficient.{axis}"] = self._host(coefficient[axis], f"coefficient.{axis}")
        elif coefficient is not None:
            changes["coefficient"] = self._host(coefficient, "coefficient")
        if reaction is not None:
            changes["reaction"] = self._host(reaction, "reaction")
        for face, value in _arrays.mapping(boundary, "boundary", "{'x-': 1.0}").items():
            self._check_face(face)
            changes[f"boundary.{face}"] = self._host(value, f"boundary.{face}")
        return changes

    def update(self, *, source=None, coefficient=None, reaction=None, boundary=None):
        """Replaces several data at once. Values are as in Problem; `boundary` maps faces to values of their datum.

        Raises ConfigurationError for invalid data. A coefficient or reaction with invalid values leaves the solver
        unusable until another one is set.
        """
        with self._lock:
            changes = self._together(lambda: self._given_data(source, coefficient, reaction, boundary))
            self._remember(coefficient, reaction, boundary)
            self._state += 1
            if self._differentiable:
                self._differentiable.forget(changes)
            lent = changes.get("source")
            if isinstance(lent, np.ndarray) and self._session.lend_source(lent):
                self._copies -= 1  # it is read where it is
                del changes["source"]
            differs = self._session.update(changes) if changes else False
            if coefficient is not None or reaction is not None:
                self._data.update((k, v) for k, v in changes.items() if k.startswith(("coefficient", "reaction")))
                self._changed = differs
                if differs:
                    _log.info("new data changed automatic choices: %s", self._session.info["description"])

    def _remember(self, coefficient, reaction, boundary):
        """Keeps data for further solvers, which are made when they are needed."""
        if coefficient is None and reaction is None and not boundary:
            return
        self._others = []
        if coefficient is not None:
            self._changes["coefficient"] = coefficient
        if reaction is not None:
            self._changes["reaction"] = reaction
        self._changes["boundary"] = {**self._changes.get("boundary", {}), **(boundary or {})}

    def _check_components(self, coefficient):
        isotropic = self.geometry["isotropic"]
        if coefficient is None or isotropic != isinstance(coefficient, dict):
            axes = "xyz"[: self.geometry["dimension"]]
            if not isinstance(coefficient, dict) or set(coefficient) == set(axes):
                return
            raise ConfigurationError(f"coefficient: the keys are {list(coefficient)}; give {list(axes)}")
        wanted = "one value or array" if isotropic else "a dictionary with the keys x, y, z"
        raise ConfigurationError(f"coefficient: this solver was made for {wanted}; give that, or make another Problem")

    def _check_face(self, face):
        kinds = self.geometry["faces"]
        if not isinstance(face, str) or face not in kinds:
            raise ConfigurationError(f"boundary: there is no face {_arrays.shown(face)}; choose from {', '.join(kinds)}")
        if kinds[face] == "periodic":
            raise ConfigurationError(f"boundary.{face}: a periodic face has no value; make another Problem")
        if face in self.geometry["mixed"]:
            raise ConfigurationError(f"boundary.{face}: a face with several conditions keeps its values; make another "
                                     "Problem")

    source = property(fset=lambda self, value: self.update(source=value), doc="f; write only.")
    coefficient = property(fset=lambda self, value: self.update(coefficient=value), doc="κ; write only.")
    reaction = property(fset=lambda self, value: self.update(reaction=value), doc="σ; write only.")

    @property
    def boundary(self):
        """Values of the faces; write only: solver.boundary["x-"] = 3.0 sets g, q or the right-hand side of Robin."""
        return _Faces(self)

    def solve(self, source=None, *, guess=None, check=True, stream=None):
        """Solves and returns a Result.

        Args:
            source: a new f, or several ones with one more axis in front, F[k, nz, ny, nx]; then u has that axis, too,
                and the other values of the result are lists.
            guess: a starting guess like u, such as an earlier solution.
            check: raise NotConverged if the tolerance was not reached.
            stream: the stream of torch or cupy, or its address, that writes the data and reads u; by default the current
                one of the package of the arrays.

        Ctrl-C ends the solve; `solution` then is its iterate.
        """
        with self._lock:
            self._stream = None if stream is None else _arrays.stream_pointer(stream)
            try:
                if source is not None:
                    if _arrays.is_array(source) and len(_arrays.shape_of(source)) == self.geometry["dimension"] + 1:
                        from . import _several

                        return _several.solve_all(self, source, guess, check)
                    self.update(source=source)
                result = self._solve_once(guess)
            finally:
                self._stream = None
        return checked(result, check)

    def _solve_once(self, guess):
        made = self._new_values()
        later = made[2] if made else None
        start = None if guess is None else self._together(lambda: self._guess(guess, later))
        self._state += 1
        if made:
            u, to, stream = made
            if self._stream is not None:
                stream = self._stream
            course = self._session.solve(start, _log.warning, to, stream)
        else:
            if self._device >= 0 and self._model is not None:
                self._wait_for(_arrays.current_stream(self._model))
            course = self._session.solve(start, _log.warning)
            u = as_given(self._session.values("u", self._narrow), self._model)
        copies, self._copies = self._copies, 0
        return Result(self, u, course, copies)

    def _guess(self, guess, later):
        found = _arrays.shape_of(guess) if _arrays.package(guess) else ()
        if found != self._shape:
            raise ConfigurationError(f"guess: expected an array of the shape {self.shape}, found "
                                     f"{found or _arrays.shown(guess)}")
        there = self._on_device(guess, "guess", later)
        if there:
            return there
        host, copies = _arrays.to_host(guess, "guess")
        if host.shape != self.shape:
            raise ConfigurationError(f"guess: expected an array of the shape {self.shape}, found {host.shape}")
        self._copies += copies
        return host

    def aslinearoperator(self):
        """Returns A as a SciPy LinearOperator on the values where `problem.unknowns` is true."""
        from . import _operators

        self._require_one_process("aslinearoperator()")
        return _operators.linear_operator(self)

    def aspreconditioner(self, cycles=1):
        """Returns symmetric multigrid cycles as a SciPy LinearOperator, for scipy.sparse.linalg.cg and others."""
        from . import _operators

        self._require_one_process("aspreconditioner()")
        return _operators.preconditioner(self, cycles)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.free()

    def free(self):
        """Releases the levels; the solver cannot be used afterwards."""
        with self._lock:
            for other in self._others:
                other.free()
            self._others = []
            self._session = _lifetime.Gone("the solver was freed; make another one with problem.solver()")

    def __repr__(self):
        info = self.info
        return f"<poisson.Solver {info['description']}, {info['unknowns']} unknowns, {info['device']}>"


class _Faces:
    def __init__(self, solver):
        self._solver = solver

    def __setitem__(self, face, value):
        self._solver.update(boundary={face: value})


def checked(result, check):
    """Returns a result. Raises NotConverged if it did not converge and `check` is true."""
    if not result.converged:
        if check and not result._solver.geometry["tolerance"] == 0:
            raise NotConverged(result)
        _log.warning("%s", result.reason)
    return result
