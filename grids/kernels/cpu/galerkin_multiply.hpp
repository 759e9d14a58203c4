#pragma once

#include "grids/kernels/cpu/galerkin_values.hpp"

namespace poisson::cpu {

/// These functions compute all weights and all coarse rows of a product with the RegularProduct that serves it. The
/// unrolled products of boxes compile for long, so each is a translation unit of its own (grids/CMakeLists.txt).
template <class Regular>
void weigh_all(const GalerkinProduct& product) {
  for_each_coarse_value(product, [&](int I, int J, int K) { weigh_any<Regular>(product, I, J, K); });
}
template <class Regular>
void multiply_all(const GalerkinProduct& product) {
  for_each_coarse_value(product, [&](int I, int J, int K) { multiply_any<Regular>(product, I, J, K); });
}
#define POISSON_EXTERN(...)                                                            \
  extern template void weigh_all<RegularProduct<__VA_ARGS__>>(const GalerkinProduct&); \
  extern template void multiply_all<RegularProduct<__VA_ARGS__>>(const GalerkinProduct&)
POISSON_EXTERN(3, false);
POISSON_EXTERN(3, true);
POISSON_EXTERN(3, false, 0);
POISSON_EXTERN(3, false, 1);
POISSON_EXTERN(3, false, 2);
POISSON_EXTERN(3, true, 0);
POISSON_EXTERN(3, true, 1);
POISSON_EXTERN(3, true, 2);
#undef POISSON_EXTERN

}  // namespace poisson::cpu
