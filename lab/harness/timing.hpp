#pragma once

namespace poisson::lab {

/// Contains the seconds of one call: the median of several batches, and the half-width of their middle half.
struct Timing {
  double median = 0;
  double spread = 0;  ///< relative to the median

  constexpr Timing(double seconds = 0, double relative_spread = 0) : median(seconds), spread(relative_spread) {}
  constexpr operator double() const { return median; }
};

}  // namespace poisson::lab
