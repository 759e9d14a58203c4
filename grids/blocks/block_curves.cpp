#include "grids/blocks/block_curves.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace poisson {
namespace {

Place3 combined(double a, const Place3& x, double b, const Place3& y) {
  return {a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]};
}
double product(const Place3& x, const Place3& y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}
double length(const Place3& x) {
  return std::sqrt(product(x, x));
}
Place3 cross(const Place3& x, const Place3& y) {
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}

// Evaluates the spline between places 1 and 2 of four, at knots t (Barry and Goldman's recursion).
Place3 catmull_rom(const std::array<Place3, 4>& p, const std::array<double, 4>& t, double at) {
  const auto mix = [&](const Place3& x, const Place3& y, double low, double high) {
    return combined((high - at) / (high - low), x, (at - low) / (high - low), y);
  };
  const Place3 a = mix(p[0], p[1], t[0], t[1]), b = mix(p[1], p[2], t[1], t[2]), c = mix(p[2], p[3], t[2], t[3]);
  return mix(mix(a, b, t[0], t[2]), mix(b, c, t[1], t[3]), t[1], t[2]);
}

// Reparametrizes a curve on [0, 1] by its arc length, from a table of chords.
Curve by_length(const Curve& curve, int steps) {
  std::vector<double> reached{0};
  Place3 last = curve(0);
  for (int s = 1; s <= steps; ++s) {
    const Place3 next = curve(static_cast<double>(s) / steps);
    reached.push_back(reached.back() + length(combined(1, next, -1, last)));
    last = next;
  }
  return [=](double fraction) {
    if (fraction <= 0 || fraction >= 1) return curve(std::clamp(fraction, 0.0, 1.0));
    const double wanted = fraction * reached.back();
    const auto above = std::ranges::upper_bound(reached, wanted);
    const auto s = static_cast<double>(above - reached.begin() - 1);
    const double low = *(above - 1), high = *above;
    return curve((s + (wanted - low) / (high - low)) / steps);
  };
}

}  // namespace

Curve straight(const Place3& from, const Place3& to) {
  return [=](double t) { return combined(1 - t, from, t, to); };
}

Curve arc_through(const Place3& from, const Place3& via, const Place3& to) {
  const Place3 a = combined(1, via, -1, from), b = combined(1, to, -1, from), normal = cross(a, b);
  const double square = product(normal, normal);
  if (!(square > 1e-24 * product(a, a) * product(b, b)))
    throw std::invalid_argument("the three places of an arc lie on a line");
  const Place3 to_centre = combined(product(a, a) / (2 * square), cross(b, normal), product(b, b) / (2 * square),
                                    cross(normal, a)),
               centre = combined(1, from, 1, to_centre), x = combined(-1, to_centre, 0, from);
  const Place3 y = combined(1 / std::sqrt(square), cross(normal, x), 0, x);  // of length `radius`
  const auto angle = [&](const Place3& at) {
    const Place3 r = combined(1, at, -1, centre);
    const double phi = std::atan2(product(r, y), product(r, x));
    return phi < 0 ? phi + 2 * std::numbers::pi : phi;
  };
  double end = angle(to);
  if (angle(via) > end) end -= 2 * std::numbers::pi;
  return [=](double t) {
    if (t <= 0) return from;
    if (t >= 1) return to;
    return combined(1, centre, 1, combined(std::cos(end * t), x, std::sin(end * t), y));
  };
}

Curve spline_through(const std::vector<Place3>& places) {
  const std::size_t n = places.size();
  if (n == 2) return straight(places[0], places[1]);
  std::vector<Place3> p;
  // A place beyond each end lies on the parabola over lengths of chords, one chord before it.
  const auto beyond = [](const Place3& a, const Place3& b, const Place3& c) {
    const double one = length(combined(1, b, -1, a)), two = length(combined(1, c, -1, b)), both = one + two;
    if (!std::isfinite(both)) throw std::invalid_argument("two places of a spline are too far apart");
    if (!(one > 0 && two > 0)) throw std::invalid_argument("two places of a spline coincide");
    return combined(1, combined(2 * (one + both) / both, a, -(one + both) / two, b), 2 * one * one / (both * two), c);
  };
  p.push_back(beyond(places[0], places[1], places[2]));
  p.insert(p.end(), places.begin(), places.end());
  p.push_back(beyond(places[n - 1], places[n - 2], places[n - 3]));
  std::vector<double> knots{0};
  for (std::size_t i = 1; i < p.size(); ++i) {
    const double chord = length(combined(1, p[i], -1, p[i - 1]));
    if (!(chord > 0)) throw std::invalid_argument("two places of a spline coincide");
    knots.push_back(knots.back() + std::sqrt(chord));
  }
  const Curve curve = [p, knots, n, first = places.front(), last = places.back()](double t) {
    if (t <= 0) return first;
    if (t >= 1) return last;
    const double place = t * static_cast<double>(n - 1);
    const auto s = std::min(static_cast<std::size_t>(place), n - 2);
    const double at = knots[s + 1] + (place - static_cast<double>(s)) * (knots[s + 2] - knots[s + 1]);
    return catmull_rom({p[s], p[s + 1], p[s + 2], p[s + 3]}, {knots[s], knots[s + 1], knots[s + 2], knots[s + 3]}, at);
  };
  return by_length(curve, 256 * static_cast<int>(n - 1));
}

Curve parabola_through(const Place3& from, const Place3& middle, const Place3& to) {
  return by_length(
      [=](double t) {
        if (t <= 0) return from;
        if (t >= 1) return to;
        return combined(1, combined((1 - t) * (1 - 2 * t), from, 4 * t * (1 - t), middle), t * (2 * t - 1), to);
      },
      256);
}

Surface cylinder_surface(const Place3& centre, const Place3& axis, double radius) {
  const Place3 along = combined(1 / length(axis), axis, 0, axis);
  return [=](const Place3& at) {
    const Place3 from_centre = combined(1, at, -1, centre);
    const double height = product(from_centre, along);
    const Place3 across = combined(1, from_centre, -height, along);
    const double r = length(across);
    if (!(r > 0)) return at;
    return combined(1, combined(1, centre, height, along), radius / r, across);
  };
}

Surface sphere_surface(const Place3& centre, double radius) {
  return [=](const Place3& at) {
    const Place3 from_centre = combined(1, at, -1, centre);
    const double r = length(from_centre);
    return r > 0 ? combined(1, centre, radius / r, from_centre) : at;
  };
}

}  // namespace poisson
