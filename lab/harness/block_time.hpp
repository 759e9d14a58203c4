#pragma once

#include <span>

namespace poisson::lab {

/// When a block of threads ran, by the clock of its multiprocessor.
struct BlockTime {
  long long start = 0, stop = 0;
  unsigned multiprocessor = 0;
};

/// Results per clock of one multiprocessor, blocks of `results` each: on every multiprocessor all its results over the
/// clocks from its first start to its last stop; the median of all multiprocessors.
double results_per_clock(std::span<const BlockTime> blocks, double results);

}  // namespace poisson::lab
