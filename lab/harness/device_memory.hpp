#pragma once

#include <cstddef>

#include "backends/backend.hpp"

namespace poisson::lab {

/// What a device says of its memory; 0 where it says nothing.
struct DeviceMemory {
  std::size_t free = 0;   ///< bytes
  double bandwidth = 0;   ///< bytes per second in theory: clock × bus width × 2, for both edges of the clock
  std::size_t cache = 0;  ///< bytes of the cache that all multiprocessors share
};

DeviceMemory device_memory(const Backend& backend);

namespace gpu {
/// Of the current device. Defined in builds with CUDA.
DeviceMemory device_memory();
}  // namespace gpu

}  // namespace poisson::lab
