#pragma once

#include <span>
#include <string>
#include <vector>

#include "backends/cuda/runtime_compiler.hpp"
#include "backends/shared_library.hpp"

namespace poisson::cuda {

/// NVIDIA's run-time compiler, found where the dynamic loader looks and in the toolkit's folder. Its header is not
/// needed: the few functions have had one signature since CUDA 11.
class Nvrtc {
 public:
  /// Throws NoRuntimeCode where there is no such library. $POISSON_NVRTC names it where it lies elsewhere.
  Nvrtc();

  std::string version() const;
  /// The machine code. Throws NoRuntimeCode with the first error where the source is refused.
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
