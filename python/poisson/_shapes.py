"""Shapes of bodies, with the keys of configuration files."""

import os

import numpy as np

from . import _arrays
from ._core import ConfigurationError


class Shape:
    """Is a shape of a body. Operators make unions (|), intersections (&) and differences (-).

    Methods return new shapes. The program reads and checks the numbers; lengths have the unit of the domain.
    """

    def __init__(self, tree):
        self._tree = tree

    def tree(self):
        """Returns the shape as a dictionary with the keys of `bodies`."""
        return dict(self._tree)

    def scale(self, factor):
        """Returns the shape scaled about the origin by a positive factor, or by one for each axis."""
        return self._with("scale", factor, ("rotate", "move", "repeat"))

    def rotate(self, angle, axis=None, about=None):
        """Returns the shape rotated by `angle` degrees, counterclockwise, about an axis through the point `about`."""
        value = {"angle": angle, "axis": axis, "about": about}
        return self._with("rotate", {k: v for k, v in value.items() if v is not None}, ("move", "repeat"))

    def move(self, *step):
        """Returns the shape moved by a step: move(x, y, z) or move([x, y, z])."""
        return self._with("move", step[0] if len(step) == 1 else list(step), ("repeat",))

    def repeat(self, count, step):
        """Returns copies along each axis as one shape: `count` copies at distances of `step`."""
        return self._with("repeat", {"count": count, "step": step}, ())

    def _with(self, key, value, later):
        # The program applies scale, rotate, move and repeat in this order; a union of one shape keeps any other order.
        if any(name in self._tree for name in (key, *later)):
            return Shape({"union": [self.tree()], key: value})
        return Shape({**self._tree, key: value})

    def __or__(self, other):
        return _combined("union", self, other)

    def __and__(self, other):
        return _combined("intersection", self, other)

    def __sub__(self, other):
        return _combined("difference", self, other)

    def __repr__(self):
        return f"<poisson.Shape {self._tree}>"


def _combined(kind, *shapes):
    for shape in shapes:
        if not isinstance(shape, Shape):
            raise ConfigurationError(f"{kind}: expected shapes, found {_arrays.shown(shape)}; give shapes such as "
                                     "poisson.Sphere")
    return Shape({kind: [shape.tree() for shape in shapes]})


def Box(lower, upper):
    """Returns a box between two corners."""
    return Shape({"box": {"lower": lower, "upper": upper}})


def Sphere(center, radius):
    """Returns a sphere, in the plane a disk."""
    return Shape({"sphere": {"center": center, "radius": radius}})


def Cylinder(start, end, radius):
    """Returns a cylinder between the centres of its ends."""
    return Shape({"cylinder": {"from": start, "to": end, "radius": radius}})


def Cone(start, end, radii):
    """Returns a cone between the centres of its ends: radii at both ends, or one at `start` with the tip at `end`."""
    return Shape({"cone": {"from": start, "to": end, "radii": _list(radii)}})


def Torus(center, radii, axis=None):
    """Returns a ring of two radii: to the middle of its tube, and of the tube. `axis` is "x", "y", "z" or a direction.

    Without `axis` it is z; in the plane the ring is an annulus.
    """
    return Shape({"torus": {"center": center, "radii": radii, **({} if axis is None else {"axis": axis})}})


def Revolve(points, axis=None):
    """Returns a polygon of corners [distance from the axis, coordinate along it], turned around an axis through 0.

    `axis` is "x", "y", "z" or a direction; z without it.
    """
    return Shape({"revolve": {"points": points, **({} if axis is None else {"axis": axis})}})


def Mesh(source, triangles=None, *, scale=None):
    """Returns the body inside triangles.

    Args:
        source: the path of an STL, OBJ or PLY file, relative to the working directory; or vertices, shape [n, 3].
        triangles: shape [m, 3]: three vertices each, counted from 0, counterclockwise seen from outside.
        scale: a factor from the unit of the drawing to that of the domain, such as 1e-3, or one for each axis.

    A generalized winding number above 1/2 is inside (Jacobson et al., ACM Trans. Graph. 32, 2013). Holes are closed, and
    flipped and duplicate triangles are corrected; the problem then warns. Raises ConfigurationError if the arrays have
    other shapes; Problem raises it for a file that cannot be read.
    """
    if triangles is None:
        if not isinstance(source, (str, os.PathLike)):
            raise ConfigurationError(f"Mesh: expected a path, or vertices and triangles, found {_arrays.shown(source)}; "
                                     "give for example Mesh('fin.stl') or Mesh(vertices, triangles)")
        value = os.fspath(source)
    else:
        value = {"vertices": _rows(source, "vertices"), "triangles": _rows(triangles, "triangles")}
    shape = Shape({"mesh": value})
    return shape if scale is None else shape.scale(scale)


def _list(value):
    """Returns a number as a list of one number."""
    return value if isinstance(value, (list, tuple)) or _arrays.is_array(value) else [value]


def _rows(value, name):
    """Returns an array of doubles with three columns on the host."""
    if _arrays.package(value):
        value = _arrays.to_host(value, f"Mesh: {name}")[0]
    try:
        rows = np.ascontiguousarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise ConfigurationError(f"Mesh: {name}: expected an array of the shape [n, 3], found "
                                 f"{_arrays.shown(value)}") from error
    if rows.ndim != 2 or rows.shape[1] != 3 or rows.shape[0] == 0:
        raise ConfigurationError(f"Mesh: {name}: has the shape {list(rows.shape)}; give an array of the shape [n, 3]")
    return rows


def Ellipsoid(center, radii):
    """Returns an ellipsoid with half axes along x, y and z, in the plane an ellipse."""
    return Shape({"ellipsoid": {"center": center, "radii": radii}})


def Polygon(points, extrude=None):
    """Returns a polygon of corners [x, y], extruded between two coordinates z, or along all z."""
    value = {"points": points}
    return Shape({"polygon": value if extrude is None else {**value, "extrude": extrude}})


def Layer(axis, lower=None, upper=None):
    """Returns all places between two coordinates of an axis; None is no bound."""
    bounds = {"from": lower, "to": upper}
    return Shape({"layer": {"axis": axis, **{k: v for k, v in bounds.items() if v is not None}}})


def Where(expression):
    """Returns all places where an expression is not 0."""
    return Shape({"where": expression})


def Body(material, shape, name=None):
    """Returns an entry of `bodies`: a shape of a named material. Raises ConfigurationError if `shape` is no shape."""
    if not isinstance(shape, Shape):
        raise ConfigurationError(f"body of {_arrays.shown(material)}: expected a shape, found {_arrays.shown(shape)}; "
                                 "give a shape such as poisson.Sphere([0, 0, 0], 1)")
    tree = {"material": material, **shape.tree()}
    return tree if name is None else {**tree, "name": name}
