// Tests the study `reduce`: its exact answers, its variants, and its conclusions from given points.

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/harness/session.hpp"
#include "lab/harness/with_cuda.hpp"
#include "lab/studies/reduce/study.hpp"
#include "lab/studies/studies.hpp"
#include "tests/device.hpp"

namespace poisson::lab {
namespace {

std::vector<ReduceVariant> variants_here() {
  std::vector<ReduceVariant> all = library_reduce_variants();
  const auto append = [&](const std::vector<ReduceVariant>& some) { all.insert(all.end(), some.begin(), some.end()); };
  if constexpr (with_cuda)
    if (!on_cpu()) {
      append(gpu_reduce_variants());
      append(gpu_reduce_libraries());
      return all;
    }
  append(cpu_reduce_variants());
  return all;
}

TEST(ReduceStudy, EveryVariantIsRight) {
  const auto backend = test_backend();
  for (const ReduceVariant& variant : variants_here())
    EXPECT_EQ(wrong_reduction(*backend, variant), "") << variant.name;
}

TEST(ReduceStudy, TheOracleFindsWhatIsWrong) {
  const auto backend = test_backend();
  EXPECT_NE(wrong_reduction(*backend, broken_reduce_variant()), "");
  for (const Reduction kind : {Reduction::sum, Reduction::dot, Reduction::max_norm}) {
    const ReduceVariant nothing{
        .name = "nothing", .kind = kind, .launch = [](Backend&, const Values&, const Values&, ReduceSpace&) {}};
    EXPECT_NE(wrong_reduction(*backend, nothing), "");
  }
}

TEST(ReduceStudy, FailsWithABrokenVariant) {
  Session session(test_device(), true);
  session.add_broken_variant();
  EXPECT_THROW(reduce_study.measure(session), WrongResult);
}

TEST(ReduceStudy, ExactAnswersAreThoseOfTheValues) {
  constexpr std::array<std::int64_t, 3> counts{1, 100, 100'000};
  const auto sums = exact_reductions(Reduction::sum, counts, 1, 2),
             dots = exact_reductions(Reduction::dot, counts, 1, 2),
             norms = exact_reductions(Reduction::max_norm, counts, 1, 2);
  for (std::size_t c = 0; c < counts.size(); ++c) {
    double sum = 0, dot = 0, norm = 0;
    for (std::int64_t i = 0; i < counts[c]; ++i) {
      const double x = reduce_value(1, i), y = reduce_value(2, i);
      ASSERT_GE(x, -1);
      ASSERT_LT(x, 1);
      sum += x;
      dot += x * y;
      norm = std::max(norm, std::abs(x));
    }
    EXPECT_EQ(sums[c], sum);
    EXPECT_EQ(dots[c], dot);
    EXPECT_EQ(norms[c], norm);
  }
  EXPECT_NE(sums[0], sums[1]);
}

TEST(ReduceStudy, FillsTheValuesOfASeed) {
  const auto backend = test_backend();
  const Buffer memory = backend->allocate(10'000 * sizeof(double));
  fill_values(*backend, static_cast<double*>(memory.data()), 10'000, 3);
  std::vector<double> values(10'000);
  backend->read(memory.data(), values.data(), memory.bytes());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], reduce_value(3, static_cast<std::int64_t>(i)));
}

// Makes a panel with two sizes and the GB/s at each.
Panel panel(const std::vector<std::tuple<std::string_view, double, double>>& values) {
  constexpr std::array sizes{1024.0, 1048576.0};
  Panel all{.name = "sum", .title = "sum of fp64 values", .x_label = "values", .y_label = "GB/s read"};
  for (const auto& [variant, small, large] : values) {
    all.points.push_back({std::string(variant), sizes[0], 8e-9 * sizes[0] / small, small});
    all.points.push_back({std::string(variant), sizes[1], 8e-9 * sizes[1] / large, large});
  }
  return all;
}

std::string conclusions(const Panel& points, double copy) {
  std::string text;
  for (const std::string& conclusion : conclude_reduce({points}, {.copy = copy})) text += conclusion + '\n';
  return text;
}

void expect_in(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* const part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << '"' << part << "\" is missing in:\n" << text;
}

TEST(ReduceConclusions, OfADeviceWhereStepsHelp) {
  using namespace reduce_names;
  const std::string text = conclusions(panel({{neighbouring, 1, 100},
                                              {packed, 1, 79},
                                              {interleaved, 1, 150},
                                              {first_add, 1, 600},
                                              {two_pass, 2, 800},
                                              {cooperative, 4, 700},
                                              {atomics, 2, 1000},
                                              {library, 8, 900},
                                              {cub, 4, 1000},
                                              {reduce_names::thrust, 1, 450}}),
                                       1000);
  expect_in(
      text,
      {"gains 8.0 times", "most of all by \"first add on load\"", "0.79 by \"neighbouring pairs by the first threads\"",
       "4 by \"first add on load\"", "90 % of a copy", "takes about 1 µs", "only 90 % of the rate of CUB",
       "2.0 times the rate of Thrust; at no size it takes twice as long, and at some less than half as long."});
}

TEST(ReduceConclusions, OfADeviceWhereNothingHelps) {
  using namespace reduce_names;
  const std::string text =
      conclusions(panel({{neighbouring, 1, 100}, {interleaved, 1, 101}, {two_pass, 1, 100}, {atomics, 1, 99}}), 0);
  expect_in(text, {"nothing that exceeds the noise", "costs nothing"});
  EXPECT_EQ(text.find("CUB"), std::string::npos);
}

TEST(ReduceConclusions, OfACpu) {
  using namespace reduce_names;
  Panel points = panel({{chain, 2, 4}, {chains, 9, 12}, {threads, 1, 13}, {library, 8, 12}});
  expect_in(conclusions(points, 20), {"From \"one chain of additions\" (4 GB/s) to \"all threads\" (13 GB/s)",
                                      "by \"16 chains\"", "60 % of a copy", "Half of that rate needs 1024 values."});
  points.noise = Panel::host_noise;
  EXPECT_EQ(conclusions(points, 20), "Of the steps of a sum \"16 chains\" gains most, far more than noise does.\n");
}

}  // namespace
}  // namespace poisson::lab
