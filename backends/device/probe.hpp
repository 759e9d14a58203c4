#pragma once

#include <cstddef>

#include "backends/device/backend.hpp"

namespace poisson {

/// Measures the backend's fastest copy between two arrays of `bytes` bytes in its memory. Returns the bytes read and
/// written per second, the median of many copies. Kernels are compared with this bandwidth. Arrays that fit into a
/// cache give the bandwidth of the cache. Overwrites `to` and allocates nothing. Throws InputError if `bytes` is 0.
double copy_bandwidth(Backend& backend, const void* from, void* to, std::size_t bytes);
/// Measures the same in memory that the function allocates, fills and frees. Throws RunError if the memory is not
/// available.
double copy_bandwidth(Backend& backend, std::size_t bytes);

}  // namespace poisson
