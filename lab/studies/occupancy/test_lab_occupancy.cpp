// Tests the study `occupancy`: predictions, the oracle and the sentences on the host, the kernels on a GPU.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lab/studies/occupancy/study.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"
#ifdef POISSON_HAVE_CUDA
#include "lab/studies/occupancy/kernels.hpp"
#include "lab/studies/studies.hpp"
#include "tests/lab/on_gpu.hpp"
#endif

namespace poisson::lab {
namespace {

constexpr RegisterFile g80{8192, 1, 1, 24, 8}, hopper{65536, 256, 4, 64, 32};

TEST(ResidentBlocks, AreTheHistoricalOnes) {
  EXPECT_EQ(resident_blocks(g80, 10, 256), 3);
  EXPECT_EQ(resident_blocks(g80, 11, 256), 2);
}

// The expected numbers are those of cudaOccupancyMaxActiveBlocksPerMultiprocessor for compute capability 9.0.
TEST(ResidentBlocks, OfToday) {
  const std::vector<std::array<int, 2>> known{{32, 8}, {33, 6}, {40, 6}, {48, 5},  {56, 4},  {64, 4},
                                              {72, 3}, {80, 3}, {88, 2}, {128, 2}, {129, 1}, {255, 1}};
  for (const auto& [registers, blocks] : known) EXPECT_EQ(resident_blocks(hopper, registers, 256), blocks) << registers;
  EXPECT_EQ(resident_blocks(hopper, 16, 32), 32) << "blocks run out before warps do";
}

TEST(HeldSum, TellsEveryWordAndItsTurn) {
  const auto word = [](std::uint64_t i) { return HeldWord{}(i); };
  EXPECT_EQ((HeldSum{7, 3, 2}(0)), word(0) + 3 * word(3) + word(6));
  EXPECT_EQ((HeldSum{7, 3, 8}(0)), word(0) + 3 * word(3) + 5 * word(6));
  EXPECT_EQ((HeldSum{7, 3, 2}(2)), word(2) + 3 * word(5));
  EXPECT_EQ((HeldSum{7, 30, 2}(12)), 0u);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(word(i) >> 31, 0u);
}

const std::vector<double> registers{24, 32, 64, 128, 248};

double warps(double r) {
  return 8.0 * resident_blocks(hopper, static_cast<int>(r), 256);
}

std::vector<Panel> panels(const std::function<double(double)>& one, const std::function<double(double)>& four) {
  const Line w1{"one load in flight", warps}, w4{"4 loads in flight", warps};
  return {synthetic_panel("resident", registers, {w1, w4}),
          synthetic_panel("throughput", registers, {{w1.variant, one}, {w4.variant, four}})};
}

TEST(ProportionalGuides, FollowTheWarps) {
  const auto p = panels([](double) { return 100.0; }, [](double) { return 400.0; });
  const std::vector<Guide> guides = proportional_guides(p[1], p[0]);
  ASSERT_EQ(guides.size(), 2u);
  EXPECT_EQ(guides[0].points.front()[1], 100);
  EXPECT_EQ(guides[1].points.back()[1], 50);
}

#ifdef POISSON_HAVE_CUDA
TEST(Occupancy, EveryVariantIsRight) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  Session session(test_device(), true);
  EXPECT_NO_THROW(verify_occupancy(session));
  EXPECT_NO_THROW(verify_residency(session));
}

TEST(Occupancy, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(occupancy_study);
}
#endif

}  // namespace
}  // namespace poisson::lab
