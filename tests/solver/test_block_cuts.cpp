// A box that is cut into blocks at random places must behave as the uncut box. Strong lines continue across cuts.

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "tests/blocks.hpp"

namespace poisson::test::block_cuts_tests {
namespace {

constexpr int cells_of_box = 24;

// Cuts a box of these cells, 1/24 wide, into blocks at random nodes; every other block is turned.
BlockGeometry cut_box(const std::vector<int>& cells, unsigned seed, bool whole) {
  std::mt19937 random(seed);
  std::vector<int> m;
  std::array<std::vector<int>, 3> cuts;
  for (std::size_t d = 0; d < cells.size(); ++d) {
    cuts[d] = {0};
    const int parts = whole || cells[d] < 12 ? 1 : std::uniform_int_distribution<int>(1, 3)(random);
    for (int p = 1; p < parts; ++p) {
      const int rest = 4 * (parts - p);  // each part has at least four cells
      cuts[d].push_back(std::uniform_int_distribution<int>(cuts[d].back() + 4, cells[d] - rest)(random));
    }
    cuts[d].push_back(cells[d]);
    m.push_back(static_cast<int>(cuts[d].size()) - 1);
  }
  MadeBlocks made = grid_of_blocks(m, 0, !whole);
  for (auto& x : made.macro.vertices)
    for (std::size_t d = 0; d < cells.size(); ++d)
      x[d] = cuts[d][static_cast<std::size_t>(std::lround(x[d] * m[d]))] / static_cast<double>(cells_of_box);
  BlockGeometry geometry = geometry_of(made, 1);
  for (std::size_t c = 0; c < geometry.cells.size(); ++c) {
    const MacroPart& edge = geometry.topology->parts()[static_cast<std::size_t>(geometry.topology->classes()[c].edge)];
    const Place3 &a = made.macro.vertices[static_cast<std::size_t>(edge.corners[0])],
                 &b = made.macro.vertices[static_cast<std::size_t>(edge.corners[1])];
    const double length = std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    geometry.cells[c] = static_cast<int>(std::lround(length * cells_of_box));
    geometry.fractions[c] = uniform_nodes(0, 1, geometry.cells[c]);
  }
  return geometry;
}

std::map<std::array<long, 3>, double> by_place(const BlockSolution& found) {
  std::map<std::array<long, 3>, double> values;
  for (std::size_t p = 0; p < found.u.size(); ++p) {
    const auto& x = found.mesh.mesh->points[p];
    values[{std::lround(x[0] * cells_of_box), std::lround(x[1] * cells_of_box), std::lround(x[2] * cells_of_box)}] =
        found.u[p];
  }
  return values;
}

// Solves a box whole and cut, and compares solutions and iterations.
void compare_cuts(const std::vector<int>& cells, const Quantity& kappa, bool neumann, const char* name,
                  int most_apart = 1) {
  const auto solved = [&](unsigned seed, bool whole, double tolerance = 1e-11) {
    const BlockMesh mesh = make_block_mesh(cut_box(cells, seed, whole));
    MeshProblem problem =
        block_problem(mesh, Quantity([](double x, double y, double z) { return x * x - y + z; }),
                      Quantity([](double x, double y, double z) { return 1 + std::sin(9 * x + z) * y; }));
    problem.coefficient.fill(kappa);
    if (neumann) problem.conditions[0].kind = BoundaryKind::neumann;
    Options options;
    options.tolerance = tolerance;
    return solve_blocks(mesh, problem, options);
  };
  const BlockSolution box = solved(0, true);
  const int iterations = solved(0, true, 1e-8).result.iterations;
  const auto wanted = by_place(box);
  double most = 0;
  for (const auto& [place, value] : wanted) most = std::max(most, std::abs(value));
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    const BlockSolution cut = solved(seed, false);
    const auto found = by_place(cut);
    ASSERT_EQ(found.size(), wanted.size());
    for (const auto& [place, value] : wanted) ASSERT_NEAR(found.at(place), value, 1e-9 * most) << name << " " << seed;
    const int of_cut = solved(seed, false, 1e-8).result.iterations;
    EXPECT_LE(std::abs(of_cut - iterations), most_apart) << name << " " << seed << ": " << iterations << " and "
                                                         << of_cut << " iterations" << (neumann ? ", Neumann" : "");
  }
}

TEST(BlockCuts, KeepTheSolutionOfTheBox) {
  const Quantity smooth([](double x, double y, double z) { return std::exp(std::sin(5 * x) + y * z); });
  compare_cuts({24, 24}, smooth, false, "plane");
  compare_cuts({24, 24, 24}, smooth, false, "space");
}

// Thin boxes, boxes without a fixed value, and layers of κ that follow neither cells nor cuts.
TEST(BlockCuts, KeepTheSolutionOfThinBoxesAndLayers) {
  const Quantity layers([](double x, double y, double z) { return x + 0.3 * y + 0.2 * z < 0.5 ? 1.0 : 1e3; });
  const Quantity waves([](double x, double y, double z) {
    return std::exp(std::sin(7 * x + 3 * y + 1) * std::cos(11 * x - 8 * y) + std::sin(19 * x - 13 * y) + z);
  });
  for (const bool neumann : {false, true}) {
    // Blocks of 4 and 16 cells have stretched coarse cells: one of the cuts needs 11 iterations instead of 9.
    compare_cuts({24, 24, 2}, waves, neumann, "thin box", neumann ? 2 : 1);
    compare_cuts({36, 20}, waves, neumann, "plane");
    compare_cuts({24, 24}, layers, neumann, "layers");
  }
  compare_cuts({20, 14, 18}, waves, true, "space");
}

// Returns blocks around the origin of which thin cells lie at x = 0 on both sides, and along y if `both`.
MadeBlocks thin_at_interface(double expansion, bool both) {
  MadeBlocks made;
  made.macro.vertices = {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {-1, 1, 0}, {0, 1, 0}, {1, 1, 0}};
  add_quadrilateral(made.macro, {0, 1, 4, 3});
  add_quadrilateral(made.macro, {1, 2, 5, 4});
  const MacroTopology topology_of(made.macro);
  made.patches = {{"below", {topology_of.find({0, 1}), topology_of.find({1, 2})}}};
  const auto vertices = made.macro.vertices;
  made.grading = [=](const MacroTopology& topology, int edge_class, int cells) {
    const MacroPart& edge =
        topology.parts()[static_cast<std::size_t>(topology.classes()[static_cast<std::size_t>(edge_class)].edge)];
    const Place3 &a = vertices[static_cast<std::size_t>(edge.corners[0])],
                 &b = vertices[static_cast<std::size_t>(edge.corners[1])];
    const bool along_x = a[1] == b[1];
    if (!along_x && !both) return uniform_nodes(0, 1, cells);
    const StretchedEnd end = along_x && a[0] < 0 ? StretchedEnd::upper : StretchedEnd::lower;
    return geometric_nodes(0, 1, cells, geometric_ratio(expansion, cells, end), end);
  };
  return made;
}

// Without lines that continue across the interface these need 9 to more than 100 iterations.
TEST(BlockCuts, DoNotSlowDownThinCells) {
  for (const double expansion : {1e2, 1e4})
    for (const bool both : {false, true})
      for (const bool neumann : {false, true})
        for (const int n : {16, 32, 64}) {
          const BlockMesh mesh = make_block_mesh(geometry_of(thin_at_interface(expansion, both), n));
          MeshProblem problem = block_problem(mesh, 0.0, 1.0);
          if (neumann) {
            MeshCondition below;
            below.name = "below";
            below.kind = BoundaryKind::neumann;
            below.groups = {0};
            problem.conditions.insert(problem.conditions.begin(), below);
          }
          const MeshData data(problem);
          std::mt19937 random(3);
          std::normal_distribution<double> normal;
          std::vector<double> loads(mesh.mesh->points.size(), 0);
          for (std::size_t i = 0; i < loads.size(); ++i)
            if (data.free(static_cast<std::int64_t>(i))) loads[i] = normal(random);
          const auto host = make_cpu_backend();
          const BlockSolution found = solve_blocks_on(*host, nullptr, mesh, problem, {}, one_process(), loads);
          EXPECT_TRUE(found.result.converged());
          EXPECT_LE(found.result.iterations, 12) << expansion << " " << both << " " << neumann << " " << n;
        }
}

}  // namespace
}  // namespace poisson::test::block_cuts_tests
