"""Solves for poisson.torch and poisson.jax: u for given data, and A⁻¹ for given right-hand sides.

A is symmetric, so a gradient is one more solve. With λ = A⁻¹ ∂J/∂u, the derivative with respect to a datum p is
λᵀ ∂(b − A u)/∂p, which the framework computes from _residual.Residual. For singular problems A⁻¹ is the pseudoinverse
for solutions and data without a mean, which is symmetric as well.
"""

import numpy as np

from . import _arrays, _core
from ._residual import Residual, check_supported
from ._solver import Solver


def of(problem):
    """Returns the Differentiable of a Solver, or of a Problem with its default solver."""
    if isinstance(problem, Differentiable):
        return problem
    if not hasattr(problem, "_differentiable"):
        solver = problem if isinstance(problem, Solver) else problem.solver()
        problem._differentiable = Differentiable(solver)
    return problem._differentiable


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
    for face, value in (data.get("boundary") or {}).items():
        if isinstance(value, dict):
            (kind, value), *more = value.items() if set(value) & {"dirichlet", "neumann", "robin"} else [(None, value)]
            if more:
                raise ValueError(f"boundary.{face}: several conditions; give one")
        parts = value if isinstance(value, dict) else {"value": value}
        for part, datum in parts.items():
            if part not in ("value", "alpha"):
                raise ValueError(f"boundary.{face}: unknown key '{part}'; give value, or alpha and value of a Robin face")
            flat[f"boundary.{face}" + (".alpha" if part == "alpha" else "")] = datum
    return flat


class Differentiable:
    """Keeps the levels of a solver and the data that they belong to."""

    def __init__(self, solver):
        self.solver = solver
        self.geometry = solver.geometry
        self._set = {}
        self.mask = Residual(self.geometry, None, np.asarray).mask

    def check(self, data):
        """Raises NotImplementedError or ValueError as _residual.check_supported."""
        check_supported(self.geometry, data)

    def residual(self, cat, constant):
        return Residual(self.geometry, cat, constant)

    def _host(self, data):
        return {name: _arrays.to_host(value, name)[0] for name, value in data.items()}

    def _update(self, data):
        """Gives the compiled solver those data that differ from its present ones."""
        changed = {name: value for name, value in data.items()
                   if name not in self._set or not np.array_equal(self._set[name], value)}
        if not changed:
            return
        for name in changed:
            self._set.pop(name, None)
        if any(name.startswith("coefficient.") for name in changed):
            changed.update((name, value) for name, value in data.items() if name.startswith("coefficient."))
        session = self.solver._session
        session.update({name: value.item() if value.ndim == 0 else np.ascontiguousarray(value)
                        for name, value in changed.items()})
        self._set.update((name, value.copy()) for name, value in changed.items())

    def solve(self, data):
        """Returns u without repeated nodes for data by their names, as fp64. Raises NotConverged as Solver.solve."""
        data = self._host(data)
        with self.solver._lock:
            self._update(data)
            self._check_singular(data)
            self.solver._state += 1
            course = self.solver._session.solve(None, _log)
            self._require(course, "the solve")
            return self._core(self.solver._session.values("u"))

    def adjoint(self, data, g):
        """Returns A⁻¹ g for the operator of the data; g and the result are like u, zero at Dirichlet nodes."""
        data = self._host(data)
        g = np.where(self.mask > 0, _arrays.to_host(g, "gradient")[0], 0.0)
        if not np.isfinite(g).all():
            raise _core.SolverError("the gradient of the loss with respect to u is not finite; check the loss")
        with self.solver._lock:
            self._update({name: value for name, value in data.items()
                          if name.startswith(("coefficient", "reaction")) or name.endswith(".alpha")})
            self.solver._state += 1
            course = self.solver._session.solve_rhs(np.ascontiguousarray(self._expanded(g)))
            self._require(course, "the adjoint solve")
            return np.where(self.mask > 0, self._core(self.solver._session.values("u")), 0.0)

    def _check_singular(self, data):
        if self.solver._session.singular and "reaction" in data:
            raise _core.SolverError("the problem is singular (no Dirichlet face, no reaction), so u jumps where the "
                                    "reaction begins and has no derivative there: leave out the reaction, or make it "
                                    "positive")

    @staticmethod
    def _require(course, what):
        if not course["converged"]:
            raise _core.SolverError(f"{what} did not converge: {course['reason']}")

    def _core(self, values):
        return np.ascontiguousarray(values[tuple(slice(0, n) for n in self.mask.shape)])

    def _expanded(self, values):
        for a, n in enumerate(reversed(self.solver._session.shape[: values.ndim])):
            if values.shape[a] < n:
                values = np.concatenate([values, np.take(values, [0], axis=a)], axis=a)
        return values

    def face_data(self, data):
        """Returns fixed data that the faces of a problem in cells need: κ behind them, their values and alphas."""
        if self.geometry["centering"] == "node":
            return {}
        d = self.geometry["dimension"]
        fixed = {}
        with self.solver._lock:
            session = self.solver._session
            kappa = None
            for face, kind in self.geometry["faces"].items():
                if kind not in ("dirichlet", "robin"):
                    continue
                axis, end = "xyz".index(face[0]), int(face[1] == "+")
                shape = [n for a, n in enumerate(self.mask.shape) if a != d - 1 - axis]
                if f"boundary.{face}" not in data:
                    fixed[face] = np.reshape(session.face_values(axis, end, False), shape)
                if kind == "robin" and f"boundary.{face}.alpha" not in data:
                    fixed[f"{face}.alpha"] = np.reshape(session.face_values(axis, end, True), shape)
                if not any(name.startswith("coefficient") for name in data):
                    kappa = session.values("coefficient") if kappa is None else kappa
                    own = kappa if kappa.ndim == d else kappa[..., axis]
                    fixed[f"kappa.{face}"] = np.take(own, -end, axis=d - 1 - axis)
        return fixed


def _log(line):
    from ._solver import _log as log

    log.warning("%s", line)
