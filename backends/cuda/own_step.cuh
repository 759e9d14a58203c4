#pragma once

#include "backends/cuda/value_columns.cuh"
#include "backends/spaces/exchange.hpp"

namespace poisson::cuda {

/// Returns the functor for an exchange step of a patch with itself. Run it over the box step.front().from.
template <class T>
CopyHalo<T> halo_copies(const View<T>& v, const Exchange::Step& step) {
  const auto offset = [&](const Box& box) { return &v(box.first[0], box.first[1], box.first[2]) - v.data; };
  CopyHalo<T> copy{v, static_cast<int>(step.size()), {}, {}};
  for (std::size_t p = 0; p < step.size(); ++p) {
    copy.from[p] = offset(step[p].from) - offset(step[0].from);
    copy.to[p] = offset(step[p].to) - offset(step[0].from);
  }
  return copy;
}

}  // namespace poisson::cuda
