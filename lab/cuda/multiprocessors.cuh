#pragma once

#include "backends/cuda/check.cuh"

namespace poisson::lab {

/// Of the current device.
inline int multiprocessors() {
  int device = 0, count = 0;
  cuda::check(cudaGetDevice(&device));
  cuda::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

}  // namespace poisson::lab
