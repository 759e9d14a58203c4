// Expressions are compared with closed forms, in bulk, pointwise and from several threads.

#include <algorithm>
#include <array>
#include <clocale>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "io/expressions/expression.hpp"

namespace poisson::expression_tests {
namespace {

struct Points {
  std::vector<double> x, y, z;
};

/// Returns scattered points with all signs and the origin.
Points scattered(int count) {
  Points points;
  for (int i = 0; i < count; ++i) {
    points.x.push_back(std::sin(0.7 * i));
    points.y.push_back(2 * std::cos(1.3 * i) - 1);
    points.z.push_back(i % 7 * 0.25);
  }
  return points;
}

std::vector<double> evaluate(const Quantity& quantity, const Points& points) {
  std::vector<double> values(points.x.size());
  (*quantity.function())(points.x, points.y, points.z, values);
  return values;
}

struct ClosedForm {
  std::string text;
  std::function<double(double, double, double)> value;
};

const std::array<ClosedForm, 12> closed_forms{{
    {"x + 2*y - z/4", [](double x, double y, double z) { return x + 2 * y - z / 4; }},
    {"sin(pi*x)*sin(_pi*y)",
     [](double x, double y, double) { return std::sin(std::numbers::pi * x) * std::sin(std::numbers::pi * y); }},
    {"-x^2", [](double x, double, double) { return -(x * x); }},
    {"2^3^x", [](double x, double, double) { return std::pow(2, std::pow(3, x)); }},
    {"exp(-(x^2 + y^2))", [](double x, double y, double) { return std::exp(-(x * x + y * y)); }},
    {"x < 0 ? 1 : y > 0 ? 2 : 3", [](double x, double y, double) { return x < 0   ? 1.
                                                                          : y > 0 ? 2.
                                                                                  : 3.; }},
    {"x < 0.5 && y >= 0 || z == 0", [](double x, double y, double z) { return double((x < 0.5 && y >= 0) || z == 0); }},
    {"x != y", [](double x, double y, double) { return double(x != y); }},
    {"min(x, y, z) + max(x, 0) + avg(x, y)",
     [](double x, double y, double z) {
       return std::min({x, y, z}) + std::max(x, 0.) + (x + y) / 2;
     }},
    {"atan2(y, x) + abs(x) + sign(y)",
     [](double x, double y, double) { return std::atan2(y, x) + std::abs(x) + (y > 0) - (y < 0); }},
    {"ln(_e^(1 + z)) + log10(100) + sqrt(z)", [](double, double, double z) { return 1 + z + 2 + std::sqrt(z); }},
    {"1e-3*x + .5*y + 2.*z + 1.5E+2", [](double x, double y, double z) { return 1e-3 * x + 0.5 * y + 2 * z + 150; }},
}};

TEST(Expression, AgreesWithItsClosedForm) {
  const Points points = scattered(257);
  for (const ClosedForm& form : closed_forms) {
    const std::vector<double> values = evaluate(parse_expression(form.text), points);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double exact = form.value(points.x[i], points.y[i], points.z[i]);
      ASSERT_NEAR(values[i], exact, 4e-15 * (1 + std::abs(exact))) << form.text << " at point " << i;
    }
  }
}

TEST(Expression, HasTheSameValuesInBulkAndPointByPoint) {
  const Points points = scattered(1000);
  const Quantity quantity = parse_expression("exp(sin(3*x)) / (1 + y^2) + z");
  const std::vector<double> bulk = evaluate(quantity, points);
  for (std::size_t i = 0; i < bulk.size(); ++i)
    ASSERT_EQ(evaluate(quantity, {{points.x[i]}, {points.y[i]}, {points.z[i]}}).front(), bulk[i]);
}

TEST(Expression, MayBeCalledFromSeveralThreads) {
  const Points points = scattered(5000);
  const Quantity quantity = parse_expression("x > 0 ? sin(x*y) : cos(y + z)^2");
  const std::vector<double> alone = evaluate(quantity, points);
  std::vector<std::vector<double>> together(8);
  std::vector<std::thread> threads;
  threads.reserve(together.size());
  for (std::vector<double>& values : together)
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 20; ++repeat) values = evaluate(quantity, points);
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& values : together) EXPECT_EQ(values, alone);
}

TEST(Expression, WithoutVariablesIsAConstant) {
  ASSERT_TRUE(parse_expression("2*pi").constant());
  EXPECT_EQ(*parse_expression("2*pi").constant(), 2 * std::numbers::pi);
  EXPECT_EQ(*parse_expression(" 1e-8 ").constant(), 1e-8);
  EXPECT_FALSE(parse_expression("0*x").constant());
  EXPECT_EQ(parse_constant("3/4"), 0.75);
  EXPECT_THROW(parse_constant("3*z"), InputError);
}

TEST(Expression, KeepsValuesThatAreNotFinite) {
  const std::vector<double> values = evaluate(parse_expression("1/x + sqrt(y)"), {{0, 1}, {1, -1}, {0, 0}});
  EXPECT_TRUE(std::isinf(values[0]));
  EXPECT_TRUE(std::isnan(values[1]));
}

TEST(Expression, ReadsPointsAsDecimalsInEveryLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) std::setlocale(LC_ALL, name);
  EXPECT_EQ(*parse_expression("1.5 + .25").constant(), 1.75);
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace poisson::expression_tests
