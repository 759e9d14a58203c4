#pragma once

#include "backends/cuda/value_columns.cuh"
#include "backends/exchange.hpp"

namespace poisson::cuda {

/// Returns the functor for an exchange step of a patch with itself. Run it over the box turn.front().from.
template <class T>
CopyHalo<T> copies_of_own(const View<T>& v, const Exchange::Turn& turn) {
  const auto offset = [&](const Box& box) { return &v(box.first[0], box.first[1], box.first[2]) - v.data; };
  CopyHalo<T> copy{v, static_cast<int>(turn.size()), {}, {}};
  for (std::size_t p = 0; p < turn.size(); ++p) {
    copy.from[p] = offset(turn[p].from) - offset(turn[0].from);
    copy.to[p] = offset(turn[p].to) - offset(turn[0].from);
  }
  return copy;
}

}  // namespace poisson::cuda
