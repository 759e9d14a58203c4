#pragma once

#include <array>
#include <cstddef>

#include "backends/memory/box.hpp"

namespace poisson {

/// Returns whether a place lies in a box.
constexpr bool contains(const Box& box, const std::array<int, 3>& at) {
  for (std::size_t d = 0; d < 3; ++d)
    if (at[d] < box.first[d] || at[d] >= box.last[d]) return false;
  return true;
}

/// Calls f(i, j, k) for the places of a box one after another, x fastest.
template <class F>
void for_each_place(const Box& box, const F& f) {
  for (int k = box.first[2]; k < box.last[2]; ++k)
    for (int j = box.first[1]; j < box.last[1]; ++j)
      for (int i = box.first[0]; i < box.last[0]; ++i) f(i, j, k);
}

}  // namespace poisson
