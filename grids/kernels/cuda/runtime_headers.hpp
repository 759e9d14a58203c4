#pragma once

#include <span>

#include "backends/cuda/runtime_compiler.hpp"

namespace poisson::cuda {

/// The headers that code compiled at run time may include: those of this project that are free of the standard library
/// (grids/CMakeLists.txt lists them), as they were when the program was built.
std::span<const RuntimeHeader> runtime_headers();

}  // namespace poisson::cuda
