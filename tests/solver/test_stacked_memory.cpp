// Entries of stacked blocks with few digits, and the memory of solves on them.

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/blocks.hpp"
#include "tests/host_block_steps.hpp"

namespace poisson::test::stacked_memory_tests {
namespace {

std::shared_ptr<DeviceBlocks> blocks_of(Backend& backend) {
  return backend.on_gpu() ? std::shared_ptr<DeviceBlocks>(make_device_blocks(backend)) : host_device_blocks(backend);
}

TEST(Narrow, KeepsTheDigitsOfBothParts) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> power(-100, 100);
  double apart = 0, upper = 0;
  for (int n = 0; n < 100'000; ++n) {
    const double value = normal(random) * std::exp2(power(random));
    apart = std::max(apart, std::abs(NarrowRest(value).with(Narrow(value)) / value - 1));
    upper = std::max(upper, std::abs(static_cast<double>(static_cast<float>(Narrow(value))) / value - 1));
  }
  EXPECT_LE(apart, std::exp2(-32));
  EXPECT_GE(apart, std::exp2(-34));
  EXPECT_LE(upper, std::exp2(-8) + std::exp2(-30));
  for (const double value : {0.0, 1.0, -1.0, -0.375, 255.0, 1.0 + 1.0 / 256, 2.0 - std::exp2(-31), 3e38}) {
    EXPECT_NEAR(NarrowRest(value).with(Narrow(value)), value, std::exp2(-32) * std::abs(value)) << value;
    alignas(4) const NarrowRest four[4] = {NarrowRest(1), NarrowRest(value), NarrowRest(-3.7), NarrowRest(value)};
    for (int n = 0; n < 4; ++n) EXPECT_EQ(load_rests(four).bits[n], four[n].bits()) << value << " " << n;
  }
  for (const double tiny : {1e-39, -1e-45, 1e-300}) {
    EXPECT_EQ(NarrowRest(tiny).with(Narrow(tiny)), 0) << tiny;
    EXPECT_EQ(static_cast<float>(Narrow(tiny)), 0) << tiny;
  }
}

TEST(ShortRest, KeepsTheDigitsBehindAFloat) {
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> power(-100, 100);
  const auto joined = [](double value) { return ShortRest(value).with(static_cast<float>(value)); };
  double apart = 0;
  for (int n = 0; n < 100'000; ++n) {
    const double value = normal(random) * std::exp2(power(random));
    apart = std::max(apart, std::abs(joined(value) / value - 1));
  }
  EXPECT_LE(apart, 1.5 * std::exp2(-40));
  EXPECT_GE(apart, std::exp2(-42));
  // Halfway between two floats, where rounding to a float and to 40 digits may differ, and at powers of two.
  for (const double base : {1.0, 1.0 + std::exp2(-23), 2.0 - std::exp2(-23), 3.0, -5.0})
    for (const double away : {-1.0, -0.6, -0.5, 0.0, 0.5, 0.6, 1.0})
      for (const double half : {-1.0, 1.0}) {
        const double value = base * (1 + half * std::exp2(-25)) + away * std::exp2(-41);
        EXPECT_NEAR(joined(value), value, std::exp2(-39) * std::abs(value)) << base << " " << away << " " << half;
      }
  for (const double value : {0.0, 1.0, -0.375, 3e38}) EXPECT_NEAR(joined(value), value, 1e-12 * std::abs(value));
  for (const double tiny : {1e-39, -1e-45, 1e-300}) EXPECT_NEAR(joined(tiny), 0, 1e-37) << tiny;
}

// The residual has 32 digits, or 40 of thin cells, of its entries: corrections have the upper
// ones, and both operators share these.
void check_shared_entries(BlockModel model) {
  for (const std::vector<int>& m : {std::vector{3, 2}, std::vector{2, 2, 1}})
    for (const int cells : {3, 5, 8}) {
      const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks(m, 0.15, true), cells));
      MeshProblem problem = block_problem(mesh, 0.0, 1.0);
      problem.conditions[0].kind = BoundaryKind::neumann;
      const MeshData data(problem);
      const auto device = test_backend();
      const auto of_device = blocks_of(*device);
      const BlockSystem system = assemble_blocks(data, mesh, one_process(), 20);
      const BlockSpace& space = *system.levels[0].space;
      const auto make = [&](BlockModel model, Precision precision, bool residual = false) {
        BlockOperatorData of;
        of.level = system.levels[0];
        of.scale = 0.25;
        of.model = model;
        of.residual = residual;
        return of_device->make_operator(of, precision);
      };
      const auto expected = make(BlockModel::stored, Precision::fp64);
      const auto corrections = make(model, Precision::fp32);
      const std::size_t before = device->memory().now();
      const auto found = make(model, Precision::fp64, true);
      EXPECT_LT(device->memory().now() - before, 0.6 * static_cast<double>(expected->bytes()));
      Field u(*device, space.space, Precision::fp64), a(*device, space.space, Precision::fp64),
          b(*device, space.space, Precision::fp64);
      std::vector<double> values(static_cast<std::size_t>(space.numbers->count()));
      std::mt19937 random(3);
      std::normal_distribution<double> normal;
      for (double& value : values) value = normal(random);
      put_nodes(values, space, u);
      expected->apply(u, a);
      found->apply(u, b);
      const std::vector<double> of_a = get_nodes(a, space), of_b = get_nodes(b, space);
      const auto [most, apart] = compare(of_a, of_b);
      EXPECT_LE(apart, 5e-10 * most);
      EXPECT_GT(apart, 1e-13 * most);
      put_nodes(std::vector<double>(values.size(), 1), space, u);
      found->apply(u, b);
      for (const double value : get_nodes(b, space)) EXPECT_EQ(value, 0);
      expected->diagonal(a);
      found->diagonal(b);
      const std::vector<double> d = get_nodes(a, space), of_residual = get_nodes(b, space);
      for (std::size_t n = 0; n < d.size(); ++n) EXPECT_NEAR(of_residual[n], d[n], 1e-6 * std::abs(d[n]));
      EXPECT_THROW(found->split(), std::logic_error);
    }
}
TEST(StackedEntries, AreSharedByCorrectionsAndTheResidual) {
  check_shared_entries(BlockModel::narrow);
  check_shared_entries(BlockModel::shared);
}

// Entries without the digits that the tolerance does not need give the solution of all digits, and directions in fp32
// take no more iterations than those in fp64.
TEST(StackedEntries, OfLayersHaveTheDigitsOfTheTolerance) {
  for (const bool plane : {true, false}) {
    const int cells = plane ? 32 : 12;
    const MadeBlocks flat = ring(5, 3, plane ? 1e4 : 1e3, cells);
    const BlockMesh mesh = make_block_mesh(geometry_of(plane ? flat : extruded(flat, 1), cells));
    const MeshProblem problem =
        block_problem(mesh, Quantity([](double x, double y, double z) { return std::sin(2 * x + y) + z; }), 1.0);
    const CellStretch stretch = measure_cells(mesh).stretch();
    Options options;
    options.tolerance = 1e-9;
    const Options resolved = resolve_block_options(options, stretch, plane ? 2 : 3);
    EXPECT_TRUE(has_shared_entries(resolved, stretch, true, 1));
    EXPECT_FALSE(has_shared_entries(resolved, stretch, false, 1));
    EXPECT_FALSE(has_shared_entries(resolved, stretch, true, 1e6));
    Options strict = resolved;
    strict.tolerance = 1e-13;
    EXPECT_FALSE(has_shared_entries(strict, stretch, true, 1));
    const auto device = test_backend(), host = make_cpu_backend();
    const BlockSolution expected = solve_blocks_on(*host, nullptr, mesh, problem, options),
                        found = solve_blocks_on(*device, blocks_of(*device), mesh, problem, options);
    EXPECT_TRUE(found.result.converged());
    EXPECT_LE(found.result.iterations, expected.result.iterations + 1);
    const auto [most, apart] = compare(expected.u, found.u);
    EXPECT_LE(apart, 1e-8 * most) << plane;
  }
}

// Residuals in fp32 are scaled, so that data in small or large units do not leave its range. Without given values, the
// mean of u is that of the solution on the host.
TEST(ShortGradients, SolveInAnyUnits) {
  const BlockMesh mesh = make_block_mesh(geometry_of(ring(5, 3, 1e4, 16), 16));
  const auto device = test_backend(), host = make_cpu_backend();
  Options options;
  options.tolerance = 1e-9;
  const CellStretch stretch = measure_cells(mesh).stretch();
  ASSERT_TRUE(has_short_directions(resolve_block_options(options, stretch, 2), stretch, 1));
  EXPECT_FALSE(has_short_directions(resolve_block_options(options, stretch, 2), stretch, 1e3));
  EXPECT_FALSE(has_short_directions(resolve_block_options(options, 1.5, 2), 1.5, 1));
  for (const bool floats : {false, true})
    for (const double unit : {1.0, 1e-60, 1e60}) {
      MeshProblem problem =
          block_problem(mesh, 0.0, Quantity([=](double x, double y, double) { return unit * (x + x * y); }));
      if (floats) problem.conditions[0].kind = BoundaryKind::neumann;
      const BlockSolution expected = solve_blocks_on(*host, nullptr, mesh, problem, options),
                          found = solve_blocks_on(*device, blocks_of(*device), mesh, problem, options);
      EXPECT_TRUE(found.result.converged()) << floats << " " << unit;
      EXPECT_LE(found.result.iterations, expected.result.iterations + 1) << floats << " " << unit;
      const auto [most, apart] = compare(expected.u, found.u);
      EXPECT_GT(most, 0.01 * unit);
      EXPECT_LE(apart, 1e-7 * most) << floats << " " << unit;
    }
}

// Solves from a guess, again, and for a fixed number of iterations, whose residual is that of u.
TEST(ShortGradients, ResumeFromAnyIterate) {
  const BlockMesh mesh = make_block_mesh(geometry_of(ring(5, 3, 1e4, 16), 16));
  const MeshProblem problem = block_problem(mesh, 0.0, 1.0);
  const MeshData data(problem);
  const auto device = test_backend();
  const auto of_device = blocks_of(*device);
  const BlockSystem system =
      assemble_blocks(data, mesh, one_process(), most_in_blocks, measure_cells(mesh).stretch(), true);
  const std::vector<double> held = mesh.on_nodes(data.held), guess;
  const BlocksModel model(*device, system, held, guess, of_device);
  Options options;
  options.tolerance = 1e-10;
  const std::unique_ptr<Solver> solver = make_solver(model, options);
  model.fill(solver->rhs(), solver->solution());
  const Result first = solver->solve(false), again = solver->solve(false), from_guess = solver->solve(true);
  EXPECT_TRUE(first.converged() && again.converged() && from_guess.converged());
  EXPECT_EQ(again.iterations, first.iterations);
  EXPECT_LE(from_guess.iterations, 2);
  options.tolerance = 0;
  options.max_iterations = 4;
  const std::unique_ptr<Solver> fixed = make_solver(model, options);
  model.fill(fixed->rhs(), fixed->solution());
  const Result four = fixed->solve(false);
  EXPECT_EQ(four.iterations, 4);
  ASSERT_EQ(four.history.size(), 5U);
  EXPECT_NEAR(four.history[3], first.history[3], 1e-3 * first.history[3]);
  EXPECT_NEAR(four.final, first.history[4] * four.reference, 1e-3 * four.final);
}

// Solves in one precision must not get entries that are good enough for corrections alone.
TEST(StackedEntries, AreCompleteInSinglePrecision) {
  const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks({2, 2}, 0.1), 170));
  MeshProblem problem = block_problem(mesh, 0.0, Quantity([](double x, double y, double) { return x + y; }));
  Options options;
  options.tolerance = 1e-5;
  const auto device = test_backend(), host = make_cpu_backend();
  const BlockSolution expected = solve_blocks_on(*host, nullptr, mesh, problem, options);
  ASSERT_GT(expected.u.size(), 110'000U);
  for (const SolvePrecision precision : {SolvePrecision::single, SolvePrecision::mixed, SolvePrecision::double_}) {
    options.precision = precision;
    const BlockSolution found = solve_blocks_on(*device, blocks_of(*device), mesh, problem, options);
    const auto [most, apart] = compare(expected.u, found.u);
    EXPECT_LE(apart, 1e-4 * most) << static_cast<int>(precision);
  }
}

// Large levels of round cells are refined without conjugate gradients, also if no value is given.
TEST(StackedEntries, ServeRefinementOfFloatingBlocks) {
  const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks({2, 2}, 0.1), 170));
  MeshProblem problem = block_problem(mesh, 0.0, Quantity([](double x, double, double) { return x - 0.5; }));
  problem.conditions[0].kind = BoundaryKind::neumann;
  const auto device = test_backend(), host = make_cpu_backend();
  Options options;
  options.tolerance = 1e-9;
  const BlockSolution found = solve_blocks_on(*device, blocks_of(*device), mesh, problem, options);
  options.krylov = Krylov::cg;
  const BlockSolution expected = solve_blocks_on(*host, nullptr, mesh, problem, options);
  EXPECT_TRUE(found.result.converged());
  EXPECT_LE(found.result.iterations, expected.result.iterations + 3);
  const auto [most, apart] = compare(expected.u, found.u);
  EXPECT_LE(apart, 1e-6 * most);
}

// Refinement alone leaves flows unbalanced around nodes inside blocks that have given values.
TEST(StackedPlans, KeepConjugateGradientsAroundHeldNodes) {
  const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks({2, 2}, 0.1), 170));
  const MeshProblem problem = block_problem(mesh, 0.0, 1.0);
  std::vector<BlockLevelSize> sizes = block_level_sizes(MeshData(problem), mesh, 1, most_in_blocks);
  const CellStretch stretch = measure_cells(mesh).stretch();
  EXPECT_EQ(plan_blocks(sizes, Options{}, stretch, 2, false, false, 1).options.krylov, Krylov::none);
  Options exact;
  exact.tolerance = 1e-11;  // below what entries of 32 digits can give
  EXPECT_EQ(plan_blocks(sizes, exact, stretch, 2, false, false, 1).options.krylov, Krylov::cg);
  sizes.front().pinned = true;
  EXPECT_EQ(plan_blocks(sizes, Options{}, stretch, 2, false, false, 1).options.krylov, Krylov::cg);
}

// Plans of blocks count what solves on a device allocate, apart from levels of rows and sums of a few kilobytes.
TEST(StackedPlans, AreWhatSolvesAllocate) {
  struct PlannedCase {
    const char* name;
    MadeBlocks made;
    int cells;
    bool robin = false;
    Krylov krylov = Krylov::automatic;
    SolvePrecision precision = SolvePrecision::mixed;
    Method method = Method::automatic;
  };
  const MadeBlocks cube = grid_of_blocks({2, 2, 2}, 0.15), smooth = grid_of_blocks({2, 2, 2}, 0.1);
  // Layers at one wall of a cube, whose first cells have a ratio of 10³; at two walls; and of thin cells alone.
  const auto layers = [](std::size_t axes, double growth) {
    MadeBlocks made = grid_of_blocks({3, 3, 3}, 0.1);
    for (std::size_t axis = 0; axis < axes; ++axis)
      for (auto& x : made.macro.vertices)
        if (x[axis] > 0 && x[axis] < 1) x[axis] = x[axis] < 0.5 ? 1.0 / 3 : 2.0 / 3;
    for (std::size_t axis = 0; axis < axes; ++axis)
      grade_axis(made, axis, 3, [=](int nodes) {
        std::vector<double> at{0};
        for (int n = 1; n <= nodes; ++n) at.push_back(at.back() + std::min(1.0, 1e-3 * std::pow(growth, n - 1)));
        for (double& x : at) x /= at.back();
        return at;
      });
    return made;
  };
  const std::vector<PlannedCase> cases{{"space", cube, 26},
                                       {"odd cells", smooth, 29},
                                       {"conjugate gradients", cube, 25, false, Krylov::cg},
                                       {"Robin", cube, 24, true},
                                       {"below 100,000 unknowns", cube, 19},
                                       {"plane", grid_of_blocks({2, 2}, 0.1), 180},
                                       {"fp64", smooth, 18, false, Krylov::automatic, SolvePrecision::double_},
                                       {"fp32", smooth, 25, false, Krylov::automatic, SolvePrecision::single},
                                       {"a wall", layers(1, 2), 16},
                                       {"two walls", layers(2, 2), 15},
                                       {"a ring", ring(7, 3, 1e4, 96), 96}};
  for (const PlannedCase& one : cases) {
    const BlockMesh mesh = make_block_mesh(geometry_of(one.made, one.cells));
    MeshProblem problem = block_problem(mesh, 0.0, 1.0);
    if (one.robin) problem.conditions[0].kind = BoundaryKind::robin;
    if (one.robin) problem.conditions[0].alpha = 2.0;
    const MeshData data(problem);
    const auto device = test_backend();
    const auto own = static_cast<double>(device->memory().now());  // of the backend itself
    const auto of_device = blocks_of(*device);
    const BlockSystem system =
        assemble_blocks(data, mesh, one_process(), most_in_blocks, measure_cells(mesh).stretch(), true);
    const std::vector<double> held = mesh.on_nodes(data.held), guess;
    const BlocksModel model(*device, system, held, guess, of_device);
    Options options;
    options.krylov = one.krylov;
    options.precision = one.precision;
    options.method = one.method;
    options.tolerance = 1e-4;
    const std::unique_ptr<Solver> solver = make_solver(model, options);
    model.fill(solver->rhs(), solver->solution());
    const Result result = solver->solve(false);
    EXPECT_TRUE(result.converged()) << one.name;
    const auto planned = static_cast<double>(model.plan(options).bytes),
               allocated = static_cast<double>(device->memory().now()) - own;
    double slots = 0;
    if (system.stretch.largest > 2)
      for (const BlockLevelSize& size : system.sizes) slots += size.slots;
    // A GPU rounds each piece up. Its exchanges during the set-up of lines leave lists of moves and room for values.
    const double not_planned = on_cpu() ? 0 : (512 << 10) + 100 * slots;
    EXPECT_NEAR(allocated, planned, 0.02 * planned + not_planned) << one.name;
  }
}

}  // namespace
}  // namespace poisson::test::stacked_memory_tests
