#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/memory/error.hpp"

namespace poisson::cuda {

/// Is a header that code compiled at run time may include: its name in #include, and its text.
struct RuntimeHeader {
  const char* name;
  const char* text;
};

/// Reports that there is no code: this machine has no compiler, or the compiler refused the source. The result can be
/// computed in another way. what() returns the reason.
struct NoRuntimeCode : RunError {
  using RunError::RunError;
};

/// Compiles CUDA C++ for one architecture while the program runs, by NVIDIA's NVRTC. The library is loaded on first
/// use, so that the program starts without it.
///
/// Compiled code is stored in files named by content. Their folder is $POISSON_CACHE (if empty: none), else
/// $XDG_CACHE_HOME/poisson, else ~/.cache/poisson. Files that cannot be read, written or trusted are no error: the
/// source is then compiled again.
class RuntimeCompiler {
 public:
  /// `architecture` is a name such as sm_90.
  explicit RuntimeCompiler(std::string architecture) : architecture_(std::move(architecture)) {}

  struct Code {
    std::string binary;  ///< a cubin
    bool cached = false;
  };
  /// Compiles a source, in which functions without an annotation are device functions. If several processes request the
  /// same code, one compiles it and the others wait for it, at most a minute. With `anew`, the source is compiled
  /// without reading the cache and without waiting. Throws NoRuntimeCode.
  Code compile(const std::string& source, std::span<const RuntimeHeader> headers, bool anew = false) const;

 private:
  std::string architecture_;
};

/// Returns the folder for compiled code, or nothing if code is not stored.
std::optional<std::filesystem::path> runtime_cache();

}  // namespace poisson::cuda
