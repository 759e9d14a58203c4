"""Results of solves."""

import numpy as np

from . import _arrays
from ._answers import Effective, Table
from ._core import SolverError


class StaleResult(SolverError):
    """Reports that a result was asked for fluxes after its solver had changed."""


class Result:
    """Is the result of a solve. u exists at once; fluxes and balance are computed when they are first read.

    Attributes:
        u: the solution, [nz, ny, nx] or [ny, nx], in the package and the precision of the source. NaN in insulators and
            in cells without contact to a fixed value.
        converged: whether the residual and the estimated error are small enough.
        iterations: the iterations of the solve.
        residual: ‖b − Au‖ relative to the data.
        estimated_error: ‖u − A⁻¹b‖/‖u‖.
        history: relative residuals, the start first.
        reason: why the iteration ended.
        seconds: of the iteration; data_seconds: of the right-hand side before it.
        steps: one line for each fallback.
        copies: copies of arrays that the data of this solve needed: into the solver, and into another layout or memory.
    """

    def __init__(self, solver, u, course, copies):
        self._solver = solver
        self._state = solver._state
        self._seen = None
        self.u = u
        self.copies = copies
        self.converged = course["converged"]
        self.iterations = course["iterations"]
        self.residual = course["residual"]
        self.estimated_error = course["estimated_error"]
        self.history = course["history"]
        self.reason = course["reason"]
        self.seconds = course["seconds"]
        self.data_seconds = course["data_seconds"]
        self.steps = course["steps"]

    def _require_current(self, what):
        if self._solver._state != self._state:
            raise StaleResult(f"{what} is not available any more, because the solver has new data or has solved again; "
                              f"read result.{what} before that")

    def _observed(self):
        if self._seen is None:
            self._require_current("balance")
            self._seen = self._solver._session.observe()
        return self._seen

    @property
    def flows(self):
        """∫ κ ∂u/∂n over each face of the box, by the names of the faces; positive into the box."""
        return self._observed()["flows"]

    @property
    def balance(self):
        """Source, reaction, residual and projected part of the conservation law, and the residual's relative size."""
        return {key: self._observed()[key] for key in ("source", "reaction", "residual", "projected", "relative")}

    @property
    def probes(self):
        """The values at output.probes: pairs of a point and u."""
        return self._observed()["probes"]

    @property
    def errors(self):
        """The largest and the L2 error against `exact`, or None without an exact solution."""
        return self._observed().get("error")

    @property
    def bodies(self):
        """Answers for each body, each value of an image and the background, by name: cells, volume, power, flow,
        through_faces, mean, min, max, min_at, max_at. Empty without materials."""
        return Table(self._observed()["bodies"])

    @property
    def materials(self):
        """Answers for each material, as `bodies`."""
        return Table(self._observed()["materials"])

    @property
    def faces(self):
        """Answers for each face and each part of a face with several conditions, "x-" and "x-[0]": condition, cells, area,
        flow, mean, min, max and places. Empty for unknowns at nodes."""
        return Table(self._observed()["faces"])

    @property
    def floating(self):
        """Number and volume of the cells without contact to a fixed value; u is NaN there."""
        return self._observed()["floating"]

    @property
    def effective(self):
        """The Effective coefficient of a problem with effective=…; solves along the other axes at the first access."""
        self._require_current("effective")
        return Effective(self._solver._answer("effective"), self)

    @property
    def capacitance(self):
        """The Capacitance matrix of a problem with capacitance=…; one solve for each conductor at the first access."""
        self._require_current("capacitance")
        return self._solver._capacitance()

    def field(self, name):
        """Returns an output field as a numpy array: u, gradient, residual, error, coefficient, source, flux, material, or
        face_flux_x and so on.

        Components are the last axis. Raises ConfigurationError for other names.
        """
        self._require_current("field()")
        return self._solver._field(name)

    @property
    def flux(self):
        """κ ∇u in the centre of each cell, [d, cells of z, y, x] with the components x, y, z first."""
        self._require_current("flux")
        geometry = self._solver.geometry
        if geometry["centering"] == "node":
            self._solver._require_one_process("the flux of a problem at nodes")
        kappa = self._solver._field("coefficient")
        if geometry["centering"] == "cell":
            gradient = np.moveaxis(self._solver._field("gradient"), -1, 0)
        else:
            gradient = _gradient_of_cells(self._solver._field("u"), geometry["nodes"])
        d = geometry["dimension"]
        if kappa.ndim == d:
            return gradient * kappa
        if kappa.shape[-1] == d:
            return gradient * np.moveaxis(kappa, -1, 0)
        return _tensor_product(kappa, gradient)

    def save(self, folder):
        """Writes the files of the program, with summary.json, into a folder. Returns the summary as JSON text."""
        self._require_current("save()")
        return self._solver._session.save(_arrays.path(folder, "folder"))

    def __repr__(self):
        state = "converged" if self.converged else "not converged"
        return (f"<poisson.Result {state} in {self.iterations} iterations, residual {self.residual:.2e}, "
                f"{self.seconds:.3g} s>")

    def _repr_html_(self):
        from . import _picture

        return _picture.html(self)


class NotConverged(SolverError):
    """Reports that a solve ended before its tolerance. `result` is the result with the best iterate."""

    def __init__(self, result):
        super().__init__(f"the solve did not converge in {result.iterations} iterations: {result.reason}; "
                         "solve(check=False) returns the result without this error")
        self.result = result


def _gradient_of_cells(u, nodes):
    """Returns the gradient of the multilinear interpolant in the centres of cells, x first."""
    d = u.ndim
    parts = []
    for axis in range(d):
        along = d - 1 - axis
        widths = np.diff(nodes[axis]).reshape([-1 if a == along else 1 for a in range(d)])
        part = np.diff(u, axis=along) / widths
        for other in range(d):
            if other != along:
                part = 0.5 * (_upper(part, other) + _lower(part, other))
        parts.append(part)
    return np.stack(parts)


def _lower(values, axis):
    return values[tuple(slice(None, -1) if a == axis else slice(None) for a in range(values.ndim))]


def _upper(values, axis):
    return values[tuple(slice(1, None) if a == axis else slice(None) for a in range(values.ndim))]


def _tensor_product(kappa, gradient):
    """Multiplies the gradient by a full tensor, whose components are xx, yy, (zz,) xy(, xz, yz)."""
    d = gradient.shape[0]
    pairs = {2: {(0, 1): 2}, 3: {(0, 1): 3, (0, 2): 4, (1, 2): 5}}[d]
    flux = np.empty_like(gradient)
    for i in range(d):
        flux[i] = sum(kappa[..., i if i == j else pairs[min(i, j), max(i, j)]] * gradient[j] for j in range(d))
    return flux


def as_given(values, model):
    """Returns the solution in the package of the array `model`, or as a numpy array without one."""
    return values if model is None else _arrays.like(values, model)
