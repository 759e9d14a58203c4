#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backends/memory/box.hpp"

namespace poisson {

/// Returns whether a place lies in a box.
constexpr bool contains(const Box& box, const std::array<int, 3>& at) {
  for (std::size_t d = 0; d < 3; ++d)
    if (at[d] < box.first[d] || at[d] >= box.last[d]) return false;
  return true;
}

/// Returns the number of a place among those of a box, x fastest.
constexpr std::size_t number_in(const Box& box, int i, int j, int k) {
  const std::int64_t nx = box.last[0] - box.first[0], ny = box.last[1] - box.first[1];
  return static_cast<std::size_t>(((k - box.first[2]) * ny + j - box.first[1]) * nx + i - box.first[0]);
}
constexpr std::size_t number_in(const Box& box, const std::array<int, 3>& at) {
  return number_in(box, at[0], at[1], at[2]);
}

/// Calls f(i, j, k) for the places of a box one after another, x fastest.
template <class F>
void for_each_place(const Box& box, const F& f) {
  for (int k = box.first[2]; k < box.last[2]; ++k)
    for (int j = box.first[1]; j < box.last[1]; ++j)
      for (int i = box.first[0]; i < box.last[0]; ++i) f(i, j, k);
}

}  // namespace poisson
