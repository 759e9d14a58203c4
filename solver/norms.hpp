#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "backends/device/monitor.hpp"
#include "backends/memory/precision.hpp"
#include "backends/spaces/space.hpp"

namespace poisson {

/// Number of values that a device copies to the host in about the time of an iteration.
constexpr std::int64_t largest_read = std::int64_t{1} << 18;

inline double unit_roundoff(Precision precision) {
  return precision == Precision::fp32 ? std::numeric_limits<float>::epsilon() / 2.0
                                      : std::numeric_limits<double>::epsilon() / 2.0;
}

/// Returns √(norm/reference) of squared norms, or 0 if there is nothing to solve.
inline double relative(double norm, const MonitorState& state) {
  return state.reference > 0 ? std::sqrt(norm / state.reference) : 0;
}

/// Returns the fraction of ‖b‖² that rounding leaves when the projection removes all data. The bound counts thirty
/// roundings of the data and the roundings of their sum along each axis, which are alike for equal data.
inline double left_by_projection(const Space& space, double epsilon) {
  const auto& n = space.part().all();
  const double of_sum = (n[0] + n[1] + n[2]) * unit_roundoff(Precision::fp64);
  return (30 * epsilon + of_sum) * (30 * epsilon + of_sum);
}

}  // namespace poisson
