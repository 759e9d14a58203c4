// The study of access patterns: its oracles on the host, its sentences, and on a GPU its kernels.

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
  // Threads that walk down columns read something else than those that walk along rows.
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

TEST(Figures, HaveThreeDigits) {
  EXPECT_EQ(figure(4286.7), "4290");
  EXPECT_EQ(figure(0), "0");
  EXPECT_EQ(figure(65536), "65536");
  EXPECT_EQ(figure(2.956), "2.96");
  EXPECT_EQ(figure(0.012345), "0.0123");
  EXPECT_EQ(figure(99.96), "100");
  EXPECT_EQ(percent(0.954), "95 %");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

constexpr double copy = 4000;

TEST(Conclusions, OfOffsets) {
  const auto flat =
      conclude_access({synthetic_panel("offset", {0, 1, 32}, {{"read", [](double) { return 3900.0; }}})}, copy);
  EXPECT_TRUE(says(flat, "no concern")) << joined(flat);
  const auto dented = conclude_access(
      {synthetic_panel("offset", {0, 1, 32}, {{"write", [](double x) { return x == 1 ? 3000.0 : 4000.0; }}})}, copy);
  EXPECT_TRUE(says(dented, "the write side of a copy costs up to 25 % (at offset 1)")) << joined(dented);
}

TEST(Conclusions, OfStridesTellTheBytesMoved) {
  const auto sectors = conclude_access(
      {synthetic_panel("stride", {1, 8, 32},
                       {{"read", [](double x) { return predicted_strided(static_cast<int>(x), copy); }}})},
      copy);
  EXPECT_TRUE(says(sectors, "costs as much as moving 32 bytes")) << joined(sectors);
  const auto lines = conclude_access(
      {synthetic_panel("stride", {1, 8, 32}, {{"read", [](double x) { return x < 32 ? copy : copy * 8 / 68; }}})},
      copy);
  EXPECT_TRUE(says(lines, "moving 64 bytes")) << joined(lines);
  const auto none =
      conclude_access({synthetic_panel("stride", {1, 32}, {{"read", [](double) { return copy; }}})}, copy);
  EXPECT_TRUE(says(none, "no effect of sectors")) << joined(none);
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

TEST(Conclusions, OfLoadPaths) {
  const auto rows = [](double texture) {
    return synthetic_panel("rows", {8192},
                           {{"float, plain", [](double) { return 3800.0; }},
                            {"float, read-only", [](double) { return 3810.0; }},
                            {"float, texture", [=](double) { return texture; }}});
  };
  const Panel columns = synthetic_panel("columns", {8192},
                                        {{"float, plain", [](double) { return 381.0; }},
                                         {"float, read-only", [](double) { return 381.0; }},
                                         {"float, texture", [](double) { return 3950.0; }}});
  const auto equal = conclude_access({rows(3800), columns}, copy);
  EXPECT_TRUE(says(equal, "take plain loads")) << joined(equal);
  EXPECT_TRUE(says(equal, "9.97 times as long")) << joined(equal);
  const auto texture = conclude_access({rows(4000), columns}, copy);
  EXPECT_TRUE(says(texture, "the texture path is the fastest")) << joined(texture);
  EXPECT_TRUE(says(texture, "costs nothing against its rows")) << joined(texture);
}

TEST(Conclusions, OfGridsNameTheBestOne) {
  const Panel threads = synthetic_panel("threads", {16, 128, 1024},
                                        {{"float, rows", [](double x) { return x == 128 ? 3900.0 : 2000.0; }}});
  const auto rising = conclude_access(
      {threads, synthetic_panel("blocks", {16, 2048, 65536},
                                {{"float, rows", [](double x) { return x > 16 ? 3900 - 1e-4 * x : 300; }}})},
      copy);
  EXPECT_TRUE(says(rising, "2048 blocks × 128 threads")) << joined(rising);
  EXPECT_TRUE(says(rising, "from 2048 on")) << joined(rising);
  const auto falling =
      conclude_access({threads, synthetic_panel("blocks", {16, 2048, 65536},
                                                {{"float, rows", [](double x) { return x == 2048 ? 3900.0 : 9; }}})},
                      copy);
  EXPECT_TRUE(says(falling, "choose their number by measuring")) << joined(falling);
  const auto late = conclude_access(
      {threads,
       synthetic_panel("blocks", {16, 2048, 65536}, {{"float, rows", [](double x) { return x * 3900 / 65536; }}})},
      copy);
  EXPECT_TRUE(says(late, "only this largest number of blocks comes within")) << joined(late);
  const auto dented =
      conclude_access({threads, synthetic_panel("blocks", {16, 2048, 4096, 65536},
                                                {{"float, rows", [](double x) { return x == 4096 ? 9 : 3900.0; }}})},
                      copy);
  EXPECT_TRUE(says(dented, "come 16, 2048 and 65536 blocks, and not those between")) << joined(dented);
}

#ifdef POISSON_HAVE_CUDA
TEST(Access, EveryVariantIsRight) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  Session session(test_device(), true);
  EXPECT_NO_THROW(verify_patterns(session));
  EXPECT_NO_THROW(verify_traversals(session));
}

TEST(Access, IsComplete) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
  expect_complete(access_study);
}
#endif

}  // namespace
}  // namespace poisson::lab
