#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "backends/backend.hpp"

namespace poisson::lab {

/// One way to copy an array.
struct CopyVariant {
  std::string name;
  int width = 0;  ///< bytes of one access; arrays are multiples of it, and aligned to it. 0: the backend's own copy
  int per_thread = 1;  ///< accesses that a thread has under way together
  void (*launch)(Backend&, const void* from, void* to, std::size_t bytes) = nullptr;
};

/// The ways of a CPU: elements of 1, 2, 4, 8 and 16 bytes on all threads, memcpy on one thread and on all.
std::span<const CopyVariant> cpu_copy_variants();

/// The ways of a GPU: elements of 1, 2, 4, 8 and 16 bytes, 1–8 of them per thread, and the driver's copy. Defined in
/// builds with CUDA.
std::span<const CopyVariant> gpu_copy_variants();

/// A copy that misses the last element, to show that no such thing passes for a result.
const CopyVariant& broken_copy_variant();

}  // namespace poisson::lab
