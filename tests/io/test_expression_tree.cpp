// The grammar for the translation of expressions is compared with muParser. The tree of an expression must have
// muParser's values at scattered points and at zeros, infinities and NaN.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <muParser.h>

#include "io/expressions/expression.hpp"
#include "io/expressions/expression_tree.hpp"
#include "tests/expressions.hpp"

namespace poisson {
namespace {

double with_muparser(const std::string& text, double x, double y, double z) {
  std::vector<double> value(1);
  const Quantity q = parse_expression(text);
  (*q.function())(std::array{x}, std::array{y}, std::array{z}, value);
  return value.front();
}

/// Returns the number of doubles between two numbers; 0 between NaNs.
std::int64_t distance(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<std::int64_t>::max();
  const auto place = [](double v) {
    const auto bits = std::bit_cast<std::int64_t>(v);
    return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
  };
  return std::abs(place(a) - place(b));
}

std::vector<std::array<double, 3>> points() {
  std::vector<std::array<double, 3>> all;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const double x : {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, inf, -inf, nan})
    for (const double y : {0.0, 1.0, -3.0, nan, inf}) all.push_back({x, y, x > 0 ? 0.25 : -2.0});
  for (int i = 0; i < 500; ++i) all.push_back({1.9 * std::sin(0.7 * i), 2 * std::cos(1.3 * i) - 1, 0.25 * (i % 9) - 1});
  return all;
}

class Translated : public testing::TestWithParam<std::string_view> {};

TEST_P(Translated, HasTheValuesOfMuParser) {
  const std::string text(GetParam());
  const auto tree = ExpressionTree::parse(text);
  ASSERT_TRUE(tree);
  ASSERT_TRUE(parse_expression(text).source()) << text;
  mu::Parser parser;
  std::array<double, 3> at{};
  parser.DefineVar("x", &at[0]);
  parser.DefineVar("y", &at[1]);
  parser.DefineVar("z", &at[2]);
  parser.DefineConst("pi", M_PI);
  parser.DefineConst("_pi", M_PI);
  parser.SetExpr(text);
  // Sums of constants that muParser's optimizer has regrouped may cancel differently, so the unoptimized expression is
  // compared as well.
  parser.EnableOptimizer(false);
  for (const auto& p : points()) {
    at = p;
    const double wanted = parser.Eval(), found = (*tree)(p[0], p[1], p[2]);
    // A square may differ by one ulp from muParser's power, and its exp and log by several.
    ASSERT_LE(distance(found, wanted), 16)
        << text << " at " << p[0] << " " << p[1] << " " << p[2] << ": " << found << " instead of " << wanted;
    const double optimized = with_muparser(text, p[0], p[1], p[2]);
    if (std::isfinite(p[0]) && std::isfinite(p[1])) {
      ASSERT_TRUE(distance(found, optimized) <= 16 || std::abs(found - optimized) < 1e-15) << text;
    }
  }
}

/// Values must not depend on whether coordinates are constant along a line or equal to those of the previous line.
TEST_P(Translated, HasItsValuesInLines) {
  const std::string text(GetParam());
  const auto tree = ExpressionTree::parse(text);
  ASSERT_TRUE(tree);
  ExpressionProgram program(tree->steps());
  std::vector<double> along, values;
  for (const auto& p : points()) along.push_back(p[0]);
  const auto check = [&](const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& z) {
    values.assign(x.size(), 7);
    program(x, y, z, values);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LE(distance((*tree)(x[i], y[i], z[i]), values[i]), 1)
          << text << " at " << x[i] << " " << y[i] << " " << z[i];
  };
  const std::vector<double> shorter(along.begin(), along.begin() + 100);
  for (const double y : {0.25, -0.0, 0.0, -3.0, std::numeric_limits<double>::quiet_NaN()})
    for (const double z : {1.0, 1.0, -2.0}) {
      check(along, std::vector(along.size(), y), std::vector(along.size(), z));
      check(shorter, std::vector(shorter.size(), z), std::vector(shorter.size(), y));
    }
  check(std::vector(along.size(), 0.5), along, std::vector(along.size(), 1.0));
  check(along, along, along);
  std::vector<double> many;
  for (int repeat = 0; repeat < 20; ++repeat) many.insert(many.end(), along.begin(), along.end());
  check(many, std::vector(many.size(), 0.5), many);
}

INSTANTIATE_TEST_SUITE_P(Expressions, Translated, testing::ValuesIn(expressions));

TEST(ExpressionTree, LeavesToMuParserWhatItCannotTranslate) {
  for (const std::string_view text : untranslated) {
    EXPECT_FALSE(ExpressionTree::parse(std::string(text))) << text;
    EXPECT_TRUE(parse_expression(std::string(text)).function()) << text;
    EXPECT_FALSE(parse_expression(std::string(text)).source()) << text;
  }
}

TEST(ExpressionTree, RefusesWhatIsNotOfTheGrammar) {
  for (const char* text :
       {"",      "x +",   "x y",   "(x",    "x)", "2x", "sin x", "sin()", "sin(x, y)", "atan2(x)", "pow(x, 2)",
        "x = 1", "x ? y", "x : y", "x & y", "!x", "w",  "1e999", ".",     "x,y",       "'x'",      "x;y"})
    EXPECT_FALSE(ExpressionTree::parse(text)) << text;
  EXPECT_FALSE(ExpressionTree::parse(std::string(5000, '(') + "x" + std::string(5000, ')')));
  EXPECT_FALSE(ExpressionTree::parse("x" + std::string(20000, ' ')));
}

TEST(ExpressionTree, KnowsEveryFunctionOfMuParser) {
  const mu::Parser parser;
  for (const auto& [name, callback] : parser.GetFunDef()) {
    const bool one = ExpressionTree::parse(name + "(x)").has_value();
    const bool two = ExpressionTree::parse(name + "(x, y)").has_value();
    EXPECT_TRUE(one || two) << name;
  }
}

TEST(ExpressionTree, PutsNumbersForParameters) {
  const Parameters parameters{{"a", -2}, {"radius", 0.25}, {"two", 2}};
  EXPECT_EQ(ExpressionTree::parse("x-a", parameters)->source(), "(x-(-2.0))");
  EXPECT_EQ(ExpressionTree::parse("x^two", parameters)->source(), "poisson::expression::pow2(x)");
  EXPECT_FALSE(ExpressionTree::parse("x - b", parameters));
  for (const std::string text : {"a*x", "-a^two*x", "x^2 + y^2 < radius^2 ? a : 1 - a*y", "x--a", "x^a",
                                 "min(a, x, radius)", "exp(a*radius) + x"}) {
    const Quantity q = parse_expression(text, parameters);
    const auto tree = ExpressionTree::parse(text, parameters);
    ASSERT_TRUE(tree && q.source()) << text;
    for (const auto& p : points()) {
      std::vector<double> value(1);
      (*q.function())(std::array{p[0]}, std::array{p[1]}, std::array{p[2]}, value);
      if (std::isfinite(p[0]) && std::isfinite(p[1])) {
        EXPECT_LE(distance((*tree)(p[0], p[1], p[2]), value.front()), 16) << text << " at " << p[0] << " " << p[1];
      }
    }
  }
}

TEST(ExpressionTree, WritesTheSameNumbersInEverySource) {
  EXPECT_EQ(ExpressionTree::parse("0.1*x - 1e-300")->source(), "(poisson::expression::product(0.1,x)-1e-300)");
  EXPECT_EQ(ExpressionTree::parse("x^2 < 3 ? x : -1")->source(),
            "((poisson::expression::pow2(x)<3.0?1.0:0.0)!=0.0?x:(-1.0))");
}

}  // namespace
}  // namespace poisson
