#pragma once

#include <span>

namespace poisson::lab {

/// Contains the start and stop of a block by the clock of its multiprocessor.
struct BlockTime {
  long long start = 0, stop = 0;
  unsigned multiprocessor = 0;
};

/// Returns results per clock of one multiprocessor, for blocks of `results` each. The rate of a multiprocessor is all
/// its results over the clocks from its first start to its last stop. The function returns the median rate.
double results_per_clock(std::span<const BlockTime> blocks, double results);

}  // namespace poisson::lab
