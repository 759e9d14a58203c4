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

constexpr double copy = 4000;

TEST(Conclusions, OfOffsets) {
  const auto flat =
      conclude_access({synthetic_panel("offset", {0, 1, 2, 32}, {{"read", [](double) { return 3900.0; }}})}, copy);
  EXPECT_TRUE(says(flat, "no concern")) << joined(flat);
  // A single bad offset does not justify a new layout.
  const auto dented = conclude_access(
      {synthetic_panel("offset", {0, 1, 2, 32}, {{"write", [](double x) { return x == 1 ? 3000.0 : 4000.0; }}})}, copy);
  EXPECT_TRUE(says(dented, "costs 0 % of its rate (the median of all offsets; at most 25 %)")) << joined(dented);
  const auto costly = conclude_access(
      {synthetic_panel("offset", {0, 1, 2, 32}, {{"write", [](double x) { return x > 0 ? 3000.0 : 4000.0; }}})}, copy);
  EXPECT_TRUE(says(costly, "let rows begin on sector boundaries")) << joined(costly);
}

TEST(Conclusions, OfStridesTellTheBytesMoved) {
  const auto sectors = conclude_access(
      {synthetic_panel("stride", {1, 8, 16, 32},
                       {{"read", [](double x) { return predicted_strided(static_cast<int>(x), copy); }}})},
      copy);
  EXPECT_TRUE(says(sectors, "costs as much as moving 32 bytes")) << joined(sectors);
  EXPECT_FALSE(says(sectors, "two sectors at a time")) << joined(sectors);
  // Memory moves two sectors at a time: 32 bytes at a stride of 8 elements, 64 bytes from stride 16.
  const auto pairs =
      conclude_access({synthetic_panel("stride", {1, 8, 16, 32},
                                       {{"read", [](double x) { return copy * 8 / (std::min(4 * x, 64.0) + 4); }},
                                        {"write", [](double x) { return x == 1 ? copy : copy * 8 / 68; }}})},
                      copy);
  EXPECT_TRUE(says(pairs, "moving 64 bytes")) << joined(pairs);
  EXPECT_TRUE(says(pairs, "fits a memory that delivers two sectors at a time")) << joined(pairs);
  EXPECT_TRUE(says(pairs, "costs twice, which fits reading it before it is written back. Let")) << joined(pairs);
  const auto further =
      conclude_access({synthetic_panel("stride", {1, 8, 16, 32},
                                       {{"write", [](double x) { return x == 1 ? copy : copy * 8 / (8 * x + 4); }}})},
                      copy);
  EXPECT_TRUE(says(further, "written back, and sectors that lie further apart cost still more")) << joined(further);
  Panel asked = synthetic_panel("stride", {1, 8, 16, 32}, {{"read", [](double x) { return copy / x; }}});
  for (const auto& [x, gain] : {std::pair{8.0, 1.2}, {16.0, 1.7}, {32.0, 1.3}})
    asked.points.push_back({narrow_fetches, x, 1, gain * copy / x});
  EXPECT_TRUE(
      says(conclude_access({asked}, copy),
           "1.3 times the rate of the default in the median of these strides, and 1.7 times at a stride of 16."))
      << joined(conclude_access({asked}, copy));
  const auto none =
      conclude_access({synthetic_panel("stride", {1, 32}, {{"read", [](double) { return copy; }}})}, copy);
  EXPECT_TRUE(says(none, "no effect of sectors")) << joined(none);
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

TEST(Conclusions, OfOrdersAndPieces) {
  Panel orders;
  orders.name = "orders";
  const std::array rates{4000.0, 3990.0, 3800.0, 400.0, 3980.0, 3000.0};
  for (std::size_t i = 0; i < order_names.size(); ++i) orders.points.push_back({order_names[i], 0, 1, rates[i]});
  const auto usual = conclude_access({orders}, copy);
  EXPECT_TRUE(says(usual, "which thread of a warp takes which element does not matter")) << joined(usual);
  EXPECT_TRUE(says(usual, "single elements scattered have only 10 % of the rate of them")) << joined(usual);
  EXPECT_TRUE(says(usual, "where every other thread reads nothing, with only 75 % of the rate of them: idle threads"))
      << joined(usual);
  orders.points[4].value = 3000;  // unneeded sectors cost time
  EXPECT_FALSE(says(conclude_access({orders}, copy), "idle threads cost nothing"));
  const auto pieces = conclude_access({synthetic_panel("pieces", {1, 8, 256},
                                                       {{piece_names[0], [](double x) { return 4000 / x; }},
                                                        {piece_names[1], [](double x) { return 2000 / x; }}})},
                                      copy);
  EXPECT_TRUE(says(pieces, "256 elements long, memory moves about 0.2 % of what it moves")) << joined(pieces);
  EXPECT_TRUE(says(pieces, "With 8 elements, a sector for each thread, it moves less, too.")) << joined(pieces);
  EXPECT_TRUE(says(pieces, "has only 50 % of the rate of reading through it: the cache keeps")) << joined(pieces);
  // Side by side, threads write as many bytes as they read. Long pieces write hardly any.
  const auto sums = conclude_access(
      {synthetic_panel("pieces", {1, 8, 256}, {{piece_names[0], [](double x) { return x == 8 ? 1800 : 1000; }}})},
      copy);
  EXPECT_TRUE(says(sums, "256 elements long, memory moves about 50 %")) << joined(sums);
  EXPECT_TRUE(says(sums, "With 8 elements, a sector for each thread, it moves no less.")) << joined(sums);
}

TEST(Conclusions, OfRecords) {
  const Line separate{"structure of arrays", [](double) { return copy; }};
  const auto usual = conclude_access(
      {synthetic_panel(
          "structures", {1, 8},
          {{"array of structures", [](double x) { return predicted_records(static_cast<int>(x), copy); }}, separate})},
      copy);
  EXPECT_TRUE(says(usual, "4.5 times as fast")) << joined(usual);
  EXPECT_TRUE(says(usual, "does not matter")) << joined(usual);
  const auto absent = conclude_access(
      {synthetic_panel("structures", {1, 8}, {{"array of structures", [](double) { return copy; }}, separate})}, copy);
  EXPECT_TRUE(says(absent, "gains nothing")) << joined(absent);
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
