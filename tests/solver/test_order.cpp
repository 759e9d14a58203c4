// Order of accuracy on manufactured solutions: every boundary kind × coefficient × reaction on every kind of grid.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "grids/axes/stretching.hpp"
#include "grids/results/integrals.hpp"
#include "tests/oracles/manufactured.hpp"
#include "tests/solve.hpp"

namespace poisson {
namespace {

constexpr double least_order = 1.9;
constexpr std::array<double, 3> lengths{1, 1.25, 0.8};

/// In three dimensions milder: there the coarsest grid has few cells, and the order must show on it already.
double tanh_strength(int dimension) {
  return dimension == 2 ? 1.5 : 1.0;
}
/// Of a geometric axis, end to end.
double expansion(int dimension) {
  return dimension == 2 ? 4 : 1.8;
}

/// An axis of a grid of which the coarsest has `base` cells.
struct AxisRequest {
  int dimension;
  double length;
  int cells, base;
};
struct GridKind {
  std::string_view name;
  std::function<std::vector<double>(const AxisRequest&)> nodes;
};
// What a test is called where it fails.
std::ostream& operator<<(std::ostream& stream, const GridKind& kind) {
  return stream << kind.name;
}

std::vector<double> bisected(const AxisRequest& a) {
  // Widths that follow no rule.
  constexpr std::array<double, 7> widths{1.0, 1.12, 0.95, 1.05, 1.1, 0.9, 1.02};
  std::vector<double> nodes{0};
  for (int i = 0; i < a.base; ++i) nodes.push_back(nodes.back() + widths[static_cast<std::size_t>(i) % widths.size()]);
  for (double& x : nodes) x *= a.length / nodes.back();
  while (static_cast<int>(nodes.size()) <= a.cells) {
    std::vector<double> finer;
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
      finer.push_back(nodes[i]);
      finer.push_back(0.5 * (nodes[i] + nodes[i + 1]));
    }
    finer.push_back(nodes.back());
    nodes = std::move(finer);
  }
  return nodes;
}

GridKind tanh_kind(std::string_view name, StretchedEnd at) {
  return {name,
          [at](const AxisRequest& a) { return tanh_nodes(0, a.length, a.cells, tanh_strength(a.dimension), at); }};
}

// ratio → √ratio on refinement.
GridKind geometric_kind(std::string_view name, StretchedEnd at) {
  return {name, [at](const AxisRequest& a) {
            const double coarsest = geometric_ratio(expansion(a.dimension), a.base, at);
            return geometric_nodes(0, a.length, a.cells, std::pow(coarsest, static_cast<double>(a.base) / a.cells), at);
          }};
}

const std::array<GridKind, 8> grid_kinds{{
    {"Equidistant", [](const AxisRequest& a) { return uniform_nodes(0, a.length, a.cells); }},
    tanh_kind("TanhLower", StretchedEnd::lower),
    tanh_kind("TanhUpper", StretchedEnd::upper),
    tanh_kind("TanhBoth", StretchedEnd::both),
    geometric_kind("GeometricLower", StretchedEnd::lower),
    geometric_kind("GeometricUpper", StretchedEnd::upper),
    geometric_kind("GeometricBoth", StretchedEnd::both),
    {"Nodes", bisected},
}};

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;

struct Boundaries {
  std::string_view name;
  std::array<std::array<BoundaryKind, 2>, 3> kinds;
  double alpha_amplitude;
};
constexpr std::array<Boundaries, 7> boundary_kinds{{
    {"Dirichlet", {{{D, D}, {D, D}, {D, D}}}, 0},
    {"Neumann", {{{N, N}, {N, N}, {N, N}}}, 0},
    {"Robin, constant alpha", {{{R, R}, {R, R}, {R, R}}}, 0},
    {"Robin, varying alpha", {{{R, R}, {R, R}, {R, R}}}, 0.5},
    {"periodic", {{{P, P}, {P, P}, {P, P}}}, 0},
    {"Dirichlet to Neumann, periodic, Robin to Dirichlet", {{{D, N}, {P, P}, {R, D}}}, 0},
    {"Neumann to Robin, Dirichlet to Neumann, periodic", {{{N, R}, {D, N}, {P, P}}}, 0.5},
}};

struct Coefficients {
  std::string_view name;
  bool isotropic;
  std::array<double, 3> scale;
  double amplitude;
};
constexpr std::array<Coefficients, 4> coefficients{{
    {"constant", true, {1.5, 1.5, 1.5}, 0},
    {"varying", true, {1.5, 1.5, 1.5}, 0.4},
    {"constant tensor", false, {1, 1.7, 0.6}, 0},
    {"varying tensor", false, {1, 1.7, 0.6}, 0.4},
}};

struct Reaction {
  std::string_view name;
  double scale, amplitude;
};
constexpr std::array<Reaction, 3> reactions{{{"none", 0, 0}, {"constant", 3, 0}, {"varying", 3, 0.5}}};

Manufactured manufactured(int dimension, const Boundaries& boundaries, const Coefficients& coefficient,
                          const Reaction& reaction) {
  Manufactured m;
  m.dimension = dimension;
  m.lengths = lengths;
  m.kinds = boundaries.kinds;
  m.isotropic = coefficient.isotropic;
  m.solution = m.product(1.5, {1.3, 1.1, 1.7}, {0.3, -0.4, 0.2});
  for (std::size_t d = 0; d < 3; ++d) {
    const double shift = 0.5 * static_cast<double>(d);
    m.kappa[d] = {coefficient.scale[d], coefficient.amplitude,
                  m.product(0, {1.2, 1.4, 1.6}, {0.8 + shift, 0.5 - shift, 0.6 + shift})};
  }
  m.sigma = {reaction.scale, reaction.amplitude, m.product(0, {1.5, 1.2, 1.1}, {0.4, 0.9, 0.1})};
  m.alpha = {2, boundaries.alpha_amplitude, m.product(0, {1.4, 1.3, 1.2}, {0.2, 0.7, 1.1})};
  return m;
}

class Order : public testing::TestWithParam<std::tuple<int, Centering, GridKind>> {
 protected:
  // Thousands of small problems: more threads would mostly wait for each other.
  static void SetUpTestSuite() { omp_set_num_threads(1); }
};

TEST_P(Order, IsTwo) {
  const auto& [dimension, centering, grid] = GetParam();
  const std::array<int, 3> cells = dimension == 2 ? std::array{32, 64, 128} : std::array{12, 24, 48};
  Options options;
  options.smoother.type = SmootherType::red_black;  // points cost the least on so few cells
  options.tolerance = 1e-10;
  options.krylov = Krylov::cg;
  // The largest error of cells shows its order late: it lies near a face, from which the outermost centres are half a
  // cell away on every grid.
  const bool of_cells = centering == Centering::cell;
  const std::array<double, 2> least_max_order = !of_cells        ? std::array{least_order, least_order}
                                                : dimension == 2 ? std::array{1.85, least_order}
                                                                 : std::array{1.6, 1.75};
  double lowest = 10;
  for (const Boundaries& boundaries : boundary_kinds)
    for (const Coefficients& coefficient : coefficients)
      for (const Reaction& reaction : reactions) {
        if (of_cells && (reaction.scale > 0) == coefficient.isotropic) continue;
        if ((dimension == 3 || of_cells) && reaction.scale > 0 &&
            (reaction.amplitude > 0) != (coefficient.amplitude > 0))
          continue;
        SCOPED_TRACE(testing::Message() << boundaries.name << "; coefficient " << coefficient.name << "; reaction "
                                        << reaction.name);
        const Manufactured m = manufactured(dimension, boundaries, coefficient, reaction);
        std::array<ErrorNorms, cells.size()> errors;
        for (std::size_t g = 0; g < cells.size(); ++g) {
          std::array<std::vector<double>, 3> nodes;
          for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
            nodes[d] = grid.nodes({dimension, lengths[d], cells[g], cells[0]});
          Problem problem = m.problem(nodes);
          problem.centering = centering;
          Solve solve(problem, options);
          const Result result = solve.run();
          ASSERT_TRUE(result.converged()) << result.reason(options) << " at " << result.relative();
          errors[g] = error_norms(solve.discretization(), solve.solution());
          if (g == 0) continue;
          const double max_order = std::log2(errors[g - 1].max / errors[g].max);
          const double l2_order = std::log2(errors[g - 1].l2 / errors[g].l2);
          lowest = std::min({lowest, max_order, l2_order});
          EXPECT_GE(max_order, least_max_order[g - 1])
              << cells[g] << " cells, errors " << errors[g - 1].max << ", " << errors[g].max;
          EXPECT_GE(l2_order, least_order) << cells[g] << " cells, errors " << errors[g - 1].l2 << ", " << errors[g].l2;
        }
      }
  RecordProperty("lowest_order", std::to_string(lowest));
}

std::string name_of(const testing::TestParamInfo<Order::ParamType>& test) {
  const auto& [dimension, centering, grid] = test.param;
  return std::string(grid.name) + (centering == Centering::cell ? "OfCells" : "") + "In" + std::to_string(dimension) +
         "D";
}

INSTANTIATE_TEST_SUITE_P(, Order,
                         testing::Combine(testing::Values(2, 3), testing::Values(Centering::node),
                                          testing::ValuesIn(grid_kinds)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Square, Order,
                         testing::Combine(testing::Values(2), testing::Values(Centering::cell),
                                          testing::ValuesIn(grid_kinds)),
                         name_of);
// In three dimensions one grid of each kind.
INSTANTIATE_TEST_SUITE_P(Cube, Order,
                         testing::Combine(testing::Values(3), testing::Values(Centering::cell),
                                          testing::Values(grid_kinds[0], grid_kinds[2], grid_kinds[6], grid_kinds[7])),
                         name_of);

}  // namespace
}  // namespace poisson
