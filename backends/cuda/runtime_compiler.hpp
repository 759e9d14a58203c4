#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/error.hpp"

namespace poisson::cuda {

/// A header that code compiled at run time may include: what follows #include, and its text.
struct RuntimeHeader {
  const char* name;
  const char* text;
};

/// There is no code: no compiler on this machine, or one that refused. What it would have computed can be computed
/// otherwise; what() says why it was not.
struct NoRuntimeCode : RunError {
  using RunError::RunError;
};

/// Compiles CUDA C++ for one architecture while the program runs, by NVIDIA's NVRTC. The library is loaded on first
/// use: the program starts without it. What was compiled is kept in files named by content, in $POISSON_CACHE (empty:
/// nowhere), else $XDG_CACHE_HOME/poisson, else ~/.cache/poisson; files that cannot be read, written or trusted are no
/// error, the source is then compiled anew.
class RuntimeCompiler {
 public:
  /// `architecture`: sm_90 and the like.
  explicit RuntimeCompiler(std::string architecture) : architecture_(std::move(architecture)) {}

  struct Code {
    std::string binary;  ///< a cubin
    bool cached = false;
  };
  /// Every function without an annotation is one of the device. Of processes that want the same, one compiles, and the
  /// others wait for it, a minute at most. Throws NoRuntimeCode. `anew`: without looking into the cache, nor waiting.
  Code compile(const std::string& source, std::span<const RuntimeHeader> headers, bool anew = false) const;

 private:
  std::string architecture_;
};

/// Where compiled code is kept; nothing: nowhere.
std::optional<std::filesystem::path> runtime_cache();

}  // namespace poisson::cuda
