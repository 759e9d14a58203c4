// Needles and tensors: coarsening across needles, and cells that are measured in relation to κ.

#include <limits>

#include <gtest/gtest.h>

#include "tests/blocks.hpp"
#include "tests/processes.hpp"

namespace poisson::test::block_needles_tests {
namespace {

// Returns blocks of a cube, turned against each other, whose edges are multiplied.
MadeBlocks box(const Place3& edges, double skew = 0.1) {
  MadeBlocks made = grid_of_blocks({2, 2, 2}, skew, true);
  for (Place3& x : made.macro.vertices)
    for (std::size_t d = 0; d < 3; ++d) x[d] *= edges[d];
  return made;
}

int iterations(const BlockMesh& mesh, MeshProblem problem, bool neumann_sides = false) {
  if (neumann_sides) insulate_first_patch(problem);
  const BlockSolution found = solve_blocks(mesh, problem, {}, one_process(), random_loads(problem));
  EXPECT_TRUE(found.result.converged());
  return found.result.iterations;
}

// Puts all sides but those at both ends of z in the patch "sides".
MadeBlocks with_sides(MadeBlocks made) {
  const MacroTopology topology(made.macro);
  made.patches = {{"sides", {}}};
  double top = 0;
  for (const Place3& x : made.macro.vertices) top = std::max(top, x[2]);
  for (std::size_t p = 0; p < topology.parts().size(); ++p) {
    const MacroPart& part = topology.parts()[p];
    if (part.dimension != 2 || part.blocks.size() > 1) continue;
    double z = 0;
    for (std::size_t c = 0; c < 4; ++c) z += made.macro.vertices[static_cast<std::size_t>(part.corners[c])][2] / 4;
    if (z > 1e-9 * top && z < (1 - 1e-9) * top) made.patches[0].parts.push_back(static_cast<int>(p));
  }
  return made;
}

std::vector<int> cells_across(const BlockMesh& mesh, const MeshProblem& problem, std::size_t level) {
  const MeshData data(problem);
  const BlockSystem system =
      assemble_blocks(data, mesh, one_process(), most_in_blocks, measure_cells(mesh, &data).stretch());
  std::vector<int> cells = system.levels.at(level).space->numbers->cells();
  std::ranges::sort(cells);
  return cells;
}

TEST(BlockNeedles, AreCoarsenedAcrossFirst) {
  for (const double length : {4.0, 8.0, 30.0})
    for (const int n : {9, 12}) {
      const BlockMesh mesh = make_block_mesh(geometry_of(with_sides(box({1, 1, length}, 0.4 / length)), n));
      const MeshProblem problem = block_problem(mesh, 0.0, 0.0);
      EXPECT_LE(iterations(mesh, problem), 10) << length << " " << n;
      EXPECT_LE(iterations(mesh, problem, true), 10) << length << " " << n;
    }
  const BlockMesh mesh = make_block_mesh(geometry_of(box({1, 1, 8}), 8));
  // Two of six classes of edges are long.
  EXPECT_EQ(cells_across(mesh, block_problem(mesh, 0.0, 0.0), 1), (std::vector{4, 4, 4, 4, 8, 8}));
  const BlockMesh flat = make_block_mesh(geometry_of(box({8, 8, 1}), 8));
  EXPECT_EQ(cells_across(flat, block_problem(flat, 0.0, 0.0), 1), (std::vector<int>(6, 4)));
}

// Errors of cells whose aspect ratio varies along the needles, as in a layer whose cells grow to long ones.
TEST(BlockNeedles, OfALayerThatGrowsToLongCells) {
  const auto grown = [](int cells) {
    return geometric_nodes(0, 1, cells, geometric_ratio_of_first_cell(1e-4 / cells, 1, cells, StretchedEnd::lower),
                           StretchedEnd::lower);
  };
  for (const int n : {8, 12}) {
    MadeBlocks made = grid_of_blocks({1, 1, 1}, 0);
    grade_axis(made, 2, 1, grown);
    const BlockMesh mesh = make_block_mesh(geometry_of(made, 2 * n));
    EXPECT_LE(iterations(mesh, block_problem(mesh, 0.0, 0.0)), 10) << n;
  }
}

TEST(BlockNeedles, AreMeasuredInRelationToTensors) {
  const auto count = [](const BlockMesh& mesh, const std::array<double, 3>& kappa) {
    MeshProblem problem = block_problem(mesh, 0.0, 0.0);
    set_coefficient(problem, {{kappa[0], kappa[1], kappa[2], 0.0, 0.0, 0.0}, false});
    return iterations(mesh, problem);
  };
  const BlockMesh plane = make_block_mesh(geometry_of(grid_of_blocks({2, 2}, 0.3, true), 32)),
                  annulus = make_block_mesh(geometry_of(ring(6, 3, 1, 32), 32)),
                  space = make_block_mesh(geometry_of(grid_of_blocks({2, 2, 2}, 0.1, true), 10));
  EXPECT_LE(count(plane, {1, 100, 1}), 12);
  EXPECT_LE(count(plane, {1, 1e4, 1}), 14);
  EXPECT_LE(count(annulus, {1, 100, 1}), 18);
  EXPECT_LE(count(space, {1, 100, 100}), 9);
  EXPECT_LE(count(space, {1, 1, 100}), 12);
  EXPECT_LE(count(space, {1, 10, 100}), 10);
  EXPECT_NEAR(measure_cells(make_block_mesh(geometry_of(grid_of_blocks({2, 2}, 0), 4))).stretch().largest, 1, 1e-12);
  const BlockMesh square = make_block_mesh(geometry_of(grid_of_blocks({2, 2}, 0), 4));
  MeshProblem problem = block_problem(square, 0.0, 0.0);
  set_coefficient(problem, {{1.0, 100.0, 1.0, 0.0, 0.0, 0.0}, false});
  const MeshData data(problem);
  EXPECT_NEAR(measure_cells(square, &data).stretch().largest, 10, 1e-9);
}

// Layers at three sides of a corner have needles along each edge: no axis is long in all of them.
TEST(BlockNeedles, OfSeveralDirectionsHaveRows) {
  MadeBlocks made = grid_of_blocks({1, 1, 1}, 0);
  made.grading = [](const MacroTopology&, int, int cells) {
    return geometric_nodes(0, 1, cells, geometric_ratio(1e3, cells, StretchedEnd::lower), StretchedEnd::lower);
  };
  const BlockMesh corner = make_block_mesh(geometry_of(made, 12)),
                  straight = make_block_mesh(geometry_of(box({1, 1, 30}), 6));
  const MeshProblem of_corner = block_problem(corner, 0.0, 0.0), of_straight = block_problem(straight, 0.0, 0.0);
  EXPECT_EQ(coarsest_in_blocks(MeshData(of_corner), corner, measure_cells(corner).stretch()),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(coarsest_in_blocks(MeshData(of_straight), straight, measure_cells(straight).stretch()), most_in_blocks);
}

TEST(BlockNeedles, AgreeOnAnyNumberOfProcesses) {
  const auto linear = [](double x, double y, double z) { return 1 + 2 * x - 3 * y + 0.5 * z; };
  const BlockMesh mesh = make_block_mesh(geometry_of(box({1, 1, 12}), 7));
  const MeshProblem problem = block_problem(mesh, Quantity(linear), 0.0);
  Options options;
  options.tolerance = 1e-10;
  for (const int count : {1, 2, 3, 5}) {
    const BlockMesh cut = cut_for_processes(mesh, count);
    as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
      const BlockSolution found = solve_blocks(cut, problem, options, processes);
      EXPECT_LT(error_of(*found.data, found.u, Quantity(linear)).largest, 1e-7) << count;
      EXPECT_LE(found.result.iterations, 12) << count;
    });
  }
}

}  // namespace
}  // namespace poisson::test::block_needles_tests
