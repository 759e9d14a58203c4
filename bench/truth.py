"""Computes solutions in extended precision, and the statistics that bench/robustness and bench/stress share."""

import math

import h5py
import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as direct

from random_problems import REAL


class Truth:
    """Computes u in extended precision; `certain` is set if the last steps were negligible.

    With `refined`, also measures the residual that a refined solution in 64 bits reaches. `labels` assigns each value
    to a group; functions that are constant on each group are solved for in extended precision.
    """

    def __init__(self, system, refined=True, labels=None):
        self.system = system
        self.groups = Groups(system, labels) if labels is not None else None
        start = self.start()
        self.reference = max(system.norm(np.where(system.unknown, system.b, 0)), system.norm(system.residual(start)))
        self.reached, self.factors = math.inf, None
        if system.singular and self.reference <= 1e-13 * system.raw:  # only rounding of such data remains
            self.u, self.step, self.reached, self.certain, self.reference = start, 0.0, 0.0, True, 0.0
            return
        if refined:
            self.refine(start)
        # The truth is computed with the factors of a matrix that is definite up to rounding.
        self.u, self.step = start, math.inf
        for shift in (1e-14, 1e-12):
            try:
                self.factors = self.factorize(shift)
            except RuntimeError:
                continue
            self.u, self.step = self.conjugate(start)
            if self.step < 1e-12:
                break
        self.certain = self.step < 1e-11
        self.reached = min(self.reached, self.relative(self.u.astype(float).astype(REAL))) if self.certain else self.reached

    def start(self):
        return np.where(self.system.given, self.system.value, REAL(0))

    def factorize(self, shift):
        s = self.system
        at = np.cumsum(s.unknown) - 1
        n = int(s.unknown.sum())
        root = np.sqrt(s.diagonal)
        inner = s.unknown[s.i] & s.unknown[s.j]
        off = (-s.c / (root[s.i] * root[s.j]))[inner].astype(float)
        one = np.full(n, 1 + shift)
        if s.singular and shift == 0:
            one[0] = 2
        matrix = sparse.csc_matrix((np.concatenate([off, one]), (np.concatenate([at[s.i[inner]], np.arange(n)]),
                                                                  np.concatenate([at[s.j[inner]], np.arange(n)]))), (n, n))
        return direct.splu(matrix, "MMD_AT_PLUS_A", diag_pivot_thresh=0, options={"SymmetricMode": True})

    def apply(self, factors, r):
        s = self.system
        size = float(np.max(np.abs(r))) or 1.0
        root = np.sqrt(s.diagonal)
        scaled = (r / REAL(size) / root)[s.unknown].astype(float)
        z = np.zeros(s.size, REAL)
        z[s.unknown] = factors.solve(scaled) * REAL(size)
        return self.centred(np.where(s.unknown, z / root, 0))

    def refine(self, start):
        try:
            factors = self.factorize(0)
            u = start.copy()
            for _ in range(4):
                u = (u + self.apply(factors, self.system.residual(u))).astype(float).astype(REAL)
                if not np.all(np.isfinite(u)):
                    break
                self.reached = min(self.reached, self.relative(u))
        except RuntimeError:
            pass

    def doubt(self):
        """Returns the relative distance between u and a second solution, whose start is wrong in smooth modes."""
        if self.reference == 0:
            return 0.0
        if self.factors is None or not np.all(np.isfinite(self.u)):
            return math.inf
        s = self.system
        noise = np.where(s.unknown, np.random.default_rng(1).standard_normal(s.size), 0) * s.diagonal
        e = self.deflated(noise) if self.groups else self.apply(self.factors, noise)
        other, _ = self.conjugate(self.u + e * (self.length(self.u) / (self.length(e) or 1)))
        return self.length(other - self.u) / (self.length(self.u) or 1)

    def floor(self):
        """Returns the relative change of u if each term of A u and b is rounded to 64 bits."""
        if self.factors is None:
            return 0.0
        s = self.system
        size = np.abs(s.b) + np.abs(s.own * self.u) + s.sums(np.abs(s.c * (self.u[s.i] - self.u[s.j])))
        noise = np.where(s.unknown, size * np.random.default_rng(2).uniform(-1, 1, s.size) * REAL(2) ** -53, 0)
        change = self.deflated(noise) if self.groups else self.apply(self.factors, noise)
        return self.length(change) / (self.length(self.u) or 1)

    @staticmethod
    def length(u):
        return float(np.sqrt(np.sum(u * u)))

    def centred(self, u):
        s = self.system
        return np.where(s.unknown, u - (s.mass * u).sum() / s.mass.sum(), u) if s.singular else u

    def relative(self, u):
        return self.system.norm(self.system.residual(u)) / self.reference if self.reference > 0 else 0.0

    def deflated(self, r):
        """Solves on the groups, applies the factors to the remaining residual, and solves on the groups again."""
        s = self.system
        if s.singular:
            r = np.where(s.unknown, r - s.mass * (r.sum() / s.mass.sum()), 0)
        first = self.groups.solve(r)
        z = first + self.apply(self.factors, np.where(s.unknown, r - s.multiply(first), 0))
        return self.centred(z + self.groups.solve(np.where(s.unknown, r - s.multiply(z), 0)))

    def conjugate(self, start):
        s = self.system
        u, p, q, pq, small, step = start.copy(), None, None, None, 0, math.inf
        r = s.residual(u)
        for _ in range(80):
            z = self.deflated(r) if self.groups else self.apply(self.factors, r)
            if p is not None and pq > 0:
                z = z - (np.dot(z, q) / pq) * p
            p = z
            q = np.where(s.unknown, s.multiply(p), 0)
            pq = np.dot(p, q)
            if not pq > 0:
                step = 0.0 if not np.any(r) else step
                break
            alpha = np.dot(r, p) / pq
            u = self.centred(u + alpha * p)
            r = s.residual(u)
            size = self.length(u)
            step = float(abs(alpha) * np.sqrt(np.sum(p * p))) / size if size > 0 else 0.0
            small = small + 1 if step < 1e-14 else 0
            if small == 3 or not np.isfinite(step):
                break
        return u, step if np.isfinite(step) else math.inf


class Groups:
    """Solves for functions that are constant on groups of unknowns, in extended precision.

    Groups are eliminated one by one in couplings and row sums, which avoids cancellation (Grassmann, Taksar, Heyman
    1985).
    """

    def __init__(self, system, labels):
        s = system
        self.labels = np.where(s.unknown, labels, -1)
        used = np.unique(self.labels[s.unknown])
        self.labels = np.where(s.unknown, np.searchsorted(used, self.labels), -1)
        n = len(used)
        self.inside = s.unknown
        own, c = np.zeros(n, REAL), np.zeros((n, n), REAL)
        np.add.at(own, self.labels[s.unknown], s.own[s.unknown])
        i, j = self.labels[s.i], self.labels[s.j]
        tied = s.unknown[s.i] & ~s.unknown[s.j]
        np.add.at(own, i[tied], s.c[tied])
        apart = (i >= 0) & (j >= 0) & (i != j)
        np.add.at(c, (i[apart], j[apart]), s.c[apart])
        self.lower = np.zeros((n, n), REAL)
        self.pivot = np.zeros(n, REAL)
        for k in range(n):
            rest = slice(k + 1, n)
            self.pivot[k] = own[k] + c[k, rest].sum()
            if not self.pivot[k] > 0:  # last pivot of a singular system
                self.pivot[k] = np.inf
            part = c[rest, k] / self.pivot[k]
            self.lower[rest, k] = part
            own[rest] += part * own[k]
            c[rest, rest] += np.outer(part, c[k, rest])
        self.count = n

    def solve(self, r):
        x = np.zeros(self.count, REAL)
        np.add.at(x, self.labels[self.inside], r[self.inside])
        for k in range(self.count):
            x[k + 1:] += self.lower[k + 1:, k] * x[k]
        x /= self.pivot
        for k in range(self.count - 1, -1, -1):
            x[k] += np.dot(self.lower[k + 1:, k], x[k + 1:])
        return np.where(self.inside, x[self.labels], 0)


def relative_error(u, truth, weight):
    size = float(np.sqrt(np.sum(weight * truth * truth)))
    return float(np.sqrt(np.sum(weight * (u - truth) ** 2))) / size if size > 0 else float(np.max(np.abs(u)))


def read_u(directory):
    file = next(path for path in (directory / "results").iterdir() if path.suffix in (".h5", ".hdf"))
    with h5py.File(file) as data:
        return np.array(data["u"] if "u" in data else data["VTKHDF/PointData/u"])


def share(part, whole):
    return len(part) / len(whole) if whole else None


def percentile(values, at):
    return float(np.percentile(values, at, method="inverted_cdf")) if len(values) else None
