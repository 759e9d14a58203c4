// Tests the study `access`: its oracles and sentences on the host, and its kernels on a GPU.

#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "lab/harness/reading_order.hpp"
#include "lab/page/curve.hpp"
#include "lab/studies/access/study.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"
#ifdef POISSON_HAVE_CUDA
#include "lab/studies/access/kernels.hpp"
#include "lab/studies/studies.hpp"
#include "tests/lab/on_gpu.hpp"
#endif

namespace poisson::lab {
namespace {

TEST(Noise, FillsTheUnitInterval) {
  std::set<std::uint32_t> seen;
  double sum = 0, square = 0;
  constexpr int count = 1 << 16;
  for (int i = 0; i < count; ++i) {
    const double v = noise_float(static_cast<std::uint64_t>(i));
    ASSERT_GE(v, 0);
    ASSERT_LT(v, 1);
    sum += v;
    square += v * v;
    seen.insert(noise(static_cast<std::uint64_t>(i)));
  }
  EXPECT_NEAR(sum / count, 0.5, 0.005);
  EXPECT_NEAR(square / count, 1.0 / 3, 0.005);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(count)) << "neighbouring positions must differ";
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(poison_word)));
}

TEST(MovedElement, IsTheCopyWrittenAsALoop) {
  for (const Positions from : {Positions{1, 0}, {3, 2}, {32, 31}})
    for (const Positions to : {Positions{1, 0}, {1, 5}, {7, 1}})
      for (const std::int64_t count : {1, 2, 37}) {
        std::vector<std::uint32_t> out(static_cast<std::size_t>(to(count) + 9), poison_word);
        for (std::int64_t i = 0; i < count; ++i)
          out[static_cast<std::size_t>(to(i))] = noise(static_cast<std::uint64_t>(from(i)));
        const MovedElement oracle{from, to, count};
        for (std::size_t j = 0; j < out.size(); ++j) ASSERT_EQ(oracle(static_cast<std::int64_t>(j)), out[j]) << j;
      }
}

TEST(ElementAt, VisitsEveryElementOnce) {
  for (const Matrix matrix : {Matrix{1, 1}, {5, 7}, {7, 5}, {1, 9}, {9, 1}})
    for (const Direction direction : {Direction::rows, Direction::columns}) {
      std::set<std::int64_t> seen;
      for (std::int64_t order = 0; order < matrix.size(); ++order) seen.insert(element_at(matrix, direction, order));
      EXPECT_EQ(static_cast<std::int64_t>(seen.size()), matrix.size());
      EXPECT_EQ(*seen.rbegin(), matrix.size() - 1);
    }
  EXPECT_EQ(element_at({5, 7}, Direction::rows, 1), 1);
  EXPECT_EQ(element_at({5, 7}, Direction::columns, 1), 7);
  EXPECT_EQ(element_at({5, 7}, Direction::columns, 5), 1);
}

TEST(ThreadSum, SharesTheMatrixAmongTheThreads) {
  const Matrix matrix{13, 11};
  for (const Direction direction : {Direction::rows, Direction::columns})
    for (const int lanes : {1, 4})
      for (const std::int64_t threads : {1, 4, 143, 200}) {
        double sum = 0, expected = 0;
        for (std::int64_t t = 0; t < readers(matrix, threads); ++t)
          sum += static_cast<double>(thread_sum(matrix, direction, lanes, t, threads));
        for (std::int64_t i = 0; i < matrix.size() * lanes; ++i)
          expected += static_cast<double>(noise_float(static_cast<std::uint64_t>(i)));
        EXPECT_NEAR(sum, expected, 1e-5 * expected);
      }
  // Threads that walk down columns read other elements than threads that walk along rows.
  EXPECT_NE(thread_sum(matrix, Direction::rows, 1, 1, 4), thread_sum(matrix, Direction::columns, 1, 1, 4));
}

TEST(RecordSum, AddsTheFirstFields) {
  EXPECT_EQ(RecordSum{1}(3), noise_float(3 * record_fields));
  EXPECT_EQ(RecordSum{2}(3), noise_float(3 * record_fields) + noise_float(3 * record_fields + 1));
}

TEST(Predictions, MoveWholeSectorsAndRecords) {
  EXPECT_DOUBLE_EQ(predicted_strided(1, 900), 900);
  EXPECT_DOUBLE_EQ(predicted_strided(2, 900), 600);
  EXPECT_DOUBLE_EQ(predicted_strided(8, 900), 200);
  EXPECT_DOUBLE_EQ(predicted_strided(32, 900), 200);
  EXPECT_DOUBLE_EQ(predicted_records(record_fields, 900), 900);
  EXPECT_DOUBLE_EQ(predicted_records(2, 900), 300);
}

TEST(Curve, IsReadInTheOrderOfX) {
  const Panel panel = synthetic_panel(
      "p", {8, 1, 4, 2}, {{"a", [](double x) { return x < 8 ? x : 3.9; }}, {"b", [](double) { return 1.0; }}});
  const Curve a(panel, "a");
  EXPECT_EQ(a.first().x, 1);
  EXPECT_EQ(a.last().x, 8);
  EXPECT_EQ(a.highest().x, 4);
  EXPECT_EQ(a.lowest().x, 1);
  EXPECT_EQ(a.at(2), 2);
  EXPECT_TRUE(std::isnan(a.at(3)));
  EXPECT_EQ(a.reaches(3.5), 4);
  EXPECT_TRUE(std::isnan(a.reaches(4)));
  EXPECT_TRUE(Curve(panel, "c").empty());
  EXPECT_EQ(variants_of(panel), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(highest_of(panel).value, 4);
}

TEST(Figures, HaveTheDigitsOfAnotherRun) {
  EXPECT_EQ(figure(4286.7), "4300");
  EXPECT_EQ(figure(0), "0");
  EXPECT_EQ(figure(65536), "65536");
  EXPECT_EQ(figure(2.956), "3");
  EXPECT_EQ(figure(0.012345), "0.012");
  EXPECT_EQ(figure(99.96), "100");
  EXPECT_EQ(percent(0.954), "95 %");
  EXPECT_EQ(percent(0.0954), "9.5 %");
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

TEST(Orders, MeetEveryElementOnce) {
  for (const std::int64_t elements : {32, 1024, 1 << 16}) {
    std::set<std::int64_t> permuted, segments, scattered;
    for (std::int64_t i = 0; i < elements; ++i) {
      permuted.insert(within_segment(i));
      segments.insert(scattered_segments(i, elements));
      scattered.insert(scattered_elements(i, elements));
      EXPECT_EQ(within_segment(i) / segment_elements, i / segment_elements);
    }
    for (const auto* const seen : {&permuted, &segments, &scattered}) {
      EXPECT_EQ(static_cast<std::int64_t>(seen->size()), elements);
      EXPECT_EQ(*seen->rbegin(), elements - 1);
    }
  }
}

TEST(Orders, LeaveHalfOfTheThreadsIdle) {
  int lower = 0, even = 0;
  for (std::int64_t i = 0; i < segment_elements; ++i) {
    lower += in_lower_half(i) ? 1 : 0;
    even += in_even_lane(i) ? 1 : 0;
  }
  EXPECT_EQ(lower, segment_elements / 2);
  EXPECT_EQ(even, segment_elements / 2);
  EXPECT_TRUE(in_lower_half(15) && !in_lower_half(16) && in_lower_half(32)) << "whole sectors";
  EXPECT_TRUE(in_even_lane(0) && !in_even_lane(1));
}

#ifdef POISSON_HAVE_CUDA
TEST(Access, EveryVariantIsRight) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  Session session(test_device(), true);
  EXPECT_NO_THROW(verify_patterns(session));
  EXPECT_NO_THROW(verify_orders(session));
}

TEST(Access, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(access_study);
}
#endif

}  // namespace
}  // namespace poisson::lab
