// Blocks of several processes: the operators of devices, and shares.

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "grids/blocks/metis_shares.hpp"
#include "grids/blocks/replicated_blocks.hpp"
#include "tests/blocks.hpp"
#include "tests/host_block_steps.hpp"
#include "tests/processes.hpp"

namespace poisson::test::block_processes_tests {
namespace {

struct SharedCase {
  std::string name;
  MadeBlocks made;
  int cells;
  bool neumann = false;
};

std::vector<SharedCase> shared_cases() {
  return {{"skewed", grid_of_blocks({3, 2}, 0.3, true), 9},
          {"star", star(5), 8},
          {"thin ring", ring(6, 3, 1e3, 8, 2), 8},
          {"cube", grid_of_blocks({2, 2, 2}, 0.15, true), 6},
          {"floating", grid_of_blocks({2, 2, 1}, 0.2, true), 6, true},
          {"more processes than blocks", grid_of_blocks({2, 1}, 0), 3}};
}

MeshProblem problem_of(const SharedCase& one, const BlockMesh& mesh) {
  MeshProblem problem = block_problem(mesh, one.neumann ? 0.0 : 1.0, 1.0);
  if (one.neumann) {
    problem.source = Quantity([](double x, double, double) { return x - 0.5; });
    problem.conditions[0].kind = BoundaryKind::neumann;
  }
  problem.coefficient.fill(Quantity([](double x, double y, double z) { return std::exp(std::sin(5 * x) + y * z); }));
  return problem;
}

double largest(const std::vector<double>& u) {
  double most = 0;
  for (const double value : u) most = std::max(most, std::abs(value));
  return most;
}

// Limits the unknowns of levels that every process has.
class MostReplicated {
 public:
  explicit MostReplicated(std::int64_t most)
      : before_{std::exchange(most_replicated, most), std::exchange(most_replicated_on_cpus, most)} {}
  ~MostReplicated() { std::tie(most_replicated, most_replicated_on_cpus) = before_; }
  MostReplicated(const MostReplicated&) = delete;

 private:
  std::tuple<std::int64_t, std::int64_t> before_;
};

// Processes add what their blocks contribute to interfaces of others. Each has all rows, and all blocks of small levels
// if `most` allows them. Directions in fp32 gain at most seven digits an iteration, so devices need two iterations more
// where conjugate gradients are exact after two.
void expect_equal_solutions(std::int64_t most, bool device) {
  const MostReplicated limit(most);
  for (const SharedCase& one : shared_cases()) {
    const BlockMesh mesh = make_block_mesh(geometry_of(one.made, one.cells));
    const MeshProblem problem = problem_of(one, mesh);
    Options options;
    options.tolerance = 1e-11;
    const auto host = make_cpu_backend();
    const BlockSolution alone = solve_blocks_on(*host, nullptr, mesh, problem, options);
    for (const int count : {2, 3}) {
      as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
        const auto own = make_cpu_backend();
        const BlockSolution shared =
            solve_blocks_on(*own, device ? host_device_blocks(*own) : nullptr, mesh, problem, options, processes);
        EXPECT_TRUE(shared.result.converged()) << one.name << count;
        EXPECT_NEAR(shared.result.iterations, alone.result.iterations, device ? 2 : 1) << one.name << count;
        ASSERT_EQ(shared.u.size(), alone.u.size());
        double apart = 0;
        for (std::size_t p = 0; p < shared.u.size(); ++p) apart = std::max(apart, std::abs(shared.u[p] - alone.u[p]));
        EXPECT_LE(apart, 1e-9 * largest(alone.u)) << one.name << count;
      });
    }
  }
}

TEST(SharedBlocks, ShareAllLevels) {
  for (const bool device : {false, true}) expect_equal_solutions(0, device);
}
TEST(SharedBlocks, HaveCoarseLevelsOnEveryProcess) {
  for (const bool device : {false, true}) expect_equal_solutions(1 << 20, device);
}
// One of several coarse levels of the cube has fewer unknowns.
TEST(SharedBlocks, HaveTheCoarsestLevelOnEveryProcess) {
  for (const bool device : {false, true}) expect_equal_solutions(200, device);
}

// Returns all nodes after some steps from random values, with the code of devices.
std::vector<double> after_steps(const MeshData& data, const BlockMesh& mesh,
                                const std::shared_ptr<const Processes>& processes) {
  const auto own = make_cpu_backend();
  const auto device = host_device_blocks(*own);
  const BlockSystem system = assemble_blocks(data, mesh, processes, 30, {}, true);
  const BlockSpace& blocks = *system.levels[0].space;
  const auto A = device->make_operator({system.levels[0]}, Precision::fp64);
  const auto split = A->split({});
  std::mt19937 random(4);
  std::uniform_real_distribution<double> any(-1, 1);
  Field u(*own, A->space(), Precision::fp64), other(*own, A->space(), Precision::fp64),
      b(*own, A->space(), Precision::fp64);
  for (Field* const field : {&u, &b}) {
    std::vector<double> values;
    for (std::size_t p = 0; p < blocks.free.size(); ++p)
      for (std::int64_t n = blocks.numbers->first(static_cast<int>(p));
           n < blocks.numbers->first(static_cast<int>(p) + 1); ++n)
        values.push_back(blocks.free[p] ? any(random) : 0);
    put_nodes(values, blocks, *field);
  }
  Iterate iterate{&u, &other, false};
  const std::array<PolynomialStep, 4> steps{{{0.3, 0}, {0.5, 0.1}, {0.4, 0.2}, {0.6, 0.3}}};
  split->take(steps, false, b, iterate);
  split->take(steps, false, b, iterate);
  return get_nodes(*iterate.now, blocks);
}

// Between steps processes send each other contributions alone, and each computes the values at the ends of its blocks.
TEST(SharedBlocks, TakeStepsInTurn) {
  for (const SharedCase& one : shared_cases()) {
    const BlockMesh mesh = make_block_mesh(geometry_of(one.made, one.cells));
    const MeshProblem problem = problem_of(one, mesh);
    const MeshData data(problem);
    const std::vector<double> alone = after_steps(data, mesh, one_process());
    for (const int count : {2, 3, 4})
      as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
        const std::vector<double> shared = after_steps(data, mesh, processes);
        for (std::size_t n = 0; n < shared.size(); ++n)
          ASSERT_NEAR(shared[n], alone[n], 1e-12 * largest(alone)) << one.name << count << " node " << n;
      });
  }
}

// Every process counts the memory of all blocks of a level that it has completely.
TEST(SharedBlocks, CountReplicatedLevels) {
  const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks({2, 2, 2}, 0.1), 8));
  const MeshProblem problem = block_problem(mesh, 0.0, 1.0);
  const MeshData data(problem);
  const auto sizes = [&](std::int64_t most) {
    const MostReplicated limit(most);
    return block_level_sizes(data, mesh, 4, 30, 1, true);
  };
  const std::vector<BlockLevelSize> shared = sizes(0), replicated = sizes(1000);
  ASSERT_EQ(shared.size(), replicated.size());
  EXPECT_EQ(shared[0].nodes, replicated[0].nodes);
  for (std::size_t l = 1; l < shared.size(); ++l) EXPECT_EQ(4 * shared[l].nodes, replicated[l].nodes) << l;
}

// If algebraic multigrid follows the finest level, each process joins the rows of all on its host.
TEST(SharedBlocks, CountRowsOnTheHost) {
  const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks({2, 2, 2}, 0.1), 8));
  const MeshProblem problem = block_problem(mesh, 0.0, 1.0);
  const MeshData data(problem);
  Options options;
  options.method = Method::multigrid;
  const auto bytes = [&](int processes, std::int64_t coarsest) {
    const std::vector<BlockLevelSize> sizes = block_level_sizes(data, mesh, processes, coarsest, 1, true);
    return host_bytes_of_rows(sizes, options, 3) / static_cast<double>(sizes[0].unknowns);
  };
  constexpr std::int64_t rows = 1 << 20;
  EXPECT_EQ(bytes(1, most_in_blocks), 0);
  EXPECT_GT(bytes(1, rows), 1000);
  EXPECT_LT(bytes(1, rows), 2000);
  EXPECT_GT(bytes(4, rows), bytes(1, rows));  // entries are sent with their rows
  EXPECT_GT(bytes(8, rows), 1200);            // most of it does not shrink
}

// Without multigrid nothing but the finest level is exchanged.
TEST(SharedBlocks, SolveWithTheDiagonal) {
  const BlockMesh mesh = make_block_mesh(geometry_of(star(5), 6));
  const MeshProblem problem = block_problem(mesh, 0.0, 1.0);
  Options options;
  options.method = Method::cg;
  const auto host = make_cpu_backend();
  const BlockSolution alone = solve_blocks_on(*host, nullptr, mesh, problem, options);
  as_processes(3, [&](const std::shared_ptr<const Processes>& processes) {
    const auto own = make_cpu_backend();
    const BlockSolution shared = solve_blocks_on(*own, host_device_blocks(*own), mesh, problem, options, processes);
    EXPECT_LE(std::abs(shared.result.iterations - alone.result.iterations), 1);
    for (std::size_t p = 0; p < shared.u.size(); ++p) ASSERT_NEAR(shared.u[p], alone.u[p], 1e-6 * largest(alone.u));
  });
}

// Holds the values of a linear function in cells of a ball, and in `where` of the sides; elsewhere its flow is given.
MeshProblem partly_held(BlockMesh& mesh) {
  const auto exact = [](double x, double y, double z) { return 1 + 2 * x - y + 3 * z; };
  auto changed = std::make_shared<Mesh>(*mesh.mesh);
  changed->groups.push_back({changed->dimension, 99, "ball"});
  changed->labels.push_back({static_cast<int>(changed->groups.size()) - 1});
  for (MeshCells& cells : changed->cells)
    for (std::int64_t e = 0; facts_of(cells.shape).dimension == changed->dimension && e < cells.count(); ++e) {
      const std::array<double, 3> x = centre_of(*changed, cells.of(e));
      if (std::hypot(x[0] - 0.45, x[1] - 0.55, changed->dimension == 2 ? 0 : x[2] - 0.5) < 0.22)
        cells.label[static_cast<std::size_t>(e)] = static_cast<int>(changed->labels.size()) - 1;
    }
  mesh.mesh = changed;
  MeshProblem problem = block_problem(mesh, 0.0, 0.0);
  MeshCondition ball, side, rest;
  ball.name = "ball";
  ball.groups = {static_cast<int>(changed->groups.size()) - 1};
  ball.value = Quantity(exact);
  side.name = "default[0]";
  side.list = rest.list = "default";
  side.value = Quantity(exact);
  side.where = Quantity([](double x, double y, double z) { return x < 0.28 || (y > 0.7 && z < 0.6) ? 1.0 : 0.0; });
  rest.name = "default[1]";
  rest.kind = BoundaryKind::robin;
  rest.alpha = 2.0;
  rest.value = Quantity([=](double x, double y, double z) {
    constexpr double near = 1e-9;
    const double slope = x > 1 - near ? 2 : x < near ? -2 : y > 1 - near ? -1 : y < near ? 1 : z < near ? -3 : 3;
    return slope + 2 * exact(x, y, z);
  });
  problem.conditions = {ball, side, rest};
  return problem;
}

// Nodes with given values lie among unknowns, in sides and inside blocks. Linear solutions are exact.
TEST(SharedBlocks, HoldSomeNodesOfParts) {
  for (const auto& [m, cells, skew] : {std::tuple{std::vector{3, 2}, 11, 0.3},
                                       {std::vector{2, 2, 2}, 5, 0.2},
                                       {std::vector{1, 1}, 24, 0.0},
                                       {std::vector{1, 1, 1}, 9, 0.0}}) {
    BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks(m, skew, true), cells));
    const MeshProblem problem = partly_held(mesh);
    Options options;
    options.tolerance = 1e-11;
    for (const int count : {1, 3})
      for (const bool device : {false, true})
        as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
          const auto own = make_cpu_backend();
          const BlockSolution found =
              solve_blocks_on(*own, device ? host_device_blocks(*own) : nullptr, mesh, problem, options, processes);
          EXPECT_TRUE(found.result.converged());
          EXPECT_LE(found.result.iterations, 20) << m.size() << device;
          double apart = 0;
          for (std::size_t p = 0; p < found.u.size(); ++p) {
            const auto& x = mesh.mesh->points[p];
            apart = std::max(apart, std::abs(found.u[p] - (1 + 2 * x[0] - x[1] + 3 * x[2])));
          }
          EXPECT_LE(apart, 1e-8) << m.size() << device << count;
        });
  }
}

// Returns the largest share of cells in units of the mean, and the faces between processes.
std::pair<double, int> quality(const BlockNumbers& numbers, const std::vector<int>& process, int count) {
  std::vector<double> cells(static_cast<std::size_t>(count), 0);
  double all = 0;
  for (int b = 0; b < numbers.topology().blocks(); ++b) {
    cells[static_cast<std::size_t>(process[static_cast<std::size_t>(b)])] += static_cast<double>(numbers.cell_count(b));
    all += static_cast<double>(numbers.cell_count(b));
  }
  int cut = 0;
  for (const MacroPart& part : numbers.topology().parts())
    if (part.dimension == numbers.topology().dimension() - 1 && part.blocks.size() == 2)
      cut += process[static_cast<std::size_t>(part.blocks[0])] != process[static_cast<std::size_t>(part.blocks[1])];
  return {*std::ranges::max_element(cells) * count / all, cut};
}

TEST(SharedBlocks, TakeTheBetterOfBisectionAndMetis) {
  for (const auto& m : {std::vector{6, 5}, {5, 4, 3}, {13, 1}, {1, 1}})
    for (const int count : {2, 3, 5, 8}) {
      const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks(m, 0), 4));
      const BlockNumbers& numbers = *mesh.numbers;
      const std::vector<int> bisected = share_blocks(numbers, count);
      as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
        const std::vector<int> shared = share_blocks(numbers, *processes);
        ASSERT_EQ(shared.size(), bisected.size());
        for (const int process : shared) ASSERT_TRUE(process >= 0 && process < count);
        EXPECT_LE(quality(numbers, shared, count).first, quality(numbers, bisected, count).first + 0.5);
      });
    }
}

TEST(SharedBlocks, AreDividedByMetisWhereItIsInstalled) {
  MacroGraph graph{{0}, {}, {}, {}};
  constexpr int blocks = 12;  // a row
  for (int b = 0; b < blocks; ++b) {
    graph.cells.push_back(100);
    for (const int other : {b - 1, b + 1})
      if (other >= 0 && other < blocks) {
        graph.near.push_back(other);
        graph.shared.push_back(10);
      }
    graph.start.push_back(static_cast<int>(graph.near.size()));
  }
  const auto found = metis_shares(graph, 3);
  if (found.empty()) GTEST_SKIP() << "METIS is not installed";
  for (const std::vector<int>& part : found) {
    ASSERT_EQ(part.size(), std::size_t{blocks});
    for (int p = 0; p < 3; ++p) EXPECT_EQ(std::ranges::count(part, p), 4);
  }
  EXPECT_TRUE(metis_shares(graph, 1).empty());
}

}  // namespace
}  // namespace poisson::test::block_processes_tests
