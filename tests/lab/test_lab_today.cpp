// The studies of what came after the lectures: divergence, asynchronous copies, clusters. Oracles and sentences on the
// host, kernels on a GPU.

#include <cmath>

#include <gtest/gtest.h>

#include "lab/studies/cluster/study.hpp"
#include "lab/studies/divergence/study.hpp"
#include "lab/studies/staging/study.hpp"
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

TEST(Cluster, RingsKeepTheirSum) {
  const std::vector<float> start = rings_after(2, 3, 0), end = rings_after(2, 3, 40);
  ASSERT_EQ(start.size(), end.size());
  for (const std::size_t first : {std::size_t{0}, start.size() / 2}) {
    double before = 0, after = 0;
    for (std::size_t i = first; i < first + start.size() / 2; ++i) {
      before += static_cast<double>(start[i]);
      after += static_cast<double>(end[i]);
    }
    EXPECT_NEAR(before, after, 1e-4 * before) << "points pass on what they lose";
  }
  EXPECT_NE(start, end);
}

TEST(Cluster, SaysWhatItsBarrierCosts) {
  const auto usual =
      conclude_cluster({synthetic_panel("steps", {1, 2, 8},
                                        {{std::string(by_neighbours), [](double x) { return 300 + 50 * x; }},
                                         {std::string(by_memory), [](double) { return 1400.0; }},
                                         {std::string(by_launches), [](double) { return 2100.0; }}})});
  EXPECT_TRUE(says(usual, "takes 700 ns in clusters of 8 and 350 in blocks alone")) << joined(usual);
  EXPECT_TRUE(says(usual, "take about 2 times as long, and a launch for each step some 3 times")) << joined(usual);
  EXPECT_TRUE(conclude_cluster({Panel{.name = "steps"}}).empty()) << "devices without clusters";
}

#ifdef POISSON_HAVE_CUDA
TEST(Divergence, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(divergence_study);
}
TEST(Staging, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(staging_study);
}
TEST(Cluster, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(cluster_study);
}
#endif

}  // namespace
}  // namespace poisson::lab
