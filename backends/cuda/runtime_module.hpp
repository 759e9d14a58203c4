#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <driver_types.h>
#include <vector_types.h>

#include "backends/cuda/runtime_compiler.hpp"

namespace poisson::cuda {

/// Owns code that was compiled at run time and loaded on the current device. The library of the driver is also found at
/// run time.
class RuntimeModule {
 public:
  /// Loads the code of each source from the cache, or compiles it, all sources concurrently. Throws NoRuntimeCode.
  static std::vector<RuntimeModule> load(std::span<const std::string> sources, std::span<const RuntimeHeader> headers);

  using Kernel = void*;
  /// Returns an extern "C" kernel of the source. Throws NoRuntimeCode if there is none.
  Kernel kernel(const std::string& name) const;
  /// Launches a kernel. `arguments` contains the addresses of its parameters, in order.
  void launch(Kernel kernel, dim3 blocks, unsigned threads, cudaStream_t stream, void** arguments) const;
  template <class... Arguments>
  void launch(Kernel kernel, dim3 blocks, unsigned threads, cudaStream_t stream, const Arguments&... arguments) const {
    void* addresses[]{const_cast<void*>(static_cast<const void*>(&arguments))...};
    launch(kernel, blocks, threads, stream, addresses);
  }

 private:
  struct Driver;
  static const Driver& driver();
  static std::shared_ptr<void> load(const std::string& binary);

  explicit RuntimeModule(std::shared_ptr<void> module) : module_(std::move(module)) {}

  std::shared_ptr<void> module_;
};

}  // namespace poisson::cuda
