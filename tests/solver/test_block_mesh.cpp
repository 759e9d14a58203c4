// The parts of a macro mesh, the nodes of blocks, curves, and the exchanges between blocks.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "backends/cpu/visit.hpp"
#include "backends/memory/error.hpp"
#include "tests/blocks.hpp"
#include "tests/processes.hpp"

namespace poisson::test::block_mesh_tests {
namespace {

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(BlockMeshes, ShareNodesHoweverBlocksAreTurned) {
  for (const bool turned : {false, true}) {
    const MadeBlocks made = grid_of_blocks({2, 3, 2}, 0.1, turned);
    const BlockMesh mesh = make_block_mesh(geometry_of(made, 4));
    EXPECT_EQ(mesh.numbers->count(), 9 * 13 * 9);
    EXPECT_EQ(mesh.first_cell.back(), 12 * 64);
    // Nodes at one place have one number.
    std::map<std::array<long, 3>, int> seen;
    for (const auto& x : mesh.mesh->points)
      ++seen[{std::lround(x[0] * 1e9), std::lround(x[1] * 1e9), std::lround(x[2] * 1e9)}];
    EXPECT_EQ(std::ssize(seen), mesh.numbers->count());
    double volume = 0;
    const MeshCells& cells = *mesh.mesh->find(CellShape::hexahedron);
    for (std::int64_t e = 0; e < cells.count(); ++e)
      volume += measure_of(*mesh.mesh, CellShape::hexahedron, cells.of(e));
    EXPECT_NEAR(volume, 1, 1e-12);
    EXPECT_EQ(mesh.mesh->find(CellShape::quadrilateral)->count(), 2 * 16 * (6 + 4 + 6));  // all of them unnamed
    EXPECT_EQ(mesh.mesh->groups.size(), 1U);
    EXPECT_EQ(mesh.mesh->groups[0].name, unnamed_patch);
  }
}

TEST(BlockMeshes, HaveEdgeClassesThatBlocksSpread) {
  const MacroTopology grid(grid_of_blocks({3, 2}, 0, true).macro);
  EXPECT_EQ(grid.classes().size(), 5U);
  EXPECT_EQ(grid.parts().size(), 6U + 17U + 12U);
  const MacroTopology around(star(5).macro);  // every edge is opposite to two others, all around
  EXPECT_EQ(around.classes().size(), 5U);
}

TEST(BlockMeshes, FollowCurves) {
  const BlockMesh mesh = make_block_mesh(geometry_of(ring(5, 2, 10, 8), 8));
  double area = 0;
  const MeshCells& cells = *mesh.mesh->find(CellShape::quadrilateral);
  for (std::int64_t e = 0; e < cells.count(); ++e)
    area += measure_of(*mesh.mesh, CellShape::quadrilateral, cells.of(e));
  EXPECT_NEAR(area, 3 * 20 * std::sin(2 * std::numbers::pi / 40), 1e-10);  // a polygon of 40 sides with a hole
  const MeshCells& sides = *mesh.mesh->find(CellShape::line);
  for (std::int64_t e = 0; e < sides.count(); ++e)
    for (const int p : sides.of(e)) {
      const auto& x = mesh.mesh->points[static_cast<std::size_t>(p)];
      const double r = std::hypot(x[0], x[1]);
      EXPECT_NEAR(r, sides.label[static_cast<std::size_t>(e)] == 1 ? 1 : 2, 1e-12);
    }
}

TEST(BlockMeshes, HaveCurvesByArcLength) {
  const Curve arc = arc_through({1, 0, 0}, {0, -1, 0}, {0, 1, 0});  // three quarters, clockwise
  EXPECT_NEAR(arc(1 / 3.0)[1], -1, 1e-12);
  EXPECT_NEAR(arc(2 / 3.0)[0], -1, 1e-12);
  EXPECT_THROW(arc_through({0, 0, 0}, {1, 1, 0}, {2, 2, 0}), std::invalid_argument);
  std::vector<Place3> places;
  for (int i = 0; i <= 16; ++i) {
    const double a = std::numbers::pi / 32 * i * i / 16;  // unequal chords of a quarter of a circle
    places.push_back({std::cos(a), std::sin(a), 0});
  }
  const Curve spline = spline_through(places);
  for (const double t : {0.25, 0.5, 0.9}) {
    EXPECT_NEAR(std::hypot(spline(t)[0], spline(t)[1]), 1, 5e-4) << t;
    EXPECT_NEAR(std::atan2(spline(t)[1], spline(t)[0]), t * std::numbers::pi / 2, 1e-3) << t;
  }
  EXPECT_THROW(spline_through({{0, 0, 0}, {0, 0, 0}, {1, 0, 0}}), std::invalid_argument);
  EXPECT_NEAR(parabola_through({0, 0, 0}, {1, 1, 0}, {2, 0, 0})(0.5)[1], 1, 1e-5);
  const Place3 on = cylinder_surface({0, 0, 0}, {0, 0, 2}, 3)({1, 1, 5});
  EXPECT_NEAR(std::hypot(on[0], on[1]), 3, 1e-12);
  EXPECT_EQ(on[2], 5);
}

TEST(BlockMeshes, RefuseWhatIsNoMesh) {
  MadeBlocks made = grid_of_blocks({2, 1}, 0);
  std::swap(made.macro.blocks[1].corners[0], made.macro.blocks[1].corners[1]);
  EXPECT_NE(message_of([&] { make_block_mesh(geometry_of(made, 4)); }).find("block 1: "), std::string::npos);
  MadeBlocks twice = grid_of_blocks({2, 1}, 0);
  twice.macro.blocks[1].corners = twice.macro.blocks[0].corners;
  EXPECT_EQ(
      message_of([&] { MacroTopology topology(twice.macro); }),
      "block 0 and block 1 have the same vertices; remove one of them, or divide a ring into at least three blocks");
  MadeBlocks flat = grid_of_blocks({2, 1}, 0);
  flat.macro.blocks[0].corners[3] = flat.macro.blocks[0].corners[2];
  EXPECT_EQ(message_of([&] { MacroTopology topology(flat.macro); }),
            "block 0 has the vertex 3 at two of its corners; give 4 different ones");
  MadeBlocks crowded = grid_of_blocks({2, 1}, 0);
  crowded.macro.vertices.push_back({0.5, 2, 0});
  crowded.macro.vertices.push_back({0.7, 2, 0});
  add_quadrilateral(crowded.macro, {1, 4, 6, 7});
  EXPECT_EQ(message_of([&] { MacroTopology topology(crowded.macro); }),
            "the edge 1-4 belongs to 3 blocks: block 0, block 1 and block 2; it can separate two blocks at most");
}

// ⟨E u, v⟩ = ⟨u, Eᵗ v⟩ with values at the ends of blocks, also between processes.
TEST(BlockMeshes, ExchangeIsAdjointToTheSumOverInterfaces) {
  for (const int count : {1, 3})
    as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
      const MadeBlocks made = grid_of_blocks({2, 2, 2}, 0.1, true);
      const BlockMesh mesh = make_block_mesh(geometry_of(made, 3));
      const std::vector<bool> free(mesh.numbers->topology().parts().size(), true);
      const BlockSpace blocks(mesh.numbers, share_blocks(*mesh.numbers, count), free, processes);
      EXPECT_EQ(blocks.space.unknown_count(), mesh.numbers->count());
      const auto backend = make_cpu_backend();
      Field u(*backend, blocks.space, Precision::fp64), v = Field(*backend, blocks.space, Precision::fp64);
      std::vector<double> values(static_cast<std::size_t>(mesh.numbers->count()));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(1 + 3.7 * static_cast<double>(i));
      put_nodes(values, blocks, u);
      backend->exchange(u);
      // After an exchange every node of a block has the value of its number.
      double left = 0;
      blocks.for_each_line<double>(v, [&](std::size_t, const View<double>& view, int j, int k) {
        for (int i = 0; i < view.n[0]; ++i) view(i, j, k) = std::cos(i + 2 * j - 3 * k);
      });
      for (const BlockSpace::Own& own : blocks.own)
        for (int k = 0; k < own.nodes[2]; ++k)
          for (int j = 0; j < own.nodes[1]; ++j)
            for (int i = 0; i < own.nodes[0]; ++i) {
              const double value = std::as_const(u).patches<double>(own.group)[own.patch](i, j, k);
              EXPECT_EQ(value, values[static_cast<std::size_t>(mesh.numbers->number(own.block, {i, j, k}))]);
              left += value * std::as_const(v).patches<double>(own.group)[own.patch](i, j, k);
            }
      backend->run_exchange(blocks.add, v, v);
      Scalar right = backend->scalar();
      backend->dot(u, v, right);
      EXPECT_NEAR(processes->sum(left), backend->value(right), 1e-10);
    });
}

// A condition on one of two periodic points holds the other one, and takes the flow of both.
TEST(BlockMeshes, HoldPeriodicImages) {
  const MadeBlocks made = grid_of_blocks({2, 2}, 0);
  BlockGeometry geometry = geometry_of(made, 6);
  const MacroTopology& topology = *geometry.topology;
  geometry.patches = {{"left", {topology.find({0, 3}), topology.find({3, 6})}},
                      {"right", {topology.find({2, 5}), topology.find({5, 8})}},
                      {"body", {3}}};
  geometry.joined = join_periodic(topology, {{&geometry.patches[0], &geometry.patches[1]}});
  const BlockMesh mesh = make_block_mesh(geometry);
  MeshProblem problem = block_problem(mesh, 0.0, 1.0);
  problem.conditions[0].kind = BoundaryKind::neumann;
  MeshCondition body;
  body.name = "body";
  body.groups = {2};
  body.value = 7.0;
  problem.conditions.insert(problem.conditions.begin(), body);
  const BlockSolution found = solve_blocks(mesh, problem);
  EXPECT_TRUE(found.result.converged());
  const auto& points = mesh.mesh->points;
  for (std::size_t p = 0; p < points.size(); ++p)
    if (points[p][0] == 0 && points[p][1] >= 0.5) EXPECT_NEAR(found.u[p], 7, 1e-9) << points[p][1];
  EXPECT_NEAR(condition_flows(*found.data, found.u)[0].flow, -1, 1e-6);  // all of the source
}

TEST(BlockMeshes, JoinPeriodicSides) {
  const MadeBlocks made = grid_of_blocks({1, 1}, 0);
  BlockGeometry geometry = geometry_of(made, 8);
  const MacroTopology& topology = *geometry.topology;
  geometry.patches = {{"left", {topology.find({0, 2})}}, {"right", {topology.find({1, 3})}}};
  geometry.joined = join_periodic(topology, {{&geometry.patches[0], &geometry.patches[1]}});
  const BlockMesh mesh = make_block_mesh(geometry);
  EXPECT_EQ(mesh.numbers->count(), 81);
  EXPECT_EQ(mesh.nodes->count(), 72);
  constexpr double pi = std::numbers::pi;
  const auto exact = [](double x, double y, double) { return std::sin(2 * pi * x + 1) * std::sin(pi * y); };
  std::array<double, 2> errors{};
  for (const std::size_t k : {0, 1}) {
    BlockGeometry finer = geometry_of(made, 16 << k);
    finer.patches = geometry.patches;
    finer.joined = geometry.joined;
    const BlockMesh of = make_block_mesh(finer);
    MeshProblem problem =
        block_problem(of, 0.0, Quantity([=](double x, double y, double z) { return 5 * pi * pi * exact(x, y, z); }));
    MeshCondition sides;
    sides.name = "periodic";
    sides.groups = {0, 1};
    sides.kind = BoundaryKind::neumann;
    problem.conditions.insert(problem.conditions.begin(), sides);
    const BlockSolution found = solve_blocks(of, problem);
    EXPECT_TRUE(found.result.converged());
    errors[k] = error_of(*found.data, found.u, Quantity(exact)).largest;
  }
  EXPECT_GE(std::log2(errors[0] / errors[1]), 1.9) << errors[0];
}

}  // namespace
}  // namespace poisson::test::block_mesh_tests
