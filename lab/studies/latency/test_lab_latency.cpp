// Tests the study `latency`: predictions, oracles and sentences on the host, the kernels on a GPU.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lab/page/curve.hpp"
#include "lab/studies/latency/study.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"
#ifdef POISSON_HAVE_CUDA
#include "lab/studies/latency/kernels.hpp"
#include "lab/studies/studies.hpp"
#include "tests/lab/on_gpu.hpp"
#endif

namespace poisson::lab {
namespace {

TEST(ChainEnds, FollowTheRecurrenceAndTellEachStep) {
  const std::vector<float> ends = chain_ends(37), before = chain_ends(36);
  ASSERT_EQ(ends.size(), static_cast<std::size_t>(most_chains * most_block_threads));
  for (const auto& [chain, thread] : {std::pair{0, 0}, {3, 17}, {most_chains - 1, most_block_threads - 1}}) {
    double x = static_cast<double>(chain_start(thread, chain));
    for (int i = 0; i < 37; ++i) x = x * static_cast<double>(chain_multiplier) + static_cast<double>(chain_addend);
    const auto at = static_cast<std::size_t>(chain * most_block_threads + thread);
    EXPECT_NEAR(static_cast<double>(ends[at]), x, 1e-5);
    EXPECT_NE(ends[at], before[at]) << "one step more or less must show";
  }
  const std::vector<float> late = chain_ends(chain_iterations), later = chain_ends(chain_iterations + 1);
  int equal = 0;
  for (std::size_t i = 0; i < late.size(); ++i) equal += late[i] == later[i] ? 1 : 0;
  EXPECT_LT(equal, 10) << "the chains must not have converged";
}

TEST(NextNode, WalksThroughAllNodes) {
  for (const std::uint32_t nodes : {1u, 2u, 64u, 4096u}) {
    std::vector<bool> seen(nodes);
    std::uint32_t node = 0;
    for (std::uint32_t i = 0; i < nodes; ++i) {
      ASSERT_LT(node, nodes);
      ASSERT_FALSE(seen[node]);
      seen[node] = true;
      node = next_node(node, nodes);
    }
    EXPECT_EQ(node, 0u) << "closed";
    EXPECT_EQ(walk_end(nodes, static_cast<int>(nodes)), 0u);
    EXPECT_EQ(walk_end(nodes, 1), next_node(0, nodes));
  }
  // The order is scattered: few steps are short.
  int near = 0;
  for (std::uint32_t node = 0; node < 4096; ++node) {
    const int step = std::abs(static_cast<int>(next_node(node, 4096)) - static_cast<int>(node));
    near += step < 64 ? 1 : 0;
  }
  EXPECT_LT(near, 400);
}

TEST(LittlesLaw, IsALineUpToThePeak) {
  EXPECT_DOUBLE_EQ(predicted_throughput(32, 4, 128), 8);
  EXPECT_DOUBLE_EQ(predicted_throughput(512, 4, 128), 128);
  EXPECT_DOUBLE_EQ(predicted_throughput(4096, 4, 128), 128);
  // The G80 has 24 clocks × 8 cores.
  EXPECT_DOUBLE_EQ(predicted_throughput(191, 24, 8) < 8, true);
  EXPECT_DOUBLE_EQ(predicted_throughput(192, 24, 8), 8);
}

Panel ideal_fma(double latency, double peak, double knee = 1) {
  std::vector<Line> lines;
  for (const int chains : {1, 2, 4, 8})
    lines.push_back({chains_name(chains), [=](double warps) {
                       return predicted_throughput(32 * warps * (1 + knee * (chains - 1)), latency, peak);
                     }});
  return synthetic_panel("fma", {1, 2, 4, 8, 16, 32, 64}, lines);
}

TEST(FmaGuides, AreLittlesLawWithTheMeasuredLatency) {
  const std::vector<Guide> guides = fma_guides(ideal_fma(4, 128));
  ASSERT_EQ(guides.size(), 5u);
  EXPECT_EQ(guides[0].points[0][1], 128);
  EXPECT_EQ(guides[1].name, "Little's law, 1 chain");
  EXPECT_EQ(guides[1].points[2][1], 32);
  EXPECT_EQ(guides[3].points[2][1], 128);
}

TEST(FmaReadings, AreTheLecturesNumbers) {
  const Panel g80 = ideal_fma(24, 8);
  EXPECT_DOUBLE_EQ(fma_latency(g80), 24);
  EXPECT_DOUBLE_EQ(sustained_fma(g80), 8);
  EXPECT_DOUBLE_EQ(threads_to_hide(g80), 192);
  const Panel hopper = ideal_fma(4, 128);
  EXPECT_DOUBLE_EQ(share_of_one_chain(hopper), 0.25);
  EXPECT_DOUBLE_EQ(share_of_two_chains(hopper), 0.5);
  EXPECT_DOUBLE_EQ(chains_for_a_third(hopper), 4);
  EXPECT_DOUBLE_EQ(occupancy_that_suffices(hopper, 1), 0.25);
  EXPECT_DOUBLE_EQ(occupancy_that_suffices(hopper, most_chains), 2.0 / 64);
}

#ifdef POISSON_HAVE_CUDA
TEST(Latency, EveryVariantIsRight) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  Session session(test_device(), true);
  EXPECT_NO_THROW(verify_fma(session));
  EXPECT_NO_THROW(verify_memory_latency(session));
}

TEST(Latency, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(latency_study);
}
#endif

}  // namespace
}  // namespace poisson::lab
