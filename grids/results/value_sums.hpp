#pragma once

#include <array>
#include <limits>

namespace poisson {

/// Contains sums of values of one process, weighted by volumes or areas, and the extrema with their places. Of equal
/// extrema the first one counts.
struct ValueSums {
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  double size = 0, integral = 0, min = infinite, max = -infinite;
  std::array<double, 3> min_at{}, max_at{};

  /// Adds a value with its weight. `place()` returns its place.
  template <class Place>
  void add(double u, double weight, const Place& place) {
    size += weight;
    integral += weight * u;
    if (u < min) min = u, min_at = place();
    if (u > max) max = u, max_at = place();
  }
  void join(const ValueSums& o) {
    size += o.size;
    integral += o.integral;
    if (o.min < min) min = o.min, min_at = o.min_at;
    if (o.max > max) max = o.max, max_at = o.max_at;
  }
};

}  // namespace poisson
