#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "grids/results/integrals.hpp"
#include "tests/solve.hpp"

/// These functions observe orders of convergence: the reduction of errors from one grid to the next finer one.
namespace poisson {

/// Compares a grid with the previous one, which has half as many cells per axis.
struct ObservedOrder {
  int cells;  ///< finer grid
  ErrorNorms coarse, fine;
  double max() const { return std::log2(coarse.max / fine.max); }
  double l2() const { return std::log2(coarse.l2 / fine.l2); }
  double least() const { return std::min(max(), l2()); }
  friend std::ostream& operator<<(std::ostream& stream, const ObservedOrder& o) {
    return stream << o.cells << " cells: largest error " << o.coarse.max << ", then " << o.fine.max << "; l2 "
                  << o.coarse.l2 << ", then " << o.fine.l2;
  }
};

/// Solves problem(n) for each n of `cells`, each twice the previous one, with the given options or options(n). If a
/// solve does not converge, the test fails and the other sizes are skipped.
template <class F, class O>
std::vector<ObservedOrder> observed_orders(const std::vector<int>& cells, const F& problem, const O& options) {
  std::vector<ObservedOrder> orders;
  ErrorNorms before;
  for (const int n : cells) {
    Options chosen{.method = Method::multigrid};
    if constexpr (std::is_invocable_v<O, int>)
      chosen = options(n);
    else
      chosen = options;
    Solve solve(problem(n), chosen);
    const Result result = solve.run();
    EXPECT_TRUE(result.converged()) << name_of(result.verdict) << " at " << result.relative() << ", " << n << " cells";
    if (!result.converged()) break;
    const ErrorNorms now = error_norms(solve.discretization(), solve.solution());
    if (n != cells.front()) orders.push_back({n, before, now});
    before = now;
  }
  EXPECT_EQ(orders.size() + 1, cells.size());
  return orders;
}

/// Records the least of these orders as a property of the test.
inline void record_least(const std::vector<ObservedOrder>& orders) {
  double least = std::numeric_limits<double>::infinity();
  for (const ObservedOrder& o : orders) least = std::min(least, o.least());
  testing::Test::RecordProperty("lowest_order", std::to_string(least));
}

}  // namespace poisson
