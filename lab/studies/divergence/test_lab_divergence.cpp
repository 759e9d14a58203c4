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

TEST(Divergence, SaysWhatBranchesCost) {
  const auto usual =
      conclude_divergence({synthetic_panel("paths", {1, 4, 32},
                                           {{std::string(within_warps), [](double x) { return 120 / x; }},
                                            {std::string(between_warps), [](double) { return 119.0; }},
                                            {std::string(short_branch), [](double x) { return 60 / x; }}})});
  EXPECT_TRUE(says(usual, "3.8 results per clock instead of 120: 32 times fewer")) << joined(usual);
  EXPECT_TRUE(says(usual, "of warps that all take one: let a branch depend")) << joined(usual);
  EXPECT_TRUE(says(usual, "and 60 with one.")) << joined(usual);
  const auto searching =
      conclude_divergence({synthetic_panel("paths", {1, 32},
                                           {{std::string(within_warps), [](double x) { return 120 / x; }},
                                            {std::string(between_warps), [](double) { return 119.0; }},
                                            {std::string(short_branch), [](double x) { return 3 / x; }}})});
  EXPECT_TRUE(says(searching, "and 3 with one, where long ones give 120 with one, which fits tests and jumps"))
      << joined(searching);
  EXPECT_TRUE(conclude_divergence({}).empty());
}

#ifdef POISSON_HAVE_CUDA
TEST(Divergence, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(divergence_study);
}
#endif

}  // namespace
}  // namespace poisson::lab
