#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "backends/device/backend.hpp"

namespace poisson::lab {

/// Defines a way to copy an array.
struct CopyVariant {
  std::string name;
  int width = 0;       ///< bytes of one access, which divide the array size and its address; 0: the backend's own copy
  int per_thread = 1;  ///< accesses in flight
  void (*launch)(Backend&, const void* from, void* to, std::size_t bytes) = nullptr;
};

/// Returns the ways of a CPU: elements of 1, 2, 4, 8 and 16 bytes on all threads, memcpy on one thread and on all.
std::span<const CopyVariant> cpu_copy_variants();

/// Returns the ways of a GPU: elements of 1, 2, 4, 8 and 16 bytes, 1–8 of them per thread, and the driver's copy.
/// Exists in builds with CUDA only.
std::span<const CopyVariant> gpu_copy_variants();

/// Returns a copy that misses the last element, to prove that the checks reject a wrong copy.
const CopyVariant& broken_copy_variant();

}  // namespace poisson::lab
