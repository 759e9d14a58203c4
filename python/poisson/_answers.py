"""Answers of a problem: values of bodies and faces, effective coefficients, and matrices of conductors."""

import html

import numpy as np

_AXES = "xyz"


class Table(dict):
    """Maps names to the answers for a body, a material or a face, which are dictionaries. Notebooks show it as a table.
    """

    _COLUMNS = ("material", "condition", "cells", "volume", "area", "power", "flow", "through_faces", "mean", "min", "max")

    def __init__(self, rows):
        super().__init__()
        for row in rows:
            values = {key: tuple(v) if isinstance(v, list) else v for key, v in row.items() if key != "name"}
            self[row["name"]] = values

    def _repr_html_(self):
        columns = [c for c in self._COLUMNS if any(c in row for row in self.values())]
        rows = [["", *columns], *([name, *(row[c] for c in columns)] for name, row in self.items())]
        return _table(rows)


class Effective:
    """Is the effective coefficient of a material.

    Attributes:
        tensor: [d, d] in the order x, y, z: entry (j, a) is the mean flux along j over the mean gradient along a; NaN
            for axes that were not solved or did not converge, 0 for axes along which nothing percolates.
        tortuosity: [d], the mean coefficient over its effective one: τ = ε D/D_eff for one conducting material.
        porosity: the share of the volume that conducts.
        percolates: [d], whether conducting cells connect both faces of an axis.
        axes, failed: the axes that were requested, and those whose solve did not converge, such as "xz".
        faces: "fixed" or "periodic".
        iterations: of all solves.
        result: the Result of the solve along the first axis, or None.
    """

    def __init__(self, found, result=None):
        self.tensor = np.array(found["tensor"])
        self.tortuosity = np.array(found["tortuosity"])
        self.porosity = found["porosity"]
        self.percolates = np.array(found["percolates"], dtype=bool)
        self.axes = "".join(_AXES[a] for a in found["axes"])
        self.failed = "".join(_AXES[a] for a in found["failed"])
        self.faces = "periodic" if found["periodic"] else "fixed"
        self.iterations = found["iterations"] + (result.iterations if result else 0)
        self.result = result

    @property
    def converged(self):
        """Whether each solve converged."""
        return not self.failed

    @property
    def reason(self):
        """Why the solves ended."""
        return f"no convergence along {', '.join(self.failed)}" if self.failed else "the tolerance is reached"

    def __repr__(self):
        diagonal = ", ".join(f"{a}: {self.tensor[i, i]:.6g}" for i, a in enumerate(_AXES) if a in self.axes)
        return f"<poisson.Effective {diagonal}; porosity {self.porosity:.6g}>"

    def _repr_html_(self):
        d = len(self.tensor)
        rows = [["", *(f"gradient along {a}" for a in _AXES[:d]), "τ", "percolates"]]
        for j in range(d):
            known = _AXES[j] in self.axes
            rows.append([f"flux along {_AXES[j]}", *self.tensor[j], self.tortuosity[j],
                         ("yes" if self.percolates[j] else "no") if known else ""])
        return _table(rows) + f"<p>porosity {self.porosity:.6g}</p>"


class Capacitance:
    """Is the matrix of conductors.

    Attributes:
        names: the conductors.
        matrix: [k, k]; entry (i, j) is the flow out of conductor i if j is at 1 and all other data are 0.
        to_ground: [k], the sums of the rows: the capacitances to ground.
        spice: a SPICE subcircuit with a capacitor between each pair of conductors and to ground.
        csv: the matrix as a table of comma-separated values, with the capacitances to ground in the last column.
    """

    def __init__(self, found):
        self.names = tuple(found["names"])
        self.matrix = np.array(found["matrix"])
        self.to_ground = self.matrix.sum(axis=1)
        self.spice = found["spice"]
        self.csv = found["csv"]

    def __getitem__(self, names):
        """Returns the entry of a pair of names: C["a", "b"]."""
        row, column = (self.names.index(name) for name in names)
        return float(self.matrix[row, column])

    def __repr__(self):
        return f"<poisson.Capacitance {', '.join(self.names)}>"

    def _repr_html_(self):
        rows = [["", *self.names, "ground"]]
        return _table(rows + [[name, *self.matrix[i], self.to_ground[i]] for i, name in enumerate(self.names)])


def _cell(value):
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.6g}"
    return html.escape(str(value))


def _table(rows):
    """Returns rows, the first one of titles, as HTML."""
    parts = ["".join(f"<{tag}>{_cell(v)}</{tag}>" for v in row)
             for tag, row in zip(["th"] + ["td"] * (len(rows) - 1), rows)]
    return "<table>" + "".join(f"<tr>{part}</tr>" for part in parts) + "</table>"
