#include "backends/cuda/runtime_compiler.hpp"

#include <cstdlib>

#include "backends/cuda/code_cache.hpp"
#include "backends/cuda/nvrtc.hpp"

namespace poisson::cuda {

RuntimeCompiler::Code RuntimeCompiler::compile(const std::string& source, std::span<const RuntimeHeader> headers,
                                               bool anew) const {
  const Nvrtc nvrtc;
  const std::vector<std::string> options{"--gpu-architecture=" + architecture_, "--std=c++20",
                                         "--device-as-default-execution-space",
#ifdef POISSON_STRICT
                                         "--fmad=false",
#endif
                                         "--diag-suppress=1097"};  // attributes of other compilers
  // The key contains everything that determines the code.
  std::string key = "nvrtc " + nvrtc.version() + '\n';
  for (const std::string& option : options) key += option + '\n';
  for (const RuntimeHeader& header : headers) key += std::string(header.name) + '\n' + header.text + '\n';
  key += source;

  const CodeCache cache(runtime_cache());
  std::optional<CodeCache::Lock> lock;
  if (!anew) {
    if (auto kept = cache.find(key)) return {std::move(*kept), true};
    lock.emplace(cache.lock(key));
    if (auto kept = cache.find(key)) return {std::move(*kept), true};  // compiled meanwhile by another process
  }
  Code code{nvrtc.compile(source, headers, options), false};
  cache.keep(key, code.binary);
  return code;
}

std::optional<std::filesystem::path> runtime_cache() {
  const auto named = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  if (std::getenv("POISSON_CACHE")) {
    const std::string place = named("POISSON_CACHE");
    if (place.empty()) return std::nullopt;
    return std::filesystem::path(place);
  }
  if (const std::string place = named("XDG_CACHE_HOME"); !place.empty())
    return std::filesystem::path(place) / "poisson";
  if (const std::string home = named("HOME"); !home.empty()) return std::filesystem::path(home) / ".cache" / "poisson";
  return std::nullopt;
}

}  // namespace poisson::cuda
