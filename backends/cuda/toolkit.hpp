#pragma once

#include "backends/memory/shared_library.hpp"

namespace poisson::cuda {

/// Loads a library of the CUDA toolkit, such as "nvrtc". The release that this program was built with is tried before
/// others. Each is searched in the paths of the loader, the toolkit of the build, and the usual folders. If the
/// environment variable `variable` is set, it names the library instead.
SharedLibrary toolkit_library(const char* variable, const std::string& name);

}  // namespace poisson::cuda
