// These tests measure the order of accuracy on manufactured solutions for every pair of boundary kinds, coefficients,
// reactions, kinds of grids, and nodes or cells in two or three dimensions.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "grids/axes/stretching.hpp"
#include "tests/cases/covering.hpp"
#include "tests/convergence.hpp"
#include "tests/oracles/manufactured.hpp"
#include "tests/smoothing.hpp"

namespace poisson::order_tests {
namespace {

constexpr double least_order = 1.9;
constexpr std::array<double, 3> lengths{1, 1.25, 0.8};

/// Three-dimensional grids are stretched less, because the coarsest one has few cells and must already show the order.
double tanh_strength(int dimension) {
  return dimension == 2 ? 1.5 : 1.0;
}
/// Returns the expansion of a geometric axis from end to end.
double expansion(int dimension) {
  return dimension == 2 ? 4 : 1.8;
}

/// Describes an axis of a grid whose coarsest version has `base` cells.
struct AxisRequest {
  int dimension;
  double length;
  int cells, base;
};
using NodesOfAxis = std::function<std::vector<double>(const AxisRequest&)>;

std::vector<double> bisected(const AxisRequest& a) {
  // These widths follow no rule.
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

NodesOfAxis tanh_axis(StretchedEnd at) {
  return [at](const AxisRequest& a) { return tanh_nodes(0, a.length, a.cells, tanh_strength(a.dimension), at); };
}

// Refinement replaces the ratio by its square root.
NodesOfAxis geometric_axis(StretchedEnd at) {
  return [at](const AxisRequest& a) {
    const double coarsest = geometric_ratio(expansion(a.dimension), a.base, at);
    return geometric_nodes(0, a.length, a.cells, std::pow(coarsest, static_cast<double>(a.base) / a.cells), at);
  };
}

// Axes stretched at the other end have mirrored rows, as the operator tests show.
const std::vector<Named<NodesOfAxis>> grid_kinds{
    {"Equidistant", [](const AxisRequest& a) { return uniform_nodes(0, a.length, a.cells); }},
    {"TanhLower", tanh_axis(StretchedEnd::lower)},
    {"TanhBoth", tanh_axis(StretchedEnd::both)},
    {"GeometricUpper", geometric_axis(StretchedEnd::upper)},
    {"GeometricBoth", geometric_axis(StretchedEnd::both)},
    {"Nodes", bisected}};

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;

struct Boundaries {
  std::array<std::array<BoundaryKind, 2>, 3> kinds;
  double alpha_amplitude;
};
const std::vector<Named<Boundaries>> boundary_kinds{
    {"Dirichlet", {{{{D, D}, {D, D}, {D, D}}}, 0}},
    {"Neumann", {{{{N, N}, {N, N}, {N, N}}}, 0}},
    {"Robin", {{{{R, R}, {R, R}, {R, R}}}, 0}},
    {"RobinVarying", {{{{R, R}, {R, R}, {R, R}}}, 0.5}},
    {"Periodic", {{{{P, P}, {P, P}, {P, P}}}, 0}},
    {"DirichletToNeumannPeriodicRobinToDirichlet", {{{{D, N}, {P, P}, {R, D}}}, 0}},
    {"NeumannToRobinDirichletToNeumannPeriodic", {{{{N, R}, {D, N}, {P, P}}}, 0.5}}};

struct Coefficients {
  bool isotropic;
  std::array<double, 3> scale;
  double amplitude;
};
const std::vector<Named<Coefficients>> coefficients{{"constant", {true, {1.5, 1.5, 1.5}, 0}},
                                                    {"varying", {true, {1.5, 1.5, 1.5}, 0.4}},
                                                    {"constantTensor", {false, {1, 1.7, 0.6}, 0}},
                                                    {"varyingTensor", {false, {1, 1.7, 0.6}, 0.4}}};

struct Reaction {
  double scale, amplitude;
};
const std::vector<Named<Reaction>> reactions{{"none", {0, 0}}, {"constant", {3, 0}}, {"varying", {3, 0.5}}};

struct Unknowns {
  int dimension;
  Centering centering;
};
const std::vector<Named<Unknowns>> unknowns{{"Nodes2D", {2, Centering::node}},
                                            {"Nodes3D", {3, Centering::node}},
                                            {"Cells2D", {2, Centering::cell}},
                                            {"Cells3D", {3, Centering::cell}}};

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

class Order
    : public testing::TestWithParam<
          std::tuple<Named<Unknowns>, Named<NodesOfAxis>, Named<Boundaries>, Named<Coefficients>, Named<Reaction>>> {
 protected:
  // The problems are small: more threads would mostly wait for each other.
  static void SetUpTestSuite() { omp_set_num_threads(1); }
};

TEST_P(Order, IsTwo) {
  const auto& [of, nodes_of_axis, boundaries, coefficient, reaction] = GetParam();
  const auto [dimension, centering] = of.value;
  const std::vector<int> cells = dimension == 2 ? std::vector{32, 64, 128} : std::vector{12, 24, 48};
  Options options{.method = Method::multigrid};
  choose(options.smoother, "red-black");  // points are cheapest on few cells
  options.tolerance = 1e-10;
  options.krylov = Krylov::cg;
  // The largest error of cells is near a face, half a cell from it on every grid, so its order is visible only on fine
  // grids.
  const bool of_cells = centering == Centering::cell;
  const std::array<double, 2> least_max_order = !of_cells        ? std::array{least_order, least_order}
                                                : dimension == 2 ? std::array{1.85, least_order}
                                                                 : std::array{1.6, 1.75};
  const Manufactured m = manufactured(dimension, boundaries.value, coefficient.value, reaction.value);
  const auto orders = observed_orders(
      cells,
      [&](int n) {
        std::array<std::vector<double>, 3> nodes;
        for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
          nodes[d] = nodes_of_axis.value({dimension, lengths[d], n, cells[0]});
        Problem problem = m.problem(nodes);
        problem.centering = centering;
        return problem;
      },
      options);
  for (std::size_t g = 0; g < orders.size(); ++g) {
    EXPECT_GE(orders[g].max(), least_max_order[g]) << orders[g];
    EXPECT_GE(orders[g].l2(), least_order) << orders[g];
  }
  record_least(orders);
}

INSTANTIATE_TEST_SUITE_P(, Order,
                         testing::ValuesIn(every_pair(unknowns, grid_kinds, boundary_kinds, coefficients, reactions)),
                         name_of_combination);

}  // namespace
}  // namespace poisson::order_tests
