#include "backends/cpu/launch.hpp"
#include "grids/kernels/cpu/factories.hpp"
#include "grids/rows/regular_collapse.hpp"

namespace poisson::cpu {
namespace {

// A coarse value needs hundreds of products, so few of them are worth the threads.
constexpr std::int64_t few_values = heavy_threshold / 8;

Box coarse_values(const Collapse& collapse) {
  const auto& n = collapse.coarse_n;
  return {{0, 0, 0}, {n[0], n[1], n[2]}};
}

}  // namespace

void weigh(const Collapse& collapse) {
  with_regular_collapse(collapse, [&]<class Regular>(Regular) {
    for_each_line(coarse_values(collapse), few_values, [&](int J, int K) {
      for (int I = 0; I < collapse.coarse_n[0]; ++I) weigh_any<Regular>(collapse, I, J, K);
    });
  });
}

void collapse_rows(const Collapse& collapse) {
  with_regular_collapse(collapse, [&]<class Regular>(Regular) {
    for_each_line(coarse_values(collapse), few_values, [&](int J, int K) {
      for (int I = 0; I < collapse.coarse_n[0]; ++I) collapse_any<Regular>(collapse, I, J, K);
    });
  });
}

}  // namespace poisson::cpu
