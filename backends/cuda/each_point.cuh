#pragma once

namespace poisson::cuda {

/// Is a column that calls f(i, j, k) at its points.
template <class F>
struct EachPoint {
  F f;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) f(i, j, k);
  }
};

}  // namespace poisson::cuda
