// Lines and planes that several processes relax together across cuts must have the values of one process.

#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/problem/mixed_bc.hpp"
#include "tests/problems.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"
#include "tests/smoothing.hpp"

namespace poisson::shared_lines_tests {
namespace {

// Returns a case whose lines run along `axis`, the axis with the narrowest cells.
Case case_of(const NamedFaces& faces, std::size_t axis, const ProblemChoice& choice, const char* smoother) {
  Case c;
  c.problem = with_data(faces, all_grids[0], choice);
  for (std::size_t d = 0; d < static_cast<std::size_t>(choice.dimension); ++d)
    for (double& x : c.problem.nodes[d]) x *= d == axis ? 0.04 : 1;
  choose(c.options.smoother, smoother);
  c.options.precision = SolvePrecision::double_;
  c.options.krylov = Krylov::none;
  c.options.fallback = Fallback::never;
  return c;
}

// Compares the values after each cycle, and after a solve to a tolerance with the same number of cycles.
void expect_as_by_one(const Case& c, const std::vector<std::array<int, 3>>& all_parts) {
  Case fixed = c;
  fixed.options.tolerance = 0;
  fixed.options.max_iterations = 4;
  const auto values = static_cast<std::size_t>(make_block(c.problem).layout().size());
  std::vector<double> wanted(values), found(values), any(values);
  const Solved one = solve(c, {}, any);
  solve(fixed, {}, wanted);
  for (const std::array parts : all_parts) {
    SCOPED_TRACE(testing::Message() << c.name << " in " << parts[0] << " x " << parts[1] << " x " << parts[2]);
    as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
      const Sharing sharing{processes, parts, 300};
      EXPECT_NEAR(solve(c, sharing, any).result.iterations, one.result.iterations, 1);
      solve(fixed, sharing, found);
    });
    EXPECT_LE(largest_difference(found, wanted), 1e-12 * largest_magnitude(wanted));
  }
}

// Returns cuts across the axis of lines, alone and together with another axis.
std::vector<std::array<int, 3>> cuts_across(std::size_t axis, int dimension) {
  std::vector<std::array<int, 3>> all;
  for (const int count : {2, 3, 4}) {
    std::array parts{1, 1, 1};
    parts[axis] = count;
    all.push_back(parts);
  }
  std::array blocks{1, 1, 1};
  blocks[axis] = 2;
  blocks[(axis + 1) % static_cast<std::size_t>(dimension)] = 2;
  all.push_back(blocks);
  if (!on_cpu()) all = {all.front(), all.back()};
  return all;
}

struct Row {
  const char* name;
  Kappa kappa;
  Sigma sigma;
  Centering centering;
  Scheme scheme;
};
constexpr std::array rows{Row{"nodes", Kappa::constant, Sigma::zero, Centering::node, Scheme::fv},
                          Row{"nodes that vary", Kappa::random, Sigma::varying, Centering::node, Scheme::fv},
                          Row{"nodes of a tensor", Kappa::random_tensor, Sigma::zero, Centering::node, Scheme::fv},
                          Row{"cells", Kappa::constant, Sigma::zero, Centering::cell, Scheme::fv},
                          Row{"cells that vary", Kappa::random, Sigma::varying, Centering::cell, Scheme::fv},
                          Row{"elements", Kappa::constant, Sigma::constant, Centering::node, Scheme::q1},
                          Row{"elements that vary", Kappa::random, Sigma::zero, Centering::node, Scheme::q1},
                          Row{"elements of a tensor", Kappa::random_full, Sigma::zero, Centering::node, Scheme::q1}};

class SharedLines : public testing::TestWithParam<NamedFaces> {};

TEST_P(SharedLines, AreSolvedAcrossCuts) {
  std::size_t turn = GetParam().name.size();  // tests half of them for each kind of faces
  for (const int dimension : {2, 3})
    for (const Row& row : rows) {
      const std::size_t axis = turn / 2 % static_cast<std::size_t>(dimension);
      if (turn++ % 2 == 0) continue;
      std::array cells{11, 12, 9};
      cells[axis] = 27;
      Case c = case_of(GetParam(), axis, {dimension, cells, row.kappa, row.sigma, row.centering, row.scheme}, "line");
      c.name = std::string(row.name) + " along " + "xyz"[axis];
      expect_as_by_one(c, cuts_across(axis, dimension));
    }
}

TEST_P(SharedLines, LieInPlanesThatAreCut) {
  // The planes' normal is another axis, and lines in them run along this one.
  for (const auto& [number, axis] : {std::pair{1, 0}, {4, 1}, {6, 1}}) {
    const Row& row = rows[static_cast<std::size_t>(number)];
    std::array cells{9, 8, 7};
    cells[static_cast<std::size_t>(axis)] = 25;
    Case c = case_of(GetParam(), static_cast<std::size_t>(axis),
                     {3, cells, row.kappa, row.sigma, row.centering, row.scheme}, "plane");
    c.name = std::string("planes of ") + row.name + " along " + "xyz"[axis];
    std::array parts{1, 1, 1};
    parts[static_cast<std::size_t>(axis)] = 2;
    expect_as_by_one(c, {parts});
  }
}

std::vector<NamedFaces> some_faces() {
  std::vector<NamedFaces> some;
  for (const NamedFaces& faces : all_faces())
    for (const char* name : {"dirichlet", "neumann", "robin_varying", "periodic_xy", "periodic_xz", "mixed"})
      if (faces.name == name) some.push_back(faces);
  return some;
}
INSTANTIATE_TEST_SUITE_P(All, SharedLines, testing::ValuesIn(some_faces()),
                         [](const auto& test) { return test.param.name; });

// Every axis is stretched: levels alternate the axes along which they relax lines, so every axis must be cut.
TEST(SharedLinesOfAllAxes, TakeTurns) {
  for (const int dimension : {2, 3}) {
    Case c;
    Problem& p = c.problem;
    p.dimension = dimension;
    p.nodes = {tanh_nodes(0, 1, 40, 5, StretchedEnd::both), tanh_nodes(0, 1, 26, 4, StretchedEnd::upper), {}};
    if (dimension == 3) p.nodes[2] = tanh_nodes(0, 1, 24, 3, StretchedEnd::lower);
    p.source = 1.0;
    c.name = "stretched";
    c.options.precision = SolvePrecision::double_;
    c.options.preconditioner = PreconditionerChoice::multigrid;
    expect_as_by_one(c, dimension == 2 ? std::vector<std::array<int, 3>>{{2, 1, 1}, {1, 3, 1}, {2, 2, 1}}
                                       : std::vector<std::array<int, 3>>{{2, 1, 1}, {1, 1, 3}, {2, 2, 2}});
  }
}

// Elements store constrained nodes of mixed faces in their bands, also on rediscretized coarse levels. The test
// includes gathered levels, and lines and planes that are cut. There are 12 cells in every direction other than the
// axis.
TEST(SharedLinesOfMixedBc, KeepConstrainedNodes) {
  const auto constrained = [](double x, double y, double z) { return x + y + 0.3 * z < 0.55 ? 1.0 : 0.0; };
  const Boundary face =
      mixed_bc({{Boundary{BoundaryKind::dirichlet, 1.0}, constrained}, {Boundary{BoundaryKind::neumann}}});
  for (const auto& [kappa, dimension, axis, smoother] :
       {std::tuple{Kappa::constant, 2, 0, "line"}, std::tuple{Kappa::constant, 3, 2, "line"},
        std::tuple{Kappa::random, 3, 1, "line"}, std::tuple{Kappa::random_full, 2, 1, "line"},
        std::tuple{Kappa::random, 3, 0, "plane"}}) {
    std::array cells{12, 12, 12};
    cells[static_cast<std::size_t>(axis)] = 27;
    Case c = case_of(some_faces().front(), static_cast<std::size_t>(axis),
                     {dimension, cells, kappa, Sigma::zero, Centering::node, Scheme::q1}, smoother);
    c.problem.boundary[0][0] = c.problem.boundary[1][1] = face;
    c.options.krylov = Krylov::cg;
    c.options.coarse_operator = CoarseOperator::rediscretized;
    c.name = std::string(smoother) + "s along " + "xyz"[axis];
    std::array across{1, 1, 1}, along{1, 1, 1};
    along[static_cast<std::size_t>(axis)] = 3;
    across[static_cast<std::size_t>((axis + 1) % dimension)] = 2;
    expect_as_by_one(c, {along, across});
  }
}

// On a strongly stretched axis, lines replace many point cycles, on several processes as on one.
TEST(SharedLinesOfMixedBc, AreRelaxedOnStretchedAxes) {
  Case c;
  Problem& p = c.problem;
  p.scheme = Scheme::q1;
  p.nodes = {uniform_nodes(0, 1, 16), uniform_nodes(0, 1, 16), geometric_nodes(0, 1, 24, 1.28, StretchedEnd::lower)};
  p.boundary[0][0] =
      mixed_bc({{Boundary{BoundaryKind::dirichlet, 1.0}, [](double, double y, double) { return y < 0.5; }},
                {Boundary{BoundaryKind::neumann}}});
  p.source = 1.0;
  c.options.precision = SolvePrecision::double_;
  std::vector<double> any(static_cast<std::size_t>(make_block(p).layout().size()));
  const int one = solve(c, {}, any).result.iterations;
  EXPECT_LE(one, 8);
  for (const std::array parts : {std::array{1, 1, 2}, {2, 1, 1}, {1, 2, 2}})
    as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
      EXPECT_NEAR(solve(c, {processes, parts, 300}, any).result.iterations, one, 1);
    });
}

}  // namespace
}  // namespace poisson::shared_lines_tests
