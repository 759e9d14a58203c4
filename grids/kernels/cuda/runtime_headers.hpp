#pragma once

#include <span>

#include "backends/cuda/runtime_compiler.hpp"

namespace poisson::cuda {

/// Returns the headers that code compiled at run time may include, as they were when the program was built. They are
/// the headers of this project that do not use the standard library (grids/CMakeLists.txt lists them).
std::span<const RuntimeHeader> runtime_headers();

}  // namespace poisson::cuda
