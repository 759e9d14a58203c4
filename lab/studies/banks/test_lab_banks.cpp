// Tests the study `banks`: predictions, the oracle and the sentences on the host, the kernels on a GPU.

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "lab/studies/banks/study.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"
#ifdef POISSON_HAVE_CUDA
#include "lab/studies/banks/kernels.hpp"
#include "lab/studies/studies.hpp"
#include "tests/lab/on_gpu.hpp"
#endif

namespace poisson::lab {
namespace {

TEST(PredictedPasses, AreTheGreatestCommonDivisorForStrides) {
  for (int stride = 1; stride <= 33; ++stride) {
    EXPECT_EQ(predicted_passes(strided_lanes(stride), 4), std::gcd(stride, 32)) << stride;
    EXPECT_EQ(predicted_passes(strided_lanes(stride), 8), 2 * std::gcd(stride, 16)) << stride;
  }
}

TEST(PredictedPasses, OfPatterns) {
  for (const LanePattern& pattern : lane_patterns()) {
    const std::string name = pattern.name;
    const int passes = predicted_passes(pattern.lanes(), 4);
    if (name == "column")
      EXPECT_EQ(passes, 32);
    else if (name == "random")
      EXPECT_TRUE(passes > 1 && passes < 8) << passes;
    else
      EXPECT_EQ(passes, 1) << name;
    for (const std::uint16_t element : pattern.lanes()) EXPECT_LT(element, elements_in_pattern) << name;
  }
  // Two words of one bank are served one after the other, whichever lanes read them.
  LaneElements two{};
  two[31] = 32;
  EXPECT_EQ(predicted_passes(two, 4), 2);
}

TEST(LaneSum, AddsWhatALaneReads) {
  const LaneElements lanes = strided_lanes(33);
  std::uint32_t sum = 0;
  std::uint64_t wide = 0;
  for (int round = 0; round < 3; ++round)
    for (int k = 0; k < successive; ++k) {
      sum += shared_element<std::uint32_t>(33 * 4 + 2 + k);
      wide += shared_element<std::uint64_t>(33 * 4 + 2 + k);
    }
  EXPECT_EQ(lane_sum<std::uint32_t>(lanes, 4, 2, 3), sum);
  EXPECT_EQ(lane_sum<std::uint64_t>(lanes, 4, 2, 3), wide);
  EXPECT_NE(lane_sum<std::uint32_t>(lanes, 5, 2, 3), sum);
  EXPECT_NE(shared_element<std::uint64_t>(1) >> 32, shared_element<std::uint64_t>(2) >> 32);
}

double passes(double stride) {
  return std::gcd(static_cast<int>(stride), 32);
}

#ifdef POISSON_HAVE_CUDA
TEST(Banks, EveryVariantIsRight) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  Session session(test_device(), true);
  EXPECT_NO_THROW(verify_banks(session));
}

TEST(Banks, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(banks_study);
}
#endif

}  // namespace
}  // namespace poisson::lab
