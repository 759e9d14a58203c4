#include <array>
#include <chrono>
#include <cmath>
#include <numbers>
#include <vector>

#include "backends/device/device.hpp"
#include "backends/memory/error.hpp"
#include "bench/cases.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson::bench {
namespace {

// Returns the function and its source that io/ creates from 3*pi^2*sin(pi*x)*sin(pi*y)*sin(pi*z).
Quantity waves() {
  constexpr double pi = std::numbers::pi;
  const Quantity::Function f = [](std::span<const double> x, std::span<const double> y, std::span<const double> z,
                                  std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = 3 * pi * pi * std::sin(pi * x[i]) * std::sin(pi * y[i]) * std::sin(pi * z[i]);
  };
  return {f,
          "(29.608813203268074*poisson::expression::sin(3.141592653589793*x)*"
          "poisson::expression::sin(3.141592653589793*y)*poisson::expression::sin(3.141592653589793*z))"};
}

Problem problem(int cells) {
  Problem p;
  for (auto& nodes : p.nodes)
    for (int i = 0; i <= cells; ++i) nodes.push_back(static_cast<double>(i) / cells);
  p.source = waves();
  return p;
}

// Compares the right-hand side with the host's on a small grid.
void check(Backend& backend) {
  const auto host = make_cpu_backend();
  const Problem p = problem(19);
  const Discretization there(backend, p, Assembly::automatic, Sampling::device), here(*host, p);
  Field b(backend, there.block().layout(), Precision::fp64), expected(*host, here.block().layout(), Precision::fp64);
  const double sum = there.assemble_rhs(b), right = here.assemble_rhs(expected);
  const HostRead read(b);
  const auto found = (*read).view<double>();
  const auto wanted = expected.view<double>();
  double largest = 0;
  for (int k = 0; k < wanted.n[2]; ++k)
    for (int j = 0; j < wanted.n[1]; ++j)
      for (int i = 0; i < wanted.n[0]; ++i) {
        const double distance = std::abs(found(i, j, k) - wanted(i, j, k));
        largest = distance <= largest ? largest : distance;
      }
  if (!(largest <= 1e-13) || !(std::abs(sum - right) <= 1e-12 * right))
    throw RunError("the right-hand side of expression is wrong (it differs from the host's by " +
                   std::to_string(largest) + "): no time of wrong values is worth printing; run the tests");
}

Measurement measure(int cells, const Setting& setting) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const auto backend = make_backend(setting.device);
  check(*backend);
  Measurement m;
  m.name = "expression";
  m.cells = cells;
  const auto start = Clock::now();
  const Discretization d(*backend, problem(cells), Assembly::automatic, Sampling::device);
  m.setup = since(start);  // run-time compilation or its cache
  m.unknowns = d.unknowns();
  Field b(*backend, d.block().layout(), Precision::fp64);
  d.assemble_rhs(b);
  std::vector<double> seconds;
  for (int run = 0; run < setting.repeat; ++run) {
    const auto begin = Clock::now();
    d.assemble_rhs(b);  // waits for its sum
    seconds.push_back(since(begin));
  }
  summarize(seconds, m);
  return m;
}

constexpr std::array table{
    Case{"expression", "a right-hand side from an expression with three sines, in fp64", nullptr, nullptr, measure}};

}  // namespace

std::span<const Case> expression_cases() {
  return table;
}

}  // namespace poisson::bench
