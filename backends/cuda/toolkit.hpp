#pragma once

#include "backends/shared_library.hpp"

namespace poisson::cuda {

/// A library of the CUDA toolkit, such as "nvrtc": of the release that this program was built with before others, from
/// where the loader finds it, the toolkit of the build or the usual folders.
SharedLibrary toolkit_library(const char* variable, const std::string& name);

}  // namespace poisson::cuda
