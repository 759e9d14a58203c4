#pragma once

#include <cstddef>

#include "backends/backend.hpp"

namespace poisson::lab {

/// Memory properties of a device; 0 if the device does not report one.
struct DeviceMemory {
  std::size_t free = 0;   ///< bytes
  double bandwidth = 0;   ///< theoretical bytes per second: clock × bus width × 2 (both clock edges)
  std::size_t cache = 0;  ///< bytes of the cache that all multiprocessors share
};

DeviceMemory device_memory(const Backend& backend);

namespace gpu {
/// Returns the properties of the current device. Defined in builds with CUDA.
DeviceMemory device_memory();
}  // namespace gpu

}  // namespace poisson::lab
