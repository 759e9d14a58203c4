#include "backends/cpu/launch.hpp"
#include "grids/kernels/cpu/factories.hpp"
#include "grids/rows/regular_product.hpp"

namespace poisson::cpu {
namespace {

// A coarse value needs hundreds of products, so threads pay off from a small number of values on.
constexpr std::int64_t few_values = heavy_threshold / 8;

Box coarse_values(const GalerkinProduct& product) {
  const auto& n = product.coarse_n;
  return {{0, 0, 0}, {n[0], n[1], n[2]}};
}

}  // namespace

void weigh(const GalerkinProduct& product) {
  with_regular_product(product, [&]<class Regular>(Regular) {
    for_each_line(coarse_values(product), few_values, [&](int J, int K) {
      for (int I = 0; I < product.coarse_n[0]; ++I) weigh_any<Regular>(product, I, J, K);
    });
  });
}

void galerkin_rows(const GalerkinProduct& product) {
  with_regular_product(product, [&]<class Regular>(Regular) {
    for_each_line(coarse_values(product), few_values, [&](int J, int K) {
      for (int I = 0; I < product.coarse_n[0]; ++I) multiply_any<Regular>(product, I, J, K);
    });
  });
}

}  // namespace poisson::cpu
