#pragma once

#include <source_location>

#include <cuda_runtime.h>

namespace poisson::cuda {

/// Throws RunError with CUDA's message, the calling function of this program, and advice.
[[noreturn]] void fail(cudaError_t status, const std::source_location& where);

inline void check(cudaError_t status, const std::source_location& where = std::source_location::current()) {
  if (status != cudaSuccess) fail(status, where);
}

/// Checks the preceding kernel launch; every launch needs this call. Throws RunError if the launch was refused.
void launched(cudaStream_t stream, const std::source_location& where = std::source_location::current());

/// Returns whether every device can start a kernel before the preceding one has ended (compute capability 9.0).
bool launches_early();

}  // namespace poisson::cuda
