#pragma once

#include <cstddef>

#include "backends/device/backend.hpp"

namespace poisson::cuda {

/// Copies on the backend's stream by a kernel, which moves 16 bytes per thread if both addresses are aligned to 16
/// bytes, else one byte.
void copy_by_kernel(Backend& backend, const void* from, void* to, std::size_t bytes);
/// Copies on the backend's stream by the driver, from device to device.
void copy_by_driver(Backend& backend, const void* from, void* to, std::size_t bytes);

}  // namespace poisson::cuda
