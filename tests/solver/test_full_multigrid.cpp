// One cycle of full multigrid solves to the accuracy of the discretization.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <ostream>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/results/integrals.hpp"
#include "tests/oracles/manufactured.hpp"
#include "tests/solve.hpp"

namespace poisson {
namespace {

constexpr double largest_ratio = 1.5;  // of the algebraic error to the discretization error
constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;

/// What is solved; where not zero on the faces, a solution with data on all of them.
struct Case {
  std::string_view name;
  int dimension;
  std::array<std::array<BoundaryKind, 2>, 3> kinds;
  bool zero_on_faces;
  bool varying;  ///< κ
  friend std::ostream& operator<<(std::ostream& stream, const Case& c) { return stream << c.name; }
};
constexpr std::array<std::array<BoundaryKind, 2>, 3> all_dirichlet{{{D, D}, {D, D}, {D, D}}};
constexpr std::array<Case, 11> cases{{
    {"Zero", 3, all_dirichlet, true, false},
    {"NotZero", 3, all_dirichlet, false, false},
    {"NotZeroVarying", 3, all_dirichlet, false, true},
    {"Neumann", 3, {{{N, N}, {N, N}, {N, N}}}, false, false},
    {"Robin", 3, {{{R, R}, {R, R}, {R, R}}}, false, false},
    {"Periodic", 3, {{{P, P}, {P, P}, {P, P}}}, false, false},
    {"Mixed", 3, {{{D, N}, {P, P}, {R, D}}}, false, false},
    {"ZeroInTheSquare", 2, all_dirichlet, true, false},
    {"NotZeroInTheSquare", 2, all_dirichlet, false, false},
    {"NeumannInTheSquare", 2, {{{N, N}, {N, N}, {N, N}}}, false, false},
    {"MixedInTheSquare", 2, {{{D, R}, {N, D}, {D, D}}}, false, false},
}};

struct GridKind {
  std::string_view name;
  std::array<StretchedEnd, 3> ends;  ///< of tanh axes
  double strength;                   ///< 0: equidistant
  friend std::ostream& operator<<(std::ostream& stream, const GridKind& g) { return stream << g.name; }
};
constexpr std::array<GridKind, 4> grid_kinds{{
    {"Equidistant", {}, 0},
    {"TanhBothEndsOfOneAxis", {StretchedEnd::both, {}, {}}, 2.5},
    {"TanhOneEndOfOneAxis", {StretchedEnd::upper, {}, {}}, 1.5},
    {"TanhAllAxes", {StretchedEnd::lower, StretchedEnd::both, StretchedEnd::upper}, 1.0},
}};

std::vector<double> axis(const GridKind& grid, std::size_t d, int cells) {
  const bool stretched = grid.strength > 0 && (d == 0 || grid.name == "TanhAllAxes");
  return stretched ? tanh_nodes(0, 1, cells, grid.strength, grid.ends[d]) : uniform_nodes(0, 1, cells);
}

Manufactured manufactured(const Case& c) {
  Manufactured m;
  m.dimension = c.dimension;
  m.kinds = c.kinds;
  const double pi = std::numbers::pi;
  m.solution =
      c.zero_on_faces ? m.product(0, {pi, 2 * pi, pi}, {0, 0, 0}) : m.product(1.2, {2.1, 2.6, 1.7}, {0.3, -0.4, 0.2});
  m.kappa[0] = {1.5, c.varying ? 0.4 : 0, m.product(0, {2, 1.4, 1.6}, {0.8, 0.5, 0.6})};
  m.alpha.scale = 2;
  return m;
}

class FullMultigrid : public testing::TestWithParam<std::tuple<Case, GridKind>> {};

TEST_P(FullMultigrid, LeavesTheErrorOfTheDiscretization) {
  const auto& [c, grid] = GetParam();
  const int cells = c.dimension == 2 ? 128 : 64;
  std::array<std::vector<double>, 3> nodes;
  for (std::size_t d = 0; d < static_cast<std::size_t>(c.dimension); ++d) nodes[d] = axis(grid, d, cells);
  Problem problem = manufactured(c).problem(nodes);
  problem.source = on_nodes(problem.source, problem);  // with f in control volumes some errors cancel

  Options options;
  options.precision = SolvePrecision::double_;
  options.tolerance = 1e-12;
  Solve solve(problem, options);
  const Result converged = solve.run();
  ASSERT_LE(converged.relative(), 1e-11);
  const ErrorNorms discretization = error_norms(solve.discretization(), solve.solution());

  options.tolerance = 0;
  options.max_iterations = 1;
  options.precision = SolvePrecision::mixed;
  Solve one(problem, options);
  ASSERT_EQ(one.run().iterations, 1);
  one.backend().axpy(one.backend().scalar(-1), solve.solution(), one.solution());
  const SolutionNorms difference = solution_norms(one.discretization(), one.solution());
  const double largest = std::max(difference.max, -difference.min);

  EXPECT_LE(largest, largest_ratio * discretization.max);
  EXPECT_LE(difference.l2, largest_ratio * discretization.l2);
  RecordProperty("max_ratio", std::to_string(largest / discretization.max));
  RecordProperty("l2_ratio", std::to_string(difference.l2 / discretization.l2));
}

INSTANTIATE_TEST_SUITE_P(, FullMultigrid, testing::Combine(testing::ValuesIn(cases), testing::ValuesIn(grid_kinds)),
                         [](const auto& p) {
                           return std::string(std::get<0>(p.param).name) + std::string(std::get<1>(p.param).name);
                         });

}  // namespace
}  // namespace poisson
