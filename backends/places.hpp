#pragma once

#include "backends/box.hpp"

namespace poisson {

/// f(i, j, k) for the places of a box, one after another, x fastest.
template <class F>
void for_each_place(const Box& box, const F& f) {
  for (int k = box.first[2]; k < box.last[2]; ++k)
    for (int j = box.first[1]; j < box.last[1]; ++j)
      for (int i = box.first[0]; i < box.last[0]; ++i) f(i, j, k);
}

}  // namespace poisson
