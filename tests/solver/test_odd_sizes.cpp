// Odd, prime and unequal numbers of cells must cost no more than powers of two in contraction, full multigrid and
// iterations.

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/results/integrals.hpp"
#include "tests/oracles/manufactured.hpp"
#include "tests/solve.hpp"

namespace poisson::odd_sizes_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;
using Kinds = std::array<std::array<BoundaryKind, 2>, 3>;
using Cells = std::vector<int>;

struct Unknowns {
  std::string name;
  Centering centering;
  Scheme scheme;
  friend std::ostream& operator<<(std::ostream& stream, const Unknowns& u) { return stream << u.name; }
};
const std::vector<Unknowns> all_unknowns{{"Nodes", Centering::node, Scheme::fv},
                                         {"Cells", Centering::cell, Scheme::fv},
                                         {"Elements", Centering::node, Scheme::q1},
                                         {"Compact", Centering::node, Scheme::compact4}};
struct Faces {
  std::string name;
  Kinds kinds;
  friend std::ostream& operator<<(std::ostream& stream, const Faces& f) { return stream << f.name; }
};
const std::vector<Faces> all_faces{{"Dirichlet", {{{D, D}, {D, D}, {D, D}}}},
                                   {"Neumann", {{{N, N}, {N, N}, {N, N}}}},
                                   {"Mixed", {{{D, N}, {P, P}, {R, D}}}},
                                   {"Periodic", {{{P, P}, {P, P}, {P, P}}}}};

const std::vector<Cells> sizes{{31, 31, 31}, {33, 33, 33}, {37, 37, 37}, {48, 37, 29}, {65, 65}, {67, 101}, {97, 97}};

/// Returns nodes of cells of equal width for any numbers of cells.
std::array<std::vector<double>, 3> nodes_of(const Cells& cells) {
  std::array<std::vector<double>, 3> nodes;
  for (std::size_t d = 0; d < cells.size(); ++d)
    nodes[d] = uniform_nodes(0, static_cast<double>(cells[d]) / cells[0], cells[d]);
  return nodes;
}

using SchemeContext = std::tuple<Unknowns, Faces>;
class OddSizes : public testing::TestWithParam<SchemeContext> {
 protected:
  const Unknowns& unknowns = std::get<0>(GetParam());
  const Faces& faces = std::get<1>(GetParam());
};

/// The bounds are those of powers of two: 1/7 in space for nodes, elements and the compact scheme, and 0.17 for cells.
/// In the plane powers of two contract by at most 0.146.
TEST_P(OddSizes, ContractLikePowersOfTwo) {
  for (const Cells& cells : sizes) {
    Problem p;
    p.dimension = static_cast<int>(cells.size());
    p.centering = unknowns.centering;
    p.scheme = unknowns.scheme;
    p.nodes = nodes_of(cells);
    for (std::size_t d = 0; d < cells.size(); ++d)
      for (std::size_t end = 0; end < 2; ++end) p.boundary[d][end] = {faces.kinds[d][end], 0.0, 3.0};
    constexpr int first = 9, last = 15;
    Options o{.method = Method::multigrid};
    o.tolerance = 0;
    o.full_multigrid = false;
    o.precision = SolvePrecision::double_;
    o.max_iterations = last;
    Solve solve(p, o);
    randomize(solve.rhs(), solve.block().unknowns());
    const Result result = solve.run();
    EXPECT_GT(result.history[last], 20 * result.rounding_floor) << "the mean reaches into rounding";
    const double rate = std::pow(result.history[last] / result.history[first], 1.0 / (last - first));
    const bool in_cells = unknowns.centering == Centering::cell;
    EXPECT_LE(rate, in_cells ? 0.17 : cells.size() == 2 ? 0.16 : 1.0 / 7) << testing::PrintToString(cells);
  }
}

/// One cycle after the start must solve to the error of the discretization. The compact scheme has a fourth-order error
/// and is excluded.
TEST_P(OddSizes, AreSolvedByOneCycleOfFullMultigrid) {
  if (unknowns.scheme == Scheme::compact4) return;
  for (const Cells& cells : sizes) {
    const bool waves = faces.kinds[1][0] == P;  // periods must fit into the unit box
    if (waves && cells[0] != cells[1]) continue;
    Manufactured m;
    m.dimension = static_cast<int>(cells.size());
    m.kinds = faces.kinds;
    m.solution = m.product(1.2, {2.1, 2.6, 1.7}, {0.3, -0.4, 0.2});
    m.kappa[0] = {1.5, 0, m.product(0, {2, 1.4, 1.6}, {0.8, 0.5, 0.6})};
    m.alpha.scale = 2;
    Problem p = m.problem(nodes_of(cells));
    p.centering = unknowns.centering;
    p.scheme = unknowns.scheme;
    Options o{.method = Method::multigrid};
    o.precision = SolvePrecision::double_;
    o.tolerance = 1e-12;
    Solve solve(p, o);
    ASSERT_LE(solve.run().relative(), 1e-11);
    const ErrorNorms discretization = error_norms(solve.discretization(), solve.solution());
    o.tolerance = 0;
    o.max_iterations = 1;
    o.precision = SolvePrecision::mixed;
    Solve one(p, o);
    ASSERT_EQ(one.run().iterations, 1);
    one.backend().axpy(one.backend().scalar(-1), solve.solution(), one.solution());
    const SolutionNorms difference = solution_norms(one.discretization(), one.solution());
    EXPECT_LE(std::max(difference.max, -difference.min), 1.5 * discretization.max) << testing::PrintToString(cells);
    EXPECT_LE(difference.l2, 1.5 * discretization.l2) << testing::PrintToString(cells);
  }
}

/// The compact scheme requires Dirichlet or periodic faces.
std::vector<SchemeContext> settings() {
  std::vector<SchemeContext> all;
  for (const Unknowns& unknowns : all_unknowns)
    for (const Faces& faces : all_faces)
      if (unknowns.scheme != Scheme::compact4 || faces.name == "Dirichlet" || faces.name == "Periodic")
        all.emplace_back(unknowns, faces);
  return all;
}
INSTANTIATE_TEST_SUITE_P(, OddSizes, testing::ValuesIn(settings()),
                         [](const auto& p) { return std::get<0>(p.param).name + std::get<1>(p.param).name; });

// The boxes have few cells across and very many along one axis: more than a GPU launch has blocks along two of its
// axes.

struct LongBox {
  std::string name;
  Cells cells;
};
class LongBoxes : public testing::TestWithParam<LongBox> {};

TEST_P(LongBoxes, AreSolvedByEveryMethod) {
  const Cells& cells = GetParam().cells;
  Problem p;
  p.dimension = static_cast<int>(cells.size());
  p.nodes = nodes_of(cells);
  for (std::size_t d = 0; d < cells.size(); ++d)
    for (Boundary& face : p.boundary[d]) face = {D, 0.0};
  p.source = 1.0;
  const auto solves = [&](const char* what, Options o) {
    Solve solve(p, o);
    const Result result = solve.run();
    EXPECT_TRUE(result.converged()) << what << ": " << result.relative();
    EXPECT_LE(result.iterations, 12) << what;
  };
  Options direct;
  direct.method = Method::direct;
  solves("direct", direct);
  solves("nodes", {.method = Method::multigrid});
  Options lines{.method = Method::multigrid};
  lines.smoother.extent = RelaxationChoice::lines;
  // Lines run along the narrow axis.
  auto nodes = nodes_of(cells);
  const auto shortest = static_cast<std::size_t>(std::ranges::min_element(cells) - cells.begin());
  for (double& x : nodes[shortest]) x *= 0.1;
  std::swap(p.nodes, nodes);
  solves("lines", lines);
  std::swap(p.nodes, nodes);
  p.scheme = Scheme::q1;
  solves("elements", {.method = Method::multigrid});
  p.scheme = Scheme::fv;
  p.centering = Centering::cell;
  p.coefficient[0] = [](double x, double y, double z) { return 2 + std::sin(x + y + z); };
  solves("cells", {.method = Method::multigrid});
}
// The CPU has no such limit: boxes of a tenth of the length suffice there.
std::vector<LongBox> long_boxes() {
  const int shorter = on_cpu() ? 10 : 1, plane = 300007 / shorter, space = 70001 / shorter;
  return {{"AlongYInThePlane", {5, plane}},
          {"AlongXInThePlane", {plane, 5}},
          {"AlongX", {space, 3, 5}},
          {"AlongY", {5, space, 4}},
          {"AlongZ", {4, 5, space}}};
}
INSTANTIATE_TEST_SUITE_P(, LongBoxes, testing::ValuesIn(long_boxes()), [](const auto& p) { return p.param.name; });

// The following tests compare the iterations of random right-hand sides with those of even neighbours.

struct Coefficient {
  std::string name;
  double jump;  ///< inside a sphere; 0: smooth
  friend std::ostream& operator<<(std::ostream& stream, const Coefficient& f) { return stream << f.name; }
};

class OddNeighbours : public testing::TestWithParam<std::tuple<Unknowns, Coefficient>> {};

int iterations(const Unknowns& unknowns, double jump, int dimension, int n, bool full_multigrid) {
  Problem p;
  p.dimension = dimension;
  p.centering = unknowns.centering;
  p.scheme = unknowns.scheme;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) p.nodes[d] = uniform_nodes(0, 1, n);
  p.coefficient[0] = [=](double x, double y, double z) {
    if (jump == 0) return 1 + 0.4 * std::sin(3 * x + 2 * y - z);
    return std::hypot(x - 0.5, y - 0.5, dimension == 3 ? z - 0.5 : 0) < 0.3 ? jump : 1.0;
  };
  Options o{.method = Method::multigrid};
  o.full_multigrid = full_multigrid;
  Solve s(p, o);
  randomize(s.rhs(), s.block().unknowns());
  const Result result = s.run();
  EXPECT_TRUE(result.converged()) << name_of(result.verdict);
  return result.iterations;
}

/// The position of cuts through the sphere changes the iterations of even sizes by one as well, so the larger neighbour
/// counts.
TEST_P(OddNeighbours, TakeAtMostOneIterationMore) {
  const auto& [unknowns, kappa] = GetParam();
  for (const auto& [dimension, n] : {std::pair{2, 31}, {2, 33}, {2, 63}, {2, 65}, {3, 25}})
    for (const bool full_multigrid : {false, true}) {
      const int below = iterations(unknowns, kappa.jump, dimension, n - 1, full_multigrid),
                above = iterations(unknowns, kappa.jump, dimension, n + 1, full_multigrid);
      EXPECT_LE(iterations(unknowns, kappa.jump, dimension, n, full_multigrid), std::max(below, above) + 1)
          << dimension << "-D, " << n << (full_multigrid ? ", full multigrid" : "");
    }
}

INSTANTIATE_TEST_SUITE_P(, OddNeighbours,
                         testing::Combine(testing::Values(all_unknowns[0], all_unknowns[1], all_unknowns[2]),
                                          testing::Values(Coefficient{"Smooth", 0}, Coefficient{"Sphere10", 10},
                                                          Coefficient{"Sphere1e6", 1e6})),
                         [](const auto& p) { return std::get<0>(p.param).name + std::get<1>(p.param).name; });

}  // namespace
}  // namespace poisson::odd_sizes_tests
