#pragma once

#include <cstddef>

#include "backends/backend.hpp"

namespace poisson {

/// Bytes per second, read and written, of the fastest copy that the backend has between two arrays of so many bytes in
/// its memory: what kernels are measured against. The median of many. Where the arrays fit into a cache it is the
/// cache's. Overwrites `to`; takes no memory. Throws InputError for no bytes.
double copy_bandwidth(Backend& backend, const void* from, void* to, std::size_t bytes);
/// The same in memory that it allocates and fills, and gives back. Throws RunError where it cannot be had.
double copy_bandwidth(Backend& backend, std::size_t bytes);

}  // namespace poisson
