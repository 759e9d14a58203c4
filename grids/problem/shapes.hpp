#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "grids/problem/quantity.hpp"

namespace poisson {

using Point = std::array<double, 3>;

/// Is a straight line origin + t · direction, of which only lower ≤ t ≤ upper matters. `step` is the resolution at
/// which shapes without a formula look for their surface.
struct Ray {
  Point origin{}, direction{};
  double lower = 0, upper = 1, step = 1;

  Point at(double t) const {
    return {origin[0] + t * direction[0], origin[1] + t * direction[1], origin[2] + t * direction[2]};
  }
};

/// Lists the intervals of t in which a ray is inside a shape: sorted, disjoint and not empty.
using Spans = std::vector<std::pair<double, double>>;

/// Is a box that contains a shape; infinite where the shape is, or where nothing better is known.
struct Bounds {
  static constexpr double far = std::numeric_limits<double>::infinity();
  Point lower{-far, -far, -far}, upper{far, far, far};

  bool empty() const { return lower[0] > upper[0] || lower[1] > upper[1] || lower[2] > upper[2]; }
  /// Returns whether a ray may meet the box.
  bool meets(const Ray& ray) const;
  /// Returns whether another box has a point in common with the box.
  bool meets(const Bounds& other) const;
};

/// Describes copies of a shape in rows along the axes, which have no point in common.
struct Copies {
  std::array<int, 3> count{1, 1, 1};
  Point step{};
  Bounds first;  ///< contains the copy with the shift 0
};

struct Motion;

/// Is a region of space. In two dimensions all points have z = 0. It answers two questions, without distances: whether
/// a point is inside, and where a line crosses its surface. Several threads may ask concurrently.
class Shape {
 public:
  virtual ~Shape() = default;
  virtual bool contains(const Point& p) const = 0;
  /// Replaces `inside` by the spans of a ray, clipped to its range.
  virtual void cut(const Ray& ray, Spans& inside) const = 0;
  virtual Bounds bounds() const = 0;
  /// Sets inside[i] to 1 if the shape contains the point of a ray at t[i], else to 0. t increases. Shapes that find a
  /// whole line faster than its points implement it.
  virtual void contains_along(const Ray& ray, std::span<const double> t, std::span<char> inside) const;
  /// Returns the image under a motion, or null if make_moved maps points and rays instead.
  virtual std::shared_ptr<const Shape> moved(const Motion& motion) const;
  /// Builds the tables that questions need, with all threads.
  virtual void prepare() const {}
  /// Adds the places within a box where the shape, or one that it consists of, ends along an axis. Surfaces that are
  /// planes across the axis lie at such places.
  virtual void add_ends(std::size_t axis, const Bounds& within, std::vector<double>& ends) const;
  /// Returns the copies of which the shape consists, or none: it is no repeated shape, or boxes of copies meet.
  virtual std::optional<Copies> copies() const { return {}; }
};
using ShapePtr = std::shared_ptr<const Shape>;

/// Is a linear map x → M (x − from) + to.
struct Motion {
  std::array<Point, 3> rows{Point{1, 0, 0}, Point{0, 1, 0}, Point{0, 0, 1}};
  Point from{}, to{};

  /// Returns the rotation by an angle in radians about the axis through `about`.
  static Motion rotation(const Point& axis, double angle, const Point& about);
  static Motion scaling(const Point& factors, const Point& about);
  static Motion translation(const Point& by);
};

// These functions make shapes. Lengths are positive and finite; callers check them. Boxes and layers contain their
// lower faces, not their upper ones. Infinite lengths are allowed where noted.
ShapePtr make_box(const Point& lower, const Point& upper);         ///< may be infinite
ShapePtr make_ellipsoid(const Point& centre, const Point& radii);  ///< radii may be infinite
/// Makes a ball; in the plane a disk.
inline ShapePtr make_sphere(const Point& centre, double radius) {
  return make_ellipsoid(centre, {radius, radius, radius});
}
/// Makes the layer lower ≤ coordinate < upper of an axis; bounds may be infinite.
inline ShapePtr make_layer(std::size_t axis, double lower, double upper) {
  Point first{-Bounds::far, -Bounds::far, -Bounds::far}, last{Bounds::far, Bounds::far, Bounds::far};
  first[axis] = lower;
  last[axis] = upper;
  return make_box(first, last);
}
/// Makes a cylinder between the centres of its ends.
ShapePtr make_cylinder(const Point& from, const Point& to, double radius);
/// Makes a truncated cone between the centres of its ends. Radii are not negative, and one of them is positive.
ShapePtr make_cone(const Point& from, const Point& to, double radius_from, double radius_to);
/// Makes the torus around an axis through `centre`: a ring of radius `ring` of a tube of radius `tube`.
ShapePtr make_torus(const Point& centre, const Point& axis, double ring, double tube);
/// Makes the solid that a polygon of points (distance from the axis ≥ 0, coordinate along the axis) sweeps around the
/// axis through the origin. Its sides do not cross.
ShapePtr make_revolved(std::vector<std::array<double, 2>> points, const Point& axis);
/// Makes the prism over a polygon in the plane of x and y, whose sides do not cross; z may be infinite.
ShapePtr make_prism(std::vector<std::array<double, 2>> points, double lower, double upper);
/// Makes the shape where a function is not 0. Its surface is found on rays at the resolution of their step.
ShapePtr make_where(Quantity::Function function);
ShapePtr make_union(std::vector<ShapePtr> shapes);
ShapePtr make_intersection(std::vector<ShapePtr> shapes);
/// Makes the first shape without the others.
ShapePtr make_difference(std::vector<ShapePtr> shapes);
/// Makes the image of a shape under a motion, which must be invertible.
ShapePtr make_moved(ShapePtr shape, const Motion& motion);
/// Makes copies of a shape, shifted by multiples 0 … count − 1 of each step.
ShapePtr make_repeated(ShapePtr shape, const std::array<int, 3>& count, const Point& step);

}  // namespace poisson
