#include "backends/cuda/toolkit.hpp"

#include <cstdlib>

#include <cuda_runtime_api.h>

namespace poisson::cuda {

SharedLibrary toolkit_library(const char* variable, const std::string& name) {
  const std::string file = "lib" + name + ".so.";
  // The release that this program was built with comes first, because the driver accepts its code.
  std::vector<std::string> files{file + std::to_string(CUDART_VERSION / 1000)};
  for (const char* release : {"13", "12"})
    if (files.front() != file + release) files.push_back(file + release);
  std::vector<std::string> folders{""};
#ifdef POISSON_CUDA_LIBRARY_DIR
  folders.emplace_back(POISSON_CUDA_LIBRARY_DIR "/");
#endif
  for (const char* root : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(root)) folders.push_back(std::string(folder) + "/lib64/");
  folders.emplace_back("/usr/local/cuda/lib64/");
  std::vector<std::string> all;
  for (const std::string& one : files)
    for (const std::string& folder : folders) all.push_back(folder + one);
  return {variable, all};
}

}  // namespace poisson::cuda
