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

#ifdef POISSON_HAVE_CUDA
TEST(Staging, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(staging_study);
}
#endif

}  // namespace
}  // namespace poisson::lab
