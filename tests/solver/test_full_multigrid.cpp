// One cycle of full multigrid must solve to the accuracy of the discretization.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/results/integrals.hpp"
#include "tests/cases/covering.hpp"
#include "tests/oracles/manufactured.hpp"
#include "tests/solve.hpp"

namespace poisson::full_multigrid_tests {
namespace {

constexpr double largest_ratio = 1.5;  // ratio of algebraic error to discretization error
constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;

/// Describes the faces. Unless `zero`, the solution has nonzero data on all of them.
struct Faces {
  std::array<std::array<BoundaryKind, 2>, 3> kinds;
  bool zero;
};
const std::vector<Named<Faces>> all_faces{
    {"ZeroOnDirichlet", {{{{D, D}, {D, D}, {D, D}}}, true}},  {"Dirichlet", {{{{D, D}, {D, D}, {D, D}}}, false}},
    {"Neumann", {{{{N, N}, {N, N}, {N, N}}}, false}},         {"Robin", {{{{R, R}, {R, R}, {R, R}}}, false}},
    {"Periodic", {{{{P, P}, {P, P}, {P, P}}}, false}},        {"Mixed", {{{{D, N}, {P, P}, {R, D}}}, false}},
    {"DirichletToRobin", {{{{D, R}, {N, D}, {D, D}}}, false}}};

struct GridKind {
  std::array<StretchedEnd, 3> ends;  ///< stretched ends of tanh axes
  double strength;                   ///< 0: equidistant
  int stretched;                     ///< number of first axes that are stretched
};
const std::vector<Named<GridKind>> grid_kinds{
    {"Equidistant", {{}, 0, 0}},
    {"TanhBothEndsOfOneAxis", {{StretchedEnd::both, {}, {}}, 2.5, 1}},
    {"TanhOneEndOfOneAxis", {{StretchedEnd::upper, {}, {}}, 1.5, 1}},
    {"TanhAllAxes", {{StretchedEnd::lower, StretchedEnd::both, StretchedEnd::upper}, 1.0, 3}},
};
const std::vector<Named<double>> kappa_amplitudes{{"constant", 0}, {"varying", 0.4}};
const std::vector<Named<int>> dimensions{{"2D", 2}, {"3D", 3}};
const std::vector<Named<Centering>> centerings{{"Nodes", Centering::node}, {"Cells", Centering::cell}};

class FullMultigrid : public testing::TestWithParam<
                          std::tuple<Named<Faces>, Named<GridKind>, Named<double>, Named<int>, Named<Centering>>> {};

TEST_P(FullMultigrid, LeavesTheErrorOfTheDiscretization) {
  const auto& [faces, grid, amplitude, dimension, centering] = GetParam();
  Manufactured m;
  m.dimension = dimension.value;
  m.kinds = faces.value.kinds;
  const double pi = std::numbers::pi;
  m.solution =
      faces.value.zero ? m.product(0, {pi, 2 * pi, pi}, {0, 0, 0}) : m.product(1.2, {2.1, 2.6, 1.7}, {0.3, -0.4, 0.2});
  m.kappa[0] = {1.5, amplitude.value, m.product(0, {2, 1.4, 1.6}, {0.8, 0.5, 0.6})};
  m.alpha.scale = 2;
  std::array<std::vector<double>, 3> nodes;
  const int cells = m.dimension == 2 ? 128 : 64;
  for (std::size_t d = 0; d < static_cast<std::size_t>(m.dimension); ++d)
    nodes[d] = static_cast<int>(d) < grid.value.stretched
                   ? tanh_nodes(0, 1, cells, grid.value.strength, grid.value.ends[d])
                   : uniform_nodes(0, 1, cells);
  Problem problem = m.problem(nodes);
  problem.centering = centering.value;
  if (problem.centering == Centering::node)
    problem.source = on_nodes(problem.source, problem);  // with f in control volumes some errors cancel

  Options options{.method = Method::multigrid};
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

INSTANTIATE_TEST_SUITE_P(, FullMultigrid,
                         testing::ValuesIn(every_pair(all_faces, grid_kinds, kappa_amplitudes, dimensions, centerings)),
                         name_of_combination);

}  // namespace
}  // namespace poisson::full_multigrid_tests
