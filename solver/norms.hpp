#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "backends/device/monitor.hpp"
#include "backends/memory/precision.hpp"
#include "backends/spaces/space.hpp"

namespace poisson {

/// Values that a device hands to the host in about the time of an iteration.
constexpr std::int64_t largest_read = std::int64_t{1} << 18;

inline double unit_roundoff(Precision precision) {
  return precision == Precision::fp32 ? std::numeric_limits<float>::epsilon() / 2.0
                                      : std::numeric_limits<double>::epsilon() / 2.0;
}

/// √(norm/reference) of squared norms; 0 where there is nothing to solve.
inline double relative(double norm, const MonitorState& state) {
  return state.reference > 0 ? std::sqrt(norm / state.reference) : 0;
}

/// Of ‖b‖², how much rounding leaves of data that are all taken off: thirty roundings of the data, and those of their
/// sum along each axis, where those of equal data are alike.
inline double left_by_projection(const Space& space, double epsilon) {
  const auto& n = space.all();
  const double of_sum = (n[0] + n[1] + n[2]) * unit_roundoff(Precision::fp64);
  return (30 * epsilon + of_sum) * (30 * epsilon + of_sum);
}

}  // namespace poisson
