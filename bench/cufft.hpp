#pragma once

#include <vector>

#include "backends/device/backend.hpp"
#include "bench/sizes.hpp"

namespace poisson::bench {

/// Seconds of each of `repeat` pairs of cuFFT's transforms, real to complex and back, in fp64 over a box of so many
/// values. Throws RunError where there is no cuFFT, or where a pair does not give what it took times their number.
/// $POISSON_CUFFT names the library where it lies elsewhere.
std::vector<double> cufft_pairs(Backend& backend, const Size& size, int repeat);

}  // namespace poisson::bench
