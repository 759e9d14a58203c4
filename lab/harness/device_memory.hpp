#pragma once

#include <cstddef>

#include "backends/device/backend.hpp"

namespace poisson::lab {

/// Contains memory properties of a device; 0 if the device does not report one.
struct DeviceMemory {
  std::size_t free = 0;   ///< bytes
  double bandwidth = 0;   ///< is clock × bus width × 2, for both edges of the clock (bytes per second)
  std::size_t cache = 0;  ///< bytes of the cache that all multiprocessors share
};

DeviceMemory device_memory(const Backend& backend);

namespace gpu {
/// Returns the properties of the current device. Exists in builds with CUDA only.
DeviceMemory device_memory();
}  // namespace gpu

}  // namespace poisson::lab
