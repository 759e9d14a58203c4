#include <cuda_runtime.h>

#include "backends/cuda/check.cuh"
#include "lab/harness/device_memory.hpp"

namespace poisson::lab::gpu {
namespace {

using cuda::check;

// Returns 0 if the driver does not know the attribute of this device.
int attribute(cudaDeviceAttr what, int device) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, what, device) == cudaSuccess) return value;
  cudaGetLastError();  // clears the error
  return 0;
}

}  // namespace

DeviceMemory device_memory() {
  int device = 0;
  check(cudaGetDevice(&device));
  DeviceMemory memory;
  std::size_t total = 0;
  check(cudaMemGetInfo(&memory.free, &total));
  const double kilohertz = attribute(cudaDevAttrMemoryClockRate, device);
  const double bits = attribute(cudaDevAttrGlobalMemoryBusWidth, device);
  memory.bandwidth = 2 * 1e3 * kilohertz * bits / 8;
  memory.cache = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize, device));
  return memory;
}

}  // namespace poisson::lab::gpu
