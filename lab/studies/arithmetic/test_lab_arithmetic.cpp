// Tests the study `arithmetic`: its exact functions, its measures of error and time, and its conclusions.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "lab/harness/session.hpp"
#include "lab/studies/arithmetic/study.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"
#ifdef POISSON_HAVE_CUDA
#include "lab/studies/studies.hpp"
#endif

namespace poisson::lab {
namespace {

Operation real(double (*exact)(double, double), double ulps, double absolute = 0) {
  return {"f", "functions", Words::real, 1, exact, 0.5, 1.5, ulps, absolute, 0.25, false, 1, nullptr, nullptr};
}
Operation whole(double (*exact)(double, double)) {
  return {"f", "integers", Words::integer, 1, exact, 0, 0, 0, 0, 0, true, 1, nullptr, nullptr};
}

TEST(LabArithmetic, MeasuresErrorsInUnitsOfTheLastPlace) {
  EXPECT_EQ(ulp_error(1.0f, 1.0), 0);
  EXPECT_EQ(ulp_error(std::nextafter(1.0f, 2.0f), 1.0), 1);
  EXPECT_EQ(ulp_error(std::nextafter(1.0f, 0.0f), 1.0), 0.5);  // below a power of two the spacing is halved
  EXPECT_EQ(ulp_error(0.0f, 0x1p-149), 1);
  EXPECT_EQ(ulp_error(std::nextafter(-3.0f, 0.0f), -3.0), 1);
  EXPECT_EQ(ulp_error(std::numeric_limits<float>::quiet_NaN(), 1.0), std::numeric_limits<double>::infinity());
  for (const double x : {0.1, 1e-20, 3e8, 0.7}) EXPECT_LE(ulp_error(static_cast<float>(x), x), 0.5);
}

TEST(LabArithmetic, AcceptsRoundedResultsAndRefusesOthers) {
  const Operation sine = real(exact::sine, 0.5);
  const auto x = arguments(sine, 1001, 1), y = arguments(sine, 1001, 2);
  std::vector<std::uint32_t> z;
  z.reserve(x.size());
  for (const std::uint32_t word : x) z.push_back(word_of(std::sin(number_of(word, Words::real)), Words::real));
  EXPECT_TRUE(accuracy(sine, x, y, z).within);
  EXPECT_LE(accuracy(sine, x, y, z).ulps, 0.5);
  z[500] += 3;
  EXPECT_FALSE(accuracy(sine, x, y, z).within);
  EXPECT_NEAR(accuracy(sine, x, y, z).ulps, 3, 0.5);
  EXPECT_TRUE(accuracy(real(exact::sine, 0.5, 1e-6), x, y, z).within) << "an absolute bound serves as well";
  z[500] = 0xffffffffu;
  EXPECT_FALSE(accuracy(real(exact::sine, 1e9, 1e9), x, y, z).within) << "poison is no result";
}

TEST(LabArithmetic, ComparesIntegersToTheLastBit) {
  const Operation multiply = whole(exact::integer_multiply);
  const auto x = arguments(multiply, 997, 1), y = arguments(multiply, 997, 2);
  std::vector<std::uint32_t> z;
  for (std::size_t i = 0; i < x.size(); ++i) z.push_back(x[i] * y[i]);
  EXPECT_TRUE(accuracy(multiply, x, y, z).within);
  ++z[0];
  EXPECT_FALSE(accuracy(multiply, x, y, z).within);
  EXPECT_EQ(accuracy(multiply, x, y, z).ulps, 1);
}

TEST(LabArithmetic, KnowsExactIntegers) {
  for (const std::uint32_t x : {1u, 7u, 8u, 9u, 10u, 12345u, 0x7fffffffu, 0x80000000u, 0xfffffff1u, 0xffffffffu})
    for (const std::uint32_t y : {1u, 3u, 31u, 32u, 0x80000001u, 0xffffffffu}) {
      const double a = x, b = y;
      EXPECT_EQ(exact::integer_add(a, b), x + y);
      EXPECT_EQ(exact::integer_multiply(a, b), x * y);
      EXPECT_EQ(exact::integer_divide(a, b), y / x);
      EXPECT_EQ(exact::multiply_24(a, b), (x & 0xffffffu) * (y & 0xffffffu));
      EXPECT_EQ(exact::exclusive_or(a, b), static_cast<std::uint32_t>((x ^ y) + y));
      EXPECT_EQ(exact::smaller(a, b), std::min(x + 1, y));
      EXPECT_EQ(exact::modulo(a, b), static_cast<double>(y % x) + 1);
      EXPECT_EQ(exact::divide_by_10(a, b), x / 10 + y);
      EXPECT_EQ(exact::divide_by_8(a, b), x / 8 + y);
      EXPECT_EQ(exact::modulo_10(a, b), x % 10 + y);
      EXPECT_EQ(exact::modulo_8(a, b), x % 8 + y);
      EXPECT_EQ(exact::signed_divide_by_8(a, b), static_cast<std::uint32_t>(static_cast<std::int32_t>(x) / 8) + y);
    }
}

TEST(LabArithmetic, KnowsExactConversions) {
  EXPECT_EQ(exact::through_half(1 + 0x1p-11, 0), 1) << "ties go to even";
  EXPECT_EQ(exact::through_half(1 + 0x1.8p-10, 0), 1 + 0x1p-9);
  EXPECT_EQ(exact::through_half(65504, 0), 65504);
  EXPECT_EQ(exact::through_half(65520, 0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(exact::through_half(0x1p-24, 0), 0x1p-24) << "the smallest denormal half";
  EXPECT_EQ(exact::through_half(-0x1p-26, 0), 0);
  EXPECT_EQ(exact::through_integer(2.5, 0), 2);
  EXPECT_EQ(exact::high_word(2, 0), 2) << "0x40000000 is 2 as the upper word of a double and as a float";
  EXPECT_EQ(exact::from_words(0, 1.5), 0.125) << "0x3fc00000";
}

TEST(LabArithmetic, FollowsChains) {
  const Operation halve = real([](double x, double y) { return x * y; }, 0.5);
  const std::array<std::uint32_t, chains> zeros{};
  EXPECT_TRUE(chain_agrees(halve, zeros, zeros));
  Operation add = real(exact::add, 0.5);
  add.operand = 0x1p-10;
  std::array<std::uint32_t, chains> start{}, end{};
  for (std::size_t c = 0; c < chains; ++c) {
    start[c] = word_of(1.0 + static_cast<double>(c), Words::real);
    end[c] = word_of(1.0 + static_cast<double>(c) + chain_steps * 0x1p-10, Words::real);
  }
  EXPECT_TRUE(chain_agrees(add, start, end));
  EXPECT_FALSE(chain_agrees(add, start, start)) << "a loop that the compiler took away";
  const Operation sum = whole(exact::integer_add);
  std::array<std::uint32_t, chains> x{3, 5, 7, 11};
  const auto begin = x;
  for (int step = 0; step < chain_steps; ++step)
    for (std::size_t c = 0; c < chains; ++c) x[c] += x[(c + 1) % chains];
  EXPECT_TRUE(chain_agrees(sum, begin, x));
  x[3] ^= 1;
  EXPECT_FALSE(chain_agrees(sum, begin, x));
}

TEST(LabArithmetic, DividesResultsByTheClocksOfTheirMultiprocessor) {
  // Two consecutive blocks run on multiprocessor 0, two overlapping ones on 1 and one on 2: 20, 400/15 and 10 results
  // per clock.
  const std::array blocks{BlockTime{100, 110, 0}, BlockTime{110, 120, 0}, BlockTime{5, 15, 1}, BlockTime{10, 20, 1},
                          BlockTime{0, 20, 2}};
  EXPECT_DOUBLE_EQ(results_per_clock(blocks, 200), 20);
  EXPECT_EQ(results_per_clock({}, 200), 0);
}

TEST(LabArithmetic, GathersAsTheTableSays) {
  EXPECT_EQ(gathered(0, 1, 1), 120);
  EXPECT_EQ(gathered(5, 1, 3), 360) << "all lanes read what lane 0 reads";
  EXPECT_EQ(gathered(5, 32, 1), 120) << "sixteen entries in a row are 0 … 15 in some order";
}

TEST(LabArithmetic, MultipliesARowOfTheProduct) {
  const int n = 5;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += double{product_entry(0, i * n + k)} * double{product_entry(1, k * n + j)};
      EXPECT_DOUBLE_EQ(product_row(n, i)[static_cast<std::size_t>(j)], sum);
    }
}

TEST(LabArithmetic, SwizzlesAsTheLectureDoes) {
  const std::array data{1, 2, 3, 4}, expected{3, 3, 2, 1};
  for (int c = 0; c < 4; ++c) EXPECT_EQ(data[static_cast<std::size_t>(zzyx(c))], expected[static_cast<std::size_t>(c)]);
}

TEST(LabArithmetic, VerifiesEveryVariantOnAGpu) {
  if (on_cpu()) GTEST_SKIP() << "needs a GPU";
#ifdef POISSON_HAVE_CUDA
  Session session(test_device(), true);
  const Findings findings = findings_of(arithmetic_study, arithmetic_study.measure(session), session.machine());
  EXPECT_EQ(findings.panels.size(), 10U);
  std::vector<std::string> named{""};
  for (const Panel& panel : findings.panels) named.push_back(panel.name);
  EXPECT_EQ(silent(findings.conclusions, named), std::vector<std::string>());
  for (const Panel& panel : findings.panels)
    for (const Point& point : panel.points) EXPECT_GT(point.value, 0) << panel.name << ", " << point.variant;
#endif
}

}  // namespace
}  // namespace poisson::lab
