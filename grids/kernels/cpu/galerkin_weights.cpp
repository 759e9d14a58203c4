#include "grids/kernels/cpu/factories.hpp"
#include "grids/kernels/cpu/galerkin_values.hpp"

namespace poisson::cpu {

void weigh(const GalerkinProduct& product) {
  with_regular_product(product, [&]<class Regular>(Regular) {
    for_each_coarse_value(product, [&](int I, int J, int K) { weigh_any<Regular>(product, I, J, K); });
  });
}

}  // namespace poisson::cpu
