#pragma once

#include <source_location>

#include <cuda_runtime.h>

namespace poisson::cuda {

/// Throws RunError: what CUDA says, which function of this program called it, and what to try.
[[noreturn]] void fail(cudaError_t status, const std::source_location& where);

inline void check(cudaError_t status, const std::source_location& where = std::source_location::current()) {
  if (status != cudaSuccess) fail(status, where);
}

/// Every kernel launch is followed by this: throws where it was refused.
void launched(cudaStream_t stream, const std::source_location& where = std::source_location::current());

/// Whether every device can take a kernel before the one ahead of it has ended (compute capability 9.0).
bool launches_early();

}  // namespace poisson::cuda
