#pragma once

#include <source_location>
#include <string>

#include <cuda_runtime.h>

#include "backends/error.hpp"

namespace poisson::cuda {

/// Throws RunError where a CUDA call failed, with the call's place in the source.
inline void check(cudaError_t status, const std::source_location& where = std::source_location::current()) {
  if (status == cudaSuccess) return;
  throw RunError(std::string("CUDA: ") + cudaGetErrorString(status) + " (" + where.file_name() + ":" +
                 std::to_string(where.line()) + ")");
}

}  // namespace poisson::cuda
