#include "grids/kernels/cpu/factories.hpp"
#include "grids/kernels/cpu/galerkin_multiply.hpp"

namespace poisson::cpu {

void weigh(const GalerkinProduct& product) {
  with_regular_product(product, [&]<class Regular>(Regular) { weigh_all<Regular>(product); });
}

void galerkin_rows(const GalerkinProduct& product) {
  with_regular_product(product, [&]<class Regular>(Regular) { multiply_all<Regular>(product); });
}

}  // namespace poisson::cpu
