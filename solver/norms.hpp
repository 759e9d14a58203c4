#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "backends/monitor.hpp"
#include "backends/precision.hpp"

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

}  // namespace poisson
