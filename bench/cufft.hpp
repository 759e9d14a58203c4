#pragma once

#include <vector>

#include "backends/device/backend.hpp"
#include "bench/sizes.hpp"

namespace poisson::bench {

/// Times `repeat` pairs of cuFFT's transforms in fp64, real to complex and back, on a box of `size` values. Returns the
/// seconds of each pair. Throws RunError if cuFFT is missing, or if a pair does not return its input times the number
/// of values. $POISSON_CUFFT names the library if it is in an unusual place.
std::vector<double> cufft_pairs(Backend& backend, const Size& size, int repeat);

}  // namespace poisson::bench
