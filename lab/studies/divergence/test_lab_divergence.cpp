// Tests the study `divergence`: its paths and sentences, and its kernels on a GPU.

#include <cmath>

#include <gtest/gtest.h>

#include "lab/studies/divergence/study.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"
#ifdef POISSON_HAVE_CUDA
#include "lab/studies/studies.hpp"
#include "tests/lab/on_gpu.hpp"
#endif

namespace poisson::lab {
namespace {

TEST(Divergence, PathsDifferAndChainsStayFinite) {
  for (int path = 0; path < most_paths; ++path) {
    EXPECT_TRUE(std::isfinite(path_end(7, path)));
    for (int other = 0; other < path; ++other) EXPECT_NE(path_end(7, path), path_end(7, other));
  }
  EXPECT_EQ(path_by_lane(33, 32), 1);
  EXPECT_EQ(path_by_lane(33, 1), 0);
  EXPECT_EQ(path_by_warp(33, 2), 1);
}

#ifdef POISSON_HAVE_CUDA
TEST(Divergence, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(divergence_study);
}
#endif

}  // namespace
}  // namespace poisson::lab
