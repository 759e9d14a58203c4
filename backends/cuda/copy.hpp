#pragma once

#include <cstddef>

#include "backends/backend.hpp"

namespace poisson::cuda {

/// to = from on the backend's stream, 16 bytes per thread where both are aligned to it, else one by one.
void copy_by_kernel(Backend& backend, const void* from, void* to, std::size_t bytes);
/// The driver's copy from device to device, on the backend's stream.
void copy_by_driver(Backend& backend, const void* from, void* to, std::size_t bytes);

}  // namespace poisson::cuda
