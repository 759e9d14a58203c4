#pragma once

#include "grids/kernels/cpu/galerkin_values.hpp"

namespace poisson::cpu {

/// Computes all coarse rows of a product with the RegularProduct that serves it. The unrolled products of boxes compile
/// for long, so each is a translation unit of its own (grids/CMakeLists.txt).
template <class Regular>
void multiply_all(const GalerkinProduct& product) {
  for_each_coarse_value(product, [&](int I, int J, int K) { multiply_any<Regular>(product, I, J, K); });
}
extern template void multiply_all<RegularProduct<3, false>>(const GalerkinProduct&);
extern template void multiply_all<RegularProduct<3, true>>(const GalerkinProduct&);

}  // namespace poisson::cpu
