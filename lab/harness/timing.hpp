#pragma once

namespace poisson::lab {

/// Seconds of one call: the median of several batches, and how far their middle half reaches to either side of it.
struct Timing {
  double median = 0;
  double spread = 0;  ///< as a share of the median

  constexpr Timing(double seconds = 0, double relative_spread = 0) : median(seconds), spread(relative_spread) {}
  constexpr operator double() const { return median; }
};

}  // namespace poisson::lab
