// Tests the study `launch`: the oracle, the costs and the sentences on the host, the kernels on a GPU.

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "lab/studies/launch/study.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"
#ifdef POISSON_HAVE_CUDA
#include "lab/studies/launch/kernels.hpp"
#include "lab/studies/studies.hpp"
#include "tests/lab/on_gpu.hpp"
#endif

namespace poisson::lab {
namespace {

const TinyStep tiny{12, 5};

TEST(StateAfter, IsTheRecurrenceInClosedForm) {
  for (const int steps : {0, 1, 2, 7}) {
    const std::vector<std::uint64_t> state = state_after(tiny, steps);
    for (std::int64_t w = 0; w < tiny.words; ++w) {
      // x_n[w] = a^n x_0[w + n·shift] + Σ_s a^(n−1−s) b_s
      std::uint64_t expected = TinyStep::start((w + steps * tiny.shift) % tiny.words);
      for (int s = 0; s < steps; ++s) expected = TinyStep::factor * expected + TinyStep::addend(s);
      EXPECT_EQ(state[static_cast<std::size_t>(w)], expected);
    }
  }
}

TEST(StateAfter, TellsStepsThatAreMissingOrOutOfOrder) {
  const std::vector<std::uint64_t> five = state_after(tiny, 5);
  EXPECT_NE(five, state_after(tiny, 4));
  EXPECT_NE(five, state_after(tiny, 6));
  std::vector<std::uint64_t> state = state_after(tiny, 0), next(state.size());
  for (const int step : {0, 1, 3, 2, 4}) {
    for (std::int64_t w = 0; w < tiny.words; ++w) next[static_cast<std::size_t>(w)] = tiny.next(state.data(), w, step);
    state.swap(next);
  }
  EXPECT_NE(five, state);
  // A word that misses one step of its neighbour changes the result.
  state = state_after(tiny, 3);
  state[7] = state_after(tiny, 2)[7];
  for (const int step : {3, 4}) {
    for (std::int64_t w = 0; w < tiny.words; ++w) next[static_cast<std::size_t>(w)] = tiny.next(state.data(), w, step);
    state.swap(next);
  }
  EXPECT_NE(five, state);
}

Line costing(const std::string& variant, double start, double step) {
  return {variant, [=](double steps) { return step + start / steps; }};
}

TEST(SequenceCost, IsFoundFromMicrosecondsPerStep) {
  const Panel panel = synthetic_panel("steps", {1, 10, 1000}, {costing("graph nodes", 6, 0.5)});
  const SequenceCost cost = sequence_cost(Curve(panel, "graph nodes"));
  EXPECT_NEAR(cost.start, 6, 1e-9);
  EXPECT_NEAR(cost.step, 0.5, 1e-9);
  const std::vector<Guide> guides = sequence_guides(panel);
  ASSERT_EQ(guides.size(), 1u);
  EXPECT_NEAR(guides[0].points[1][1], 1.1, 1e-9);
}

TEST(SequenceCost, OfAStartIsNeverNegative) {
  const Panel panel = synthetic_panel("steps", {1, 10, 1000}, {costing("graph nodes", -0.5, 3)});
  const SequenceCost cost = sequence_cost(Curve(panel, "graph nodes"));
  EXPECT_EQ(cost.start, 0);
  EXPECT_NEAR(cost.step, 3, 0.3);
}

#ifdef POISSON_HAVE_CUDA
TEST(Launch, EveryVariantIsRight) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  Session session(test_device(), true);
  EXPECT_NO_THROW(verify_launch(session));
}

TEST(Launch, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(launch_study);
}
#endif

}  // namespace
}  // namespace poisson::lab
