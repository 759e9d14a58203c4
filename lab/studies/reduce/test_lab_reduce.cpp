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

std::string conclusions(const Panel& points, double copy) {
  std::string text;
  for (const std::string& conclusion : conclude_reduce({points}, {.copy = copy})) text += conclusion + '\n';
  return text;
}

}  // namespace
}  // namespace poisson::lab
