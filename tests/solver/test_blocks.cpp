// Blocks of a macro mesh: patch tests, orders, iterations, processes, and what a cut changes.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/blocks.hpp"
#include "tests/processes.hpp"

namespace poisson::test::blocks_tests {
namespace {

constexpr double pi = std::numbers::pi;

int iterations(const MadeBlocks& made, int n, bool neumann_wall = false) {
  const BlockMesh mesh = make_block_mesh(geometry_of(made, n));
  MeshProblem problem = block_problem(mesh, 0.0, 0.0);
  if (neumann_wall) insulate_first_patch(problem);
  const BlockSolution found = solve_blocks(mesh, problem, {}, one_process(), random_loads(problem));
  EXPECT_TRUE(found.result.converged());
  return found.result.iterations;
}

// Moves all nodes inside by up to 20 % of a cell, and those on interfaces alike.
void shake(BlockMesh& mesh, int cells) {
  auto moved = std::make_shared<Mesh>(*mesh.mesh);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> by(-0.2 / cells, 0.2 / cells);
  for (auto& x : moved->points) {
    bool inside = true;
    for (std::size_t d = 0; d < static_cast<std::size_t>(moved->dimension); ++d)
      inside = inside && x[d] > 1e-9 && x[d] < 1 - 1e-9;
    for (std::size_t d = 0; d < static_cast<std::size_t>(moved->dimension); ++d) x[d] += inside ? by(random) : 0;
  }
  mesh.mesh = moved;
}

TEST(Blocks, ReproduceLinearSolutionsOfTensors) {
  const auto linear = [](double x, double y, double z) { return 1 + 2 * x - 3 * y + 0.5 * z; };
  for (const bool turned : {false, true})
    for (const auto& m : {std::vector{2, 3}, std::vector{2, 2, 2}}) {
      BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks(m, 0.3, turned), 5));
      shake(mesh, 10);
      MeshProblem problem = block_problem(mesh, Quantity(linear), 0.0);
      const bool space = m.size() == 3;
      set_coefficient(problem, {{2.0, 3.0, 1.5, 0.5, space ? 0.2 : 0.0, space ? -0.3 : 0.0}, false});
      Options options;
      options.tolerance = 1e-12;
      const BlockSolution found = solve_blocks(mesh, problem, options);
      EXPECT_LT(error_of(*found.data, found.u, Quantity(linear)).largest, 1e-10) << m.size() << turned;
    }
}

TEST(Blocks, ConvergeInSecondOrder) {
  const auto exact2 = [](double x, double y, double) { return std::sin(pi * x) * std::exp(y); };
  const auto source2 = [](double x, double y, double) { return (pi * pi - 1) * std::sin(pi * x) * std::exp(y); };
  const auto exact3 = [](double x, double y, double z) { return std::sin(pi * x) * std::exp(y) * std::cos(z); };
  const auto source3 = [](double x, double y, double z) {
    return pi * pi * std::sin(pi * x) * std::exp(y) * std::cos(z);
  };
  const auto order = [](const MadeBlocks& made, int n, const auto& exact, const auto& source, bool shakes) {
    std::array<double, 2> errors{};
    for (std::size_t k = 0; k < 2; ++k) {
      BlockMesh mesh = make_block_mesh(geometry_of(made, n << k));
      if (shakes) shake(mesh, 2 * n << k);
      const BlockSolution found = solve_blocks(mesh, block_problem(mesh, Quantity(exact), Quantity(source)));
      EXPECT_TRUE(found.result.converged());
      errors[k] = error_of(*found.data, found.u, Quantity(exact)).l2;
    }
    return std::log2(errors[0] / errors[1]);
  };
  EXPECT_GE(order(grid_of_blocks({2, 2}, 0.3, true), 16, exact2, source2, false), 1.95);
  EXPECT_GE(order(grid_of_blocks({2, 2}, 0.0), 16, exact2, source2, true), 1.9);
  EXPECT_GE(order(star(5), 8, exact2, source2, false), 1.9);
  EXPECT_GE(order(grid_of_blocks({2, 2, 2}, 0.15, true), 4, exact3, source3, false), 1.9);
  EXPECT_GE(order(grid_of_blocks({2, 2, 2}, 0.0), 4, exact3, source3, true), 1.9);
}

TEST(Blocks, FindTheFlowThroughAWallInSecondOrder) {
  const auto exact = [](double x, double y, double) { return std::log(std::hypot(x, y)); };
  for (const double aspect : {1.0, 1e4}) {
    std::array<double, 2> flows{}, errors{};
    for (std::size_t k = 0; k < 2; ++k) {
      const BlockMesh mesh = make_block_mesh(geometry_of(ring(4, 3, aspect, 16 << k), 16 << k));
      MeshProblem problem = block_problem(mesh, Quantity(exact), 0.0);
      MeshCondition wall;
      wall.name = "wall";
      wall.groups = {0};
      problem.conditions.insert(problem.conditions.begin(), wall);
      const BlockSolution found = solve_blocks(mesh, problem);
      flows[k] = std::abs(condition_flows(*found.data, found.u)[0].flow + 2 * pi);
      errors[k] = error_of(*found.data, found.u, Quantity(exact)).l2;
    }
    EXPECT_GE(std::log2(flows[0] / flows[1]), 1.9) << aspect << ": " << flows[0] << " " << flows[1];
    EXPECT_GE(std::log2(errors[0] / errors[1]), 1.9) << aspect << ": " << errors[0] << " " << errors[1];
  }
}

TEST(Blocks, NeedFewIterations) {
  EXPECT_LE(iterations(grid_of_blocks({2, 2}, 0.3, true), 32), 8);
  EXPECT_LE(iterations(star(5), 32), 8);
  EXPECT_LE(iterations(grid_of_blocks({2, 2, 2}, 0.15, true), 8), 7);
  for (const int n : {32, 64}) {
    EXPECT_LE(iterations(ring(8, 3, 1, n), n), 8) << n;
    EXPECT_LE(iterations(ring(8, 3, 1e2, n), n), 8) << n;
    EXPECT_LE(iterations(ring(8, 3, 1e4, n), n), 8) << n;
    EXPECT_LE(iterations(ring(8, 3, 1e4, n), n, true), 12) << n;
    EXPECT_LE(iterations(ring(8, 3, 1e4, n, 2), n), 14) << n;  // thin cells cross an interface
    EXPECT_LE(iterations(ring(8, 3, 1e4, n, 2), n, true), 18) << n;
  }
  EXPECT_LE(iterations(extruded(ring(8, 3, 1e4, 8), 2), 8, true), 12);
}

// κ of squares that cells hardly resolve, of stripes across blocks, and of few layers.
TEST(Blocks, FollowJumpsInsideBlocks) {
  const auto count = [](int n, const Quantity& kappa) {
    const BlockMesh mesh = make_block_mesh(geometry_of(ring(5, 3, 1, n), n));
    MeshProblem problem = block_problem(mesh, 0.0, 1.0);
    problem.coefficient.fill(kappa);
    const BlockSolution found = solve_blocks(mesh, problem);
    EXPECT_TRUE(found.result.converged());
    return found.result.iterations;
  };
  for (const int n : {16, 32}) {
    EXPECT_LE(count(n, Quantity([](double x, double y, double) {
                      return std::sin(17 * x) * std::sin(19 * y) > 0 ? 1.0 : 1e6;
                    })),
              14)
        << n;
    EXPECT_LE(
        count(n, Quantity([](double x, double y, double) { return std::sin(25 * (x + 0.3 * y)) > 0 ? 1.0 : 1e4; })), 14)
        << n;
    EXPECT_LE(count(n, Quantity([](double x, double y, double) { return x + 0.3 * y < 0.4 ? 1.0 : 1e6; })), 14) << n;
  }
}

// A corner of two layers, whose needles have only weak couplings along their length to a fixed value.
TEST(Blocks, SolveNeedlesOfTwoLayers) {
  MadeBlocks made = extruded(grid_of_blocks({1, 1}, 0), 1);
  made.grading = [](const MacroTopology&, int edge_class, int cells) {
    return edge_class == 2
               ? uniform_nodes(0, 1, cells)
               : geometric_nodes(0, 1, cells, geometric_ratio(1e3, cells, StretchedEnd::lower), StretchedEnd::lower);
  };
  const MacroTopology topology(made.macro);
  made.patches = {{"wall", {}}};
  for (std::size_t p = 0; p < topology.parts().size(); ++p) {
    const MacroPart& part = topology.parts()[p];
    double mean = 0;
    for (std::size_t c = 0; c < 4; ++c) mean += made.macro.vertices[static_cast<std::size_t>(part.corners[c])][2] / 4;
    if (part.dimension == 2 && mean > 0.1 && mean < 0.9) made.patches[0].parts.push_back(static_cast<int>(p));
  }
  EXPECT_LE(iterations(made, 16, true), 20);
}

// Numbers of cells that are not powers of two keep few iterations.
TEST(Blocks, CoarsenAnyNumberOfCells) {
  for (const int n : {5, 7, 11, 31, 50}) EXPECT_LE(iterations(grid_of_blocks({2, 2}, 0.3, true), n), 9) << n;
}

TEST(Blocks, GiveTheSolutionOfTheUncutBox) {
  const auto f = [](double x, double y, double z) { return 1 + x * y - std::sin(3 * z + x); };
  const auto g = [](double x, double y, double z) { return x * x - y + z; };
  const auto kappa = [](double x, double y, double z) { return std::exp(std::sin(5 * x) + y * z); };
  for (const int dimension : {2, 3}) {
    std::vector<BlockSolution> found;
    std::vector<std::vector<std::array<double, 3>>> places;
    for (const int m : {1, 2, 4}) {
      const std::vector<int> blocks(static_cast<std::size_t>(dimension), m);
      const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks(blocks, 0, m == 4), 16 / m));
      MeshProblem problem = block_problem(mesh, Quantity(g), Quantity(f));
      problem.coefficient.fill(Quantity(kappa));
      Options options;
      options.tolerance = 1e-11;
      found.push_back(solve_blocks(mesh, problem, options));
    }
    std::map<std::array<long, 3>, double> whole;
    const auto key = [](const std::array<double, 3>& x) {
      return std::array{std::lround(x[0] * 16), std::lround(x[1] * 16), std::lround(x[2] * 16)};
    };
    for (std::size_t p = 0; p < found[0].u.size(); ++p) whole[key(found[0].mesh.mesh->points[p])] = found[0].u[p];
    for (std::size_t cut : {1, 2}) {
      for (std::size_t p = 0; p < found[cut].u.size(); ++p)
        ASSERT_NEAR(found[cut].u[p], whole.at(key(found[cut].mesh.mesh->points[p])), 1e-9) << dimension << " " << cut;
      EXPECT_LE(std::abs(found[cut].result.iterations - found[0].result.iterations), 1);
    }
  }
}

TEST(Blocks, SolveNeumannProblems) {
  const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks({2, 2}, 0.3, true), 16));
  const auto exact = [](double x, double y, double) { return std::cos(pi * x) * std::cos(pi * y); };
  MeshProblem problem =
      block_problem(mesh, 0.0, Quantity([=](double x, double y, double z) { return 2 * pi * pi * exact(x, y, z); }));
  problem.conditions[0].kind = BoundaryKind::neumann;
  const BlockSolution found = solve_blocks(mesh, problem);
  EXPECT_TRUE(found.result.converged());
  EXPECT_LE(found.result.iterations, 9);
  EXPECT_LT(error_of(*found.data, found.u, Quantity(exact)).l2, 3e-3);
}

TEST(Blocks, AgreeOnAnyNumberOfProcesses) {
  for (const int dimension : {2, 3}) {
    const MadeBlocks made = dimension == 2 ? ring(8, 3, 1e3, 8, 2) : grid_of_blocks({2, 2, 2}, 0.15, true);
    const BlockMesh mesh = make_block_mesh(geometry_of(made, dimension == 2 ? 8 : 6));
    const MeshProblem problem = block_problem(mesh, 1.0, 1.0);
    const BlockSolution alone = solve_blocks(mesh, problem);
    for (const int count : {2, 3}) {
      std::vector<std::vector<double>> u(static_cast<std::size_t>(count));
      as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
        const BlockSolution shared = solve_blocks(mesh, problem, {}, processes);
        EXPECT_EQ(shared.result.iterations, alone.result.iterations);
        u[static_cast<std::size_t>(processes->rank())] = shared.u;
      });
      for (const auto& own : u) {
        ASSERT_EQ(own.size(), alone.u.size());
        for (std::size_t p = 0; p < own.size(); ++p) ASSERT_NEAR(own[p], alone.u[p], 1e-9);
      }
    }
  }
}

// Few blocks are cut, so that each process gets about the same number of cells.
TEST(Blocks, AreCutForProcesses) {
  const auto linear = [](double x, double y, double z) { return 1 + 2 * x - 3 * y + 0.5 * z; };
  for (const MadeBlocks& made : {grid_of_blocks({1, 1}, 0), grid_of_blocks({3, 1}, 0, true), star(5),
                                 ring(3, 3, 50, 16), grid_of_blocks({2, 1, 1}, 0.1, true)}) {
    const BlockMesh mesh = make_block_mesh(geometry_of(made, 16));
    const MeshProblem problem = block_problem(mesh, Quantity(linear), 0.0);
    for (const int count : {2, 3, 7}) {
      const BlockMesh cut = cut_for_processes(mesh, count);
      const std::vector<int> process = share_blocks(*cut.nodes, count);
      std::vector<double> cells(static_cast<std::size_t>(count), 0);
      double all = 0;
      for (int b = 0; b < cut.nodes->topology().blocks(); ++b) {
        cells[static_cast<std::size_t>(process[static_cast<std::size_t>(b)])] +=
            static_cast<double>(cut.nodes->cell_count(b));
        all += static_cast<double>(cut.nodes->cell_count(b));
      }
      EXPECT_LE(*std::ranges::max_element(cells), (count == 7 ? 1.75 : 1.2) * all / count)
          << made.macro.blocks.size() << " " << count;
      EXPECT_EQ(cut.nodes->count(), mesh.numbers->count());
      Options options;
      options.tolerance = 1e-10;
      as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
        const BlockSolution found = solve_blocks(cut, problem, options, processes);
        EXPECT_LT(error_of(*found.data, found.u, Quantity(linear)).largest, 1e-7);
        EXPECT_LE(found.result.iterations, 16) << made.macro.blocks.size() << " " << count;
      });
    }
  }
}

// A row of equal blocks is shared out with one cut each.
TEST(Blocks, ShareFewNodes) {
  for (const int count : {2, 4}) {
    const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks({4, 4, 4}, 0), 4));
    const std::vector<int> process = share_blocks(*mesh.numbers, count);
    std::vector<int> blocks(static_cast<std::size_t>(count), 0);
    for (const int p : process) ++blocks[static_cast<std::size_t>(p)];
    for (const int own : blocks) EXPECT_EQ(own, 64 / count);
    int cut = 0;
    for (const MacroPart& part : mesh.numbers->topology().parts())
      if (part.dimension == 2 && part.blocks.size() == 2)
        cut += process[static_cast<std::size_t>(part.blocks[0])] != process[static_cast<std::size_t>(part.blocks[1])];
    EXPECT_LE(cut, count == 2 ? 16 : 36) << count;  // planes: 16 and 32 faces
  }
}

}  // namespace
}  // namespace poisson::test::blocks_tests
