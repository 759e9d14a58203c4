#pragma once

#include "backends/cpu/launch.hpp"
#include "grids/rows/regular_product.hpp"

namespace poisson::cpu {

/// Calls f(I, J, K) for all coarse values of a Galerkin product, in parallel. A coarse value needs hundreds of
/// products, so threads pay off from a small number of values on.
template <class F>
void for_each_coarse_value(const GalerkinProduct& product, const F& f) {
  const auto& n = product.coarse_n;
  for_each_line({{0, 0, 0}, {n[0], n[1], n[2]}}, heavy_threshold / 8, [&](int J, int K) {
    for (int I = 0; I < n[0]; ++I) f(I, J, K);
  });
}

}  // namespace poisson::cpu
