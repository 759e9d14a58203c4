#pragma once

#include <array>
#include <functional>
#include <vector>

namespace poisson {

using Place3 = std::array<double, 3>;

/// Maps the fraction of the arc length, from 0 to 1, to a place on a curve.
using Curve = std::function<Place3(double)>;

/// Returns the straight line between two places.
Curve straight(const Place3& from, const Place3& to);
/// Returns the arc of a circle through three places. Throws std::invalid_argument if they lie on a line.
Curve arc_through(const Place3& from, const Place3& via, const Place3& to);
/// Returns a smooth curve through places: a centripetal Catmull–Rom spline (Yuksel, Schaefer and Keyser,
/// Computer-Aided Design 43, 2011, 747) in which parabolas define the slopes at both ends. Throws
/// std::invalid_argument for repeated places.
Curve spline_through(const std::vector<Place3>& places);

/// Returns the parabola through the ends and the middle of an edge of second order.
Curve parabola_through(const Place3& from, const Place3& middle, const Place3& to);

/// Maps a place to the nearest one on a surface.
using Surface = std::function<Place3(const Place3&)>;

/// Returns the surface of an infinite cylinder around an axis, or of a sphere around a centre. A place on the axis or
/// at the centre stays where it is.
Surface cylinder_surface(const Place3& centre, const Place3& axis, double radius);
Surface sphere_surface(const Place3& centre, double radius);

}  // namespace poisson
