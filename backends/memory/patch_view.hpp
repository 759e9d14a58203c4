#pragma once

#include <cstdint>

#include "backends/memory/view.hpp"

namespace poisson {

/// Indexes patches of one layout that are adjacent in memory. Kernels of boxes know views alone; what works on several
/// patches takes the patch as one more coordinate.
template <class T>
struct PatchView {
  View<T> first{};          ///< of patch 0
  std::int64_t stride = 0;  ///< values from one patch to the next
  int count = 1;

  constexpr View<T> operator[](int patch) const {
    View<T> v = first;
    v.data += patch * stride;
    return v;
  }
  /// Returns the line of values of a patch with fixed y and z.
  constexpr T* line(int patch, int j, int k) const { return first.line(j, k) + patch * stride; }
};

}  // namespace poisson
