#pragma once

#include <memory>
#include <span>
#include <string>

#include <vector_types.h>

#include <driver_types.h>

#include "backends/cuda/runtime_compiler.hpp"

namespace poisson::cuda {

/// Code compiled at run time, loaded on the current device. The driver's library is found at run time too.
class RuntimeModule {
 public:
  /// Compiles, or takes from the cache, and loads. Throws NoRuntimeCode.
  RuntimeModule(const std::string& source, std::span<const RuntimeHeader> headers);

  using Kernel = void*;
  /// An extern "C" kernel of the source.
  Kernel kernel(const std::string& name) const;
  /// `arguments`: addresses of the kernel's parameters, in order.
  void launch(Kernel kernel, dim3 blocks, unsigned threads, cudaStream_t stream, void** arguments) const;
  template <class... Arguments>
  void launch(Kernel kernel, dim3 blocks, unsigned threads, cudaStream_t stream, const Arguments&... arguments) const {
    void* addresses[]{const_cast<void*>(static_cast<const void*>(&arguments))...};
    launch(kernel, blocks, threads, stream, addresses);
  }

 private:
  struct Driver;
  static const Driver& driver();
  void* load(const std::string& binary) const;

  std::shared_ptr<void> module_;
};

}  // namespace poisson::cuda
