#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>

#include "backends/processes/transport.hpp"

namespace poisson {

class Backend;

/// Describes a CUDA backend: its device, and what it borrows from the program.
struct DeviceSetup {
  int device = 0;
  std::size_t memory_limit = std::numeric_limits<std::size_t>::max();  ///< bytes of device memory
  Transport transport = Transport::automatic;
  /// The cudaStream_t on which the backend works, or null for a stream of its own. A default stream is refused, because
  /// it cannot be recorded. The stream must outlive the backend.
  void* stream = nullptr;
  /// Allocate and release device memory, at least 512-byte aligned; empty for cudaMalloc. `allocate` returns null if it
  /// has no memory. A backend calls them a few times, for pieces of many megabytes.
  std::function<void*(std::size_t bytes)> allocate{};
  std::function<void(void*)> release{};
};

/// Makes a CUDA backend. Throws InputError for a default stream. Exists only in builds with CUDA.
std::unique_ptr<Backend> make_cuda_backend(const DeviceSetup& setup);

}  // namespace poisson
