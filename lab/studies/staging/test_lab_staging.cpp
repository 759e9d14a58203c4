// Tests the study `staging`: its oracle and sentences, and its kernels on a GPU.

#include <cmath>

#include <gtest/gtest.h>

#include "lab/studies/staging/study.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"
#ifdef POISSON_HAVE_CUDA
#include "lab/studies/studies.hpp"
#include "tests/lab/on_gpu.hpp"
#endif

namespace poisson::lab {
namespace {

TEST(Staging, ItsOracleIsTheStencil) {
  const LineStencil stencil;
  double sum = 0;
  for (int k = -stencil_reach; k <= stencil_reach; ++k)
    sum += std::pow(2.0, -std::abs(k)) *
           static_cast<double>(noise_float(static_cast<std::uint64_t>(100 + stencil_reach + k)));
  EXPECT_NEAR(static_cast<double>(stencil(100)), sum, 1e-6);
}

TEST(Staging, ComparesWithTheCaches) {
  const auto panel = [](double async) {
    Panel p = synthetic_panel("stages", {1},
                              {{std::string(by_caches), [](double) { return 3000.0; }},
                               {std::string(by_loads), [](double) { return 2000.0; }}});
    const Panel more =
        synthetic_panel("stages", {1, 2, 4}, {{std::string(by_async), [=](double x) { return async * x; }}});
    p.points.insert(p.points.end(), more.points.begin(), more.points.end());
    return p;
  };
  const auto better = conclude_staging({panel(1000)}, {.copy = 4000});
  EXPECT_TRUE(says(better, "come from the caches at 3000 GB/s, 75 % of a copy")) << joined(better);
  EXPECT_TRUE(
      says(better, "reaches 4000 GB/s (100 % of a copy) at best and 1000 GB/s with one tile under way, 1.3 times"))
      << joined(better);
  EXPECT_TRUE(says(better, "and pay here")) << joined(better);
  EXPECT_TRUE(says(conclude_staging({panel(760)}, {.copy = 4000}), "no clear lead over loads and stores"));
}

#ifdef POISSON_HAVE_CUDA
TEST(Staging, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(staging_study);
}
#endif

}  // namespace
}  // namespace poisson::lab
