#pragma once

#include <span>
#include <string>
#include <vector>

#include "backends/cuda/runtime_compiler.hpp"
#include "backends/memory/shared_library.hpp"

namespace poisson::cuda {

/// Compiles by NVRTC, NVIDIA's run-time compiler, which is searched in the paths of the dynamic loader and in the
/// toolkit's folder. Its header is not needed: these functions have had the same signatures since CUDA 11.
class Nvrtc {
 public:
  /// Throws NoRuntimeCode if the library is missing. $POISSON_NVRTC may give its path.
  Nvrtc();

  std::string version() const;
  /// Returns the machine code. If the source is refused, throws NoRuntimeCode with the first error.
  std::string compile(const std::string& source, std::span<const RuntimeHeader> headers,
                      const std::vector<std::string>& options) const;

 private:
  using Program = void*;
  template <class F>
  void find(F*& function, const char* name) const;

  SharedLibrary library_;
  int (*version_)(int*, int*) = nullptr;
  const char* (*error_text_)(int) = nullptr;
  int (*create_)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*destroy_)(Program*) = nullptr;
  int (*compile_)(Program, int, const char* const*) = nullptr;
  int (*log_size_)(Program, std::size_t*) = nullptr;
  int (*log_)(Program, char*) = nullptr;
  int (*code_size_)(Program, std::size_t*) = nullptr;
  int (*code_)(Program, char*) = nullptr;
};

}  // namespace poisson::cuda
