// The values of expressions are compared with muParser's at scattered points and at zeros, infinities and NaN. Their
// C++ sources are compared with text; tests/backends/test_runtime.cpp compiles them.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <muParser.h>

#include "backends/memory/error.hpp"
#include "io/expressions/expression.hpp"
#include "io/expressions/expression_parser.hpp"
#include "tests/expressions.hpp"

namespace poisson::expression_parser_tests {
namespace {

double value_at(const std::array<double, 3>& p, const std::vector<ExpressionStep>& steps) {
  std::array<double, 1> value{};
  ExpressionProgram program(steps);
  program(std::array{p[0]}, std::array{p[1]}, std::array{p[2]}, value);
  return value[0];
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

/// muParser, with the functions and constants that it lacks.
class Oracle {
 public:
  explicit Oracle(const std::string& text) {
    parser_.DefineVar("x", &at_[0]);
    parser_.DefineVar("y", &at_[1]);
    parser_.DefineVar("z", &at_[2]);
    parser_.DefineConst("pi", M_PI);
    parser_.DefineConst("_pi", M_PI);  // muParser's value is 8e-13 off
    parser_.DefineFun("floor", static_cast<double (*)(double)>(std::floor));
    parser_.DefineFun("ceil", static_cast<double (*)(double)>(std::ceil));
    parser_.DefineFun("fmod", static_cast<double (*)(double, double)>(std::fmod));
    parser_.SetExpr(text);
    // The optimizer regroups sums of constants, which may then cancel differently. It also folds logic between
    // constants as integers.
    parser_.EnableOptimizer(false);
  }
  double operator()(const std::array<double, 3>& p) {
    at_ = p;
    return parser_.Eval();
  }

 private:
  std::array<double, 3> at_{};
  mu::Parser parser_;
};

class Parsed : public testing::TestWithParam<std::string_view> {};

TEST_P(Parsed, HasTheValuesOfMuParser) {
  const std::string text(GetParam());
  const std::vector<ExpressionStep> steps = parse_steps(text);
  ASSERT_TRUE(parse_expression(text).source()) << text;
  Oracle oracle(text);
  for (const auto& p : points()) {
    const double wanted = oracle(p), found = value_at(p, steps);
    // A square may differ by one ulp from muParser's power, and its exp and log by several.
    ASSERT_LE(distance(found, wanted), 16)
        << text << " at " << p[0] << " " << p[1] << " " << p[2] << ": " << found << " instead of " << wanted;
  }
}

/// Values must not depend on whether coordinates are constant along a line or equal to those of the previous line.
TEST_P(Parsed, HasItsValuesInLines) {
  const std::string text(GetParam());
  const std::vector<ExpressionStep> steps = parse_steps(text);
  ExpressionProgram program(steps);
  std::vector<double> along, values;
  for (const auto& p : points()) along.push_back(p[0]);
  const auto check = [&](const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& z) {
    values.assign(x.size(), 7);
    program(x, y, z, values);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LE(distance(value_at({x[i], y[i], z[i]}, steps), values[i]), 1)
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

INSTANTIATE_TEST_SUITE_P(Expressions, Parsed, testing::ValuesIn(expressions));

TEST(ExpressionParser, RefusesTextOutsideTheGrammar) {
  for (const char* text : {"",          "x +",      "x y",      "(x",        "x)",    "2x",    "sin x", "sin()",
                           "sin(x, y)", "atan2(x)", "fmod(x)",  "pow(x, 2)", "x = 1", "x ? y", "x : y", "x & y",
                           "!x",        "w",        "1e999999", ".",         "x,y",   "'x'",   "x;y",   "max(x,)"})
    EXPECT_THROW(parse_steps(text), InputError) << text;
  EXPECT_THROW(parse_steps(std::string(5000, '(') + "x" + std::string(5000, ')')), InputError);
  EXPECT_THROW(parse_steps("x" + std::string(20000, ' ')), InputError);
}

TEST(ExpressionParser, NamesThePlaceOfAnError) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_steps(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(message("x y"),
            "syntax error at character 3 of \"x y\" (Unexpected \"y\"); check the operators and parentheses there");
  EXPECT_EQ(message("x and y < 1"), "unknown symbol 'and' at character 3 of \"x and y < 1\"; write &&");
  EXPECT_EQ(message("2*(x * / y)"),
            "syntax error at character 8 of \"2*(x * / y)\" (Unexpected operator \"/\"); check "
            "the operators and parentheses there");
  EXPECT_EQ(message("fmod(x)"),
            "syntax error at character 7 of \"fmod(x)\" (Too few parameters for function "
            "\"fmod\"); check the operators and parentheses there");
  EXPECT_EQ(message("(x, y)"),
            "a list (a comma outside a function's arguments) at character 3 of \"(x, y)\"; write one "
            "expression, and decimals with a point");
  EXPECT_EQ(message("mod(x, 2)"),
            "unknown function 'mod' at character 1 of \"mod(x, 2)\"; write fmod(a, b), which has "
            "the sign of a, or a - b*floor(a/b), which has the sign of b");
}

TEST(ExpressionParser, KnowsEveryFunctionOfMuParser) {
  const mu::Parser parser;
  for (const auto& [name, callback] : parser.GetFunDef())
    EXPECT_EQ(std::ranges::count(expression_functions(), name), 1) << name;
  EXPECT_TRUE(std::ranges::is_sorted(expression_functions()));
}

TEST(ExpressionParser, AcceptsLongSumsTablesAndNests) {
  std::string sum = "x", table;
  while (sum.size() + 2 < longest_expression) sum += "+x";
  const auto terms = static_cast<double>(sum.size() / 2 + 1);
  EXPECT_EQ(value_at({0.5, 0, 0}, parse_steps(sum)), 0.5 * terms);
  for (int layer = 0; layer < 1000; ++layer)
    table += "z<" + std::to_string(layer + 1) + "?" + std::to_string(layer) + ":";
  EXPECT_EQ(value_at({0, 0, 700.5}, parse_steps(table + "-1")), 700);
  EXPECT_EQ(value_at({0, 0, 2000}, parse_steps(table + "-1")), -1);
  EXPECT_EQ(value_at({3, 0, 0}, parse_steps(std::string(900, '(') + "x" + std::string(900, ')'))), 3);
}

TEST(ExpressionParser, ReplacesParametersByNumbers) {
  const Parameters parameters{{"a", -2}, {"radius", 0.25}, {"two", 2}};
  EXPECT_EQ(source_of(parse_steps("x-a", parameters)), "(x-(-2.0))");
  EXPECT_EQ(source_of(parse_steps("x^two", parameters)), "poisson::expression::pow2(x)");
  EXPECT_THROW(parse_steps("x - b", parameters), InputError);
  const std::array<std::array<std::string, 2>, 3> pairs{
      {{"-a^two*x", "4*-x"},
       {"x^2 + y^2 < radius^2 ? a : 1 - a*y", "x^2 + y^2 < 0.0625 ? -2 : 1 + 2*y"},
       {"min(a, x, radius)", "min(-2, min(x, 0.25))"}}};
  for (const auto& [text, same] : pairs)
    for (const auto& p : points())
      EXPECT_EQ(distance(value_at(p, parse_steps(text, parameters)), value_at(p, parse_steps(same))), 0) << text;
}

TEST(ExpressionParser, WritesTheSameNumbersInEverySource) {
  EXPECT_EQ(source_of(parse_steps("0.1*x - 1e-300")), "(poisson::expression::product(0.1,x)-1e-300)");
  EXPECT_EQ(source_of(parse_steps("x^2 < 3 ? x : -1")), "((poisson::expression::pow2(x)<3.0?1.0:0.0)!=0.0?x:(-1.0))");
  EXPECT_EQ(source_of(parse_steps("log(fmod(x, 2)) + avg(x, y)")),
            "(poisson::expression::ln(poisson::expression::fmod(x,2.0))+(((0.0+x)+y)/2.0))");
}

TEST(ExpressionParser, RoundsPowersOfConstantsOnce) {
  EXPECT_EQ(parse_constant("0.3^3"), std::pow(0.3, 3));
  EXPECT_EQ(parse_constant("1e-400"), 0);
  EXPECT_EQ(parse_constant("0.5 && 1"), 1);
}

TEST(ExpressionParser, RemaindersHaveTheSignOfTheDividend) {
  EXPECT_EQ(parse_constant("fmod(-7, 3)"), -1);
  EXPECT_EQ(parse_constant("fmod(7, -3)"), 1);
  EXPECT_EQ(parse_constant("floor(-0.5) + 10*ceil(-1.5)"), -11);
}

}  // namespace
}  // namespace poisson::expression_parser_tests
