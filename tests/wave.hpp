#pragma once

#include <cmath>

#include "tests/fields.hpp"

namespace poisson {

/// Returns the value of a wave at a global index.
inline double wave(int which, int i, int j, int k) {
  return std::sin(1.0 + which + 0.7 * i + 1.3 * j + 2.1 * k);
}

/// Sets the unknowns of x to a wave and leaves its other values unchanged.
inline void fill(Backend& backend, Field& x, int which) {
  const Box& own = x.space().part().unknowns();
  const auto& o = x.space().part().origin();
  dispatch(x.precision(), [&]<class T>(T) {
    Image<T> image(backend, x);
    for (int k = own.first[2]; k < own.last[2]; ++k)
      for (int j = own.first[1]; j < own.last[1]; ++j)
        for (int i = own.first[0]; i < own.last[0]; ++i)
          image.view(i, j, k) = static_cast<T>(wave(which, i + o[0], j + o[1], k + o[2]));
    image.store(backend);
  });
}

}  // namespace poisson
