// Operators of stacked blocks, which devices run, against those of the CPU.

#include <cmath>

#include <gtest/gtest.h>

#include "tests/blocks.hpp"
#include "tests/host_block_steps.hpp"

namespace poisson::test::stacked_blocks_tests {
namespace {

struct StackedCase {
  std::string name;
  MadeBlocks made;
  int cells;
  bool neumann = false;
  bool constant = false;  ///< κ is a tensor, and σ a number
};

// Returns blocks of parallelepipeds: a map of a grid of blocks with graded cells.
MadeBlocks parallelepipeds(std::vector<int> m) {
  MadeBlocks made = grid_of_blocks(std::move(m), 0, true);
  for (auto& x : made.macro.vertices) x = {x[0] + 0.3 * x[1] + 0.1 * x[2], x[1] - 0.2 * x[2], 0.7 * x[2] + 0.2 * x[0]};
  if (made.macro.dimension == 2)
    for (auto& x : made.macro.vertices) x[2] = 0;
  made.grading = [](const MacroTopology&, int edge_class, int cells) {
    return geometric_nodes(0, 1, cells, 1.2 + 0.1 * edge_class, StretchedEnd::lower);
  };
  return made;
}

// Returns blocks that are thin along the last axis, so that strong lines cross interfaces.
MadeBlocks thin_blocks(std::vector<int> m, double thickness) {
  MadeBlocks made = grid_of_blocks(m, 0.1, true);
  for (auto& x : made.macro.vertices) x[m.size() - 1] *= thickness;
  return made;
}

// Returns blocks whose cells are needles along x: the next level has as many cells along x.
MadeBlocks long_parallelepipeds() {
  MadeBlocks made = parallelepipeds({2, 2, 1});
  for (auto& x : made.macro.vertices) x[0] *= 40;
  return made;
}

std::vector<StackedCase> stacked_cases() {
  return {{"thin squares", thin_blocks({3, 3}, 0.01), 7},
          {"thin cubes", thin_blocks({2, 2, 3}, 0.01), 6},
          {"very thin cubes", thin_blocks({2, 1, 2}, 1e-4), 6},
          {"skewed", grid_of_blocks({2, 3}, 0.3, true), 7},
          {"star", star(5), 6},
          {"thin ring", ring(5, 3, 1e3, 9, 2), 9},
          {"cube", grid_of_blocks({2, 2, 2}, 0.15, true), 5},
          {"row", grid_of_blocks({3, 1, 1}, 0.1, true), 4},
          {"floating", grid_of_blocks({2, 2, 1}, 0.2, true), 4, true},
          {"needles", extruded(ring(5, 3, 1e3, 5), 2), 5},
          {"long cubes", thin_blocks({2, 2, 2}, 12), 7},
          {"one cell", grid_of_blocks({2, 2, 2}, 0.1), 1},
          {"parallelograms", parallelepipeds({2, 2}), 9, false, true},
          {"parallelepipeds", parallelepipeds({2, 2, 1}), 6, false, true},
          {"long parallelepipeds", long_parallelepipeds(), 6, false, true}};
}

MeshProblem problem_of(const StackedCase& one, const BlockMesh& mesh) {
  MeshProblem problem = block_problem(mesh, one.neumann ? 0.0 : 1.0, one.neumann ? 0.0 : 1.0);
  if (one.neumann) problem.source = Quantity([](double x, double, double) { return x - 0.5; });
  problem.coefficient.fill(Quantity([](double x, double y, double z) { return std::exp(std::sin(5 * x) + y * z); }));
  if (one.constant) {
    const bool space = one.made.macro.dimension == 3;
    set_coefficient(problem, {{2.0, 3.0, 1.5, 0.5, space ? 0.2 : 0.0, space ? -0.3 : 0.0}, false});
    problem.reaction = 2.0;
  }
  if (one.neumann) problem.conditions[0].kind = BoundaryKind::neumann;
  return problem;
}

// Fills the values of all nodes.
void fill_random(Field& field, const BlockSpace& blocks, unsigned seed, bool all = true) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(static_cast<std::size_t>(blocks.numbers->count()), 0);
  for (std::size_t p = 0; p < blocks.free.size(); ++p)
    for (std::int64_t n = blocks.numbers->first(static_cast<int>(p));
         n < blocks.numbers->first(static_cast<int>(p) + 1); ++n)
      if (all || blocks.free[p]) values[static_cast<std::size_t>(n)] = normal(random);
  put_nodes(values, blocks, field);
}

void expect_equal(const Field& found, const Field& expected, const BlockSpace& blocks, double tolerance,
                  const std::string& what) {
  const std::vector<double> a = get_nodes(found, blocks), b = get_nodes(expected, blocks);
  const auto [most, apart] = compare(b, a);
  EXPECT_LE(apart, tolerance * most) << what;
}

// Is a level with its operators on the CPU and on the device.
struct BothOperators {
  const std::unique_ptr<Backend> device = test_backend(), host = make_cpu_backend();
  BlockSystem system;
  std::shared_ptr<DeviceBlocks> blocks;

  BothOperators(const MeshData& data, const BlockMesh& mesh)
      : system(assemble_blocks(data, mesh, one_process(), 20, measure_cells(mesh).stretch())),
        blocks(device->on_gpu() ? std::shared_ptr<DeviceBlocks>(make_device_blocks(*device))
                                : host_device_blocks(*device)) {}
  BlockOperatorData data_of(std::size_t level, BlockSmoothing smoothing) const {
    BlockOperatorData data;
    data.level = system.levels[level];
    data.scale = 0.25;
    data.singular = system.singular;
    data.smoothing = smoothing;
    if (level == 0 && system.singular)
      data.volume = std::make_shared<const std::vector<std::vector<double>>>(system.volume);
    return data;
  }
};

// Is a field on the CPU and one on the device with the same values.
struct TwoFields {
  Field on_host, on_device;
  TwoFields(BothOperators& both, const BlockSpace& blocks, Precision precision, unsigned seed = 0, bool all = true)
      : on_host(*both.host, blocks.space, precision), on_device(*both.device, blocks.space, precision) {
    if (seed == 0) return;
    fill_random(on_host, blocks, seed, all);
    fill_random(on_device, blocks, seed, all);
  }
  void compare(const BlockSpace& blocks, double tolerance, const std::string& what) const {
    expect_equal(on_device, on_host, blocks, tolerance, what);
  }
};

void compare_verbs(BothOperators& both, std::size_t level, BlockSmoothing smoothing, Precision precision,
                   const std::string& name, BlockModel model = BlockModel::automatic) {
  BlockOperatorData data = both.data_of(level, smoothing);
  data.model = model;
  const BlockSpace& blocks = *data.level.space;
  const auto expected = make_block_operator(*both.host, data, precision);
  const auto found = both.blocks->make_operator(data, precision);
  // Devices compute elements from the edges of cells, the CPU from places, which costs digits on thin cells.
  const double tolerance = precision == Precision::fp32 ? 2e-5 : 5e-13;
  const auto sums = [&](Scalar& a, Scalar& b, const char* what) {
    const double expected_sum = both.host->value(a);
    EXPECT_NEAR(both.device->value(b), expected_sum, 10 * tolerance * std::abs(expected_sum)) << name << what;
  };
  Scalar on_host = both.host->scalar(), on_device = both.device->scalar();
  const TwoFields u(both, blocks, precision, 1);
  TwoFields b(both, blocks, precision, 2, false), r(both, blocks, precision);
  expected->apply(u.on_host, r.on_host);
  found->apply(u.on_device, r.on_device);
  r.compare(blocks, tolerance, name + " apply");
  expected->apply_everywhere(u.on_host, r.on_host);
  found->apply_everywhere(u.on_device, r.on_device);
  r.compare(blocks, tolerance, name + " apply everywhere");
  for (const Precision narrow : {Precision::fp32, precision}) {
    TwoFields s(both, blocks, narrow);
    expected->residual(u.on_host, b.on_host, s.on_host);
    found->residual(u.on_device, b.on_device, s.on_device);
    s.compare(blocks, narrow == Precision::fp32 ? 2e-5 : tolerance, name + " residual");
    const Scalar four = both.host->scalar(4), there = both.device->scalar(4);
    expected->residual(u.on_host, b.on_host, s.on_host, four, on_host);
    found->residual(u.on_device, b.on_device, s.on_device, there, on_device);
    s.compare(blocks, narrow == Precision::fp32 ? 2e-5 : tolerance, name + " scaled residual");
    const double norm = both.host->value(on_host);
    EXPECT_NEAR(both.device->value(on_device), norm, 1e-4 * norm) << name;
  }
  expected->norm(b.on_host, on_host);
  found->norm(b.on_device, on_device);
  sums(on_host, on_device, " norm");
  expected->rounding(u.on_host, on_host);
  found->rounding(u.on_device, on_device);
  sums(on_host, on_device, " rounding");
  const auto split = expected->split(), device_split = found->split();
  TwoFields x(both, blocks, precision), y(both, blocks, precision, 3, false);
  split->start(0.7, b.on_host, x.on_host);
  device_split->start(0.7, b.on_device, x.on_device);
  x.compare(blocks, 10 * tolerance, name + " start");
  for (const double beta : {0.0, 0.3}) {
    split->step({0.8, beta}, x.on_host, b.on_host, y.on_host);
    device_split->step({0.8, beta}, x.on_device, b.on_device, y.on_device);
    y.compare(blocks, 10 * tolerance, name + " step");
  }
  if (!data.singular) return;
  expected->project_rhs(b.on_host, on_host);
  found->project_rhs(b.on_device, on_device);
  b.compare(blocks, tolerance, name + " projected load");
  expected->project_solution(y.on_host);
  found->project_solution(y.on_device);
  y.compare(blocks, 10 * tolerance, name + " projected solution");
}

TEST(StackedBlocks, HaveTheVerbsOfTheCpu) {
  for (const StackedCase& one : stacked_cases()) {
    const BlockMesh mesh = make_block_mesh(geometry_of(one.made, one.cells));
    const MeshProblem problem = problem_of(one, mesh);
    const MeshData data(problem);
    BothOperators both(data, mesh);
    const bool crosses = BlockLines<double>(*both.host, both.system.levels[0], 1).crossing() != nullptr;
    EXPECT_TRUE(crosses || one.name != "thin squares") << one.name;
    for (std::size_t level = 0; level < both.system.levels.size(); ++level)
      for (const BlockSmoothing smoothing : {BlockSmoothing::points, BlockSmoothing::lines})
        for (const Precision precision : {Precision::fp64, Precision::fp32}) {
          if (precision == Precision::fp32 && both.system.stretch.largest > 500) continue;
          for (const BlockModel model : {BlockModel::stored, BlockModel::computed})
            if (level == 0)
              compare_verbs(both, level, smoothing, precision,
                            one.name + (model == BlockModel::stored ? " stored" : " computed"), model);
          compare_verbs(both, level, smoothing, precision,
                        one.name + (smoothing == BlockSmoothing::lines ? " lines" : " points"));
        }
  }
}

// Elements of some blocks, or of some planes of a block, are computed at a time.
TEST(StackedBlocks, AssembleAFewPlanesAtATime) {
  const double before = most_bytes_of_elements;
  for (const double bytes : {3e3, 2e4, 1e5}) {
    for (const StackedCase& one : stacked_cases()) {
      if (one.name != "skewed" && one.name != "cube" && one.name != "floating") continue;
      most_bytes_of_elements = bytes;
      const BlockMesh mesh = make_block_mesh(geometry_of(one.made, one.cells));
      MeshProblem problem = problem_of(one, mesh);
      if (one.name == "cube") {
        problem.conditions[0].kind = BoundaryKind::robin;
        problem.conditions[0].alpha = 2.0;
      }
      const MeshData data(problem);
      BothOperators both(data, mesh);
      for (std::size_t level = 0; level < both.system.levels.size(); ++level)
        compare_verbs(both, level, BlockSmoothing::lines, Precision::fp64, one.name, BlockModel::stored);
    }
  }
  most_bytes_of_elements = before;
}

// Entries with 8 digits are those of the matrix, and the form of differences keeps constants in the null space.
TEST(StackedBlocks, NarrowEntriesHave8Digits) {
  for (const std::vector<int>& m : {std::vector{3, 2}, std::vector{2, 2, 1}}) {
    const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks(m, 0.15, true), 6));
    MeshProblem problem = block_problem(mesh, 0.0, 1.0);
    problem.conditions[0].kind = BoundaryKind::neumann;
    const MeshData data(problem);
    BothOperators both(data, mesh);
    BlockOperatorData of = both.data_of(0, BlockSmoothing::points);
    const BlockSpace& blocks = *of.level.space;
    of.model = BlockModel::stored;
    const auto expected = both.blocks->make_operator(of, Precision::fp32);
    of.model = BlockModel::narrow;
    const auto found = both.blocks->make_operator(of, Precision::fp32);
    EXPECT_LT(found->bytes(), expected->bytes());
    Field u(*both.device, blocks.space, Precision::fp32), a(*both.device, blocks.space, Precision::fp32),
        b(*both.device, blocks.space, Precision::fp32);
    fill_random(u, blocks, 3);
    expected->apply(u, a);
    found->apply(u, b);
    expect_equal(b, a, blocks, 4e-3, "narrow");
    put_nodes(std::vector<double>(static_cast<std::size_t>(blocks.numbers->count()), 1), blocks, u);
    found->apply(u, b);
    for (const double value : get_nodes(b, blocks)) EXPECT_EQ(value, 0);
  }
}

// The residual of skewed blocks in space may compute its entries, and corrections store them.
TEST(StackedBlocks, ChooseAModelOfCoefficients) {
  for (const bool robin : {false, true}) {
    const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks({2, 2, 2}, 0.15, true), 8));
    MeshProblem problem = block_problem(mesh, 1.0, 1.0);
    if (robin) problem.conditions[0].kind = BoundaryKind::robin;
    if (robin) problem.conditions[0].alpha = 2.0;
    const MeshData data(problem);
    BothOperators both(data, mesh);
    const auto bytes = [&](BlockModel model) {
      BlockOperatorData of = both.data_of(0, BlockSmoothing::points);
      of.model = model;
      return both.blocks->make_operator(of, Precision::fp64)->bytes();
    };
    EXPECT_EQ(bytes(BlockModel::corrections), bytes(BlockModel::stored));
    if (robin)
      EXPECT_EQ(bytes(BlockModel::automatic), bytes(BlockModel::stored));
    else
      EXPECT_LT(3 * bytes(BlockModel::automatic), bytes(BlockModel::stored));
  }
}

// Thin cells of a block that floats need corrections in fp64; those of a layer that grows to round cells do not.
TEST(StackedBlocks, CorrectInSinglePrecisionWhereLinesAreHeld) {
  MadeBlocks flat = grid_of_blocks({2, 2}, 0);
  for (auto& x : flat.macro.vertices) x[1] *= 1e-4;
  const CellStretch thin = measure_cells(make_block_mesh(geometry_of(flat, 16))).stretch(),
                    layer = measure_cells(make_block_mesh(geometry_of(ring(5, 3, 1e4, 32), 32))).stretch();
  EXPECT_GT(thin.largest, 9e3);
  EXPECT_GT(layer.largest, 9e3);
  EXPECT_EQ(resolve_block_options({}, thin, 2).precision, SolvePrecision::double_);
  EXPECT_EQ(resolve_block_options({}, layer, 2).precision, SolvePrecision::mixed);
}

// Blocks of parallelepipeds with constant coefficients need no stored entries.
TEST(StackedBlocks, FindTensorProducts) {
  for (const StackedCase& one : stacked_cases()) {
    const BlockMesh mesh = make_block_mesh(geometry_of(one.made, one.cells));
    const MeshProblem problem = problem_of(one, mesh);
    const MeshData data(problem);
    const BlockSystem system = assemble_blocks(data, mesh, one_process(), 20, measure_cells(mesh).stretch());
    for (const BlockLevel& level : system.levels)
      for (const BlockMatrix::OfBlock& of : level.matrix->own)
        EXPECT_EQ(of.tensor.has_value(), one.constant) << one.name;
  }
}

TEST(StackedBlocks, MoveValuesAsTheCpuDoes) {
  for (const StackedCase& one : stacked_cases()) {
    const BlockMesh mesh = make_block_mesh(geometry_of(one.made, one.cells));
    const MeshProblem problem = problem_of(one, mesh);
    const MeshData data(problem);
    BothOperators both(data, mesh);
    for (std::size_t level = 0; level + 1 < both.system.levels.size(); ++level) {
      const auto fine = both.system.levels[level].space, coarse = both.system.levels[level + 1].space;
      const auto expected = make_block_transfer(*both.host, fine, coarse, Precision::fp64);
      const auto found = both.blocks->make_transfer(fine, coarse, Precision::fp64);
      const TwoFields r(both, *fine, Precision::fp64, 4, false), c(both, *coarse, Precision::fp64, 5, false);
      TwoFields up(both, *fine, Precision::fp64, 6, false), down(both, *coarse, Precision::fp64);
      const Scalar scale = both.host->scalar(0.5), there = both.device->scalar(0.5);
      expected->restrict_to(r.on_host, down.on_host, &scale);
      found->restrict_to(r.on_device, down.on_device, &there);
      down.compare(*coarse, 1e-13, one.name + " restricted");
      expected->prolong_add(c.on_host, up.on_host);
      found->prolong_add(c.on_device, up.on_device);
      up.compare(*fine, 1e-13, one.name + " added");
      expected->interpolate(c.on_host, up.on_host, &scale);
      found->interpolate(c.on_device, up.on_device, &there);
      up.compare(*fine, 1e-13, one.name + " interpolated");
    }
  }
}

// Coarse levels of blocks with unequal numbers of cells are PᵀAP of the level above. Levels list their blocks in
// different orders, because unequal blocks may have coarse blocks of one shape.
TEST(StackedBlocks, CoarseLevelsAreProductsOfTheFinerOnes) {
  for (const std::vector<int>& m : {std::vector{3, 2}, std::vector{2, 3, 2}}) {
    const MadeBlocks made = grid_of_blocks(m, 0.2, true);
    BlockGeometry geometry = geometry_of(made, 1);
    for (std::size_t c = 0; c < geometry.cells.size(); ++c) {
      geometry.cells[c] = std::array{7, 4, 5, 9, 8, 3}[c % 6];
      geometry.fractions[c] = uniform_nodes(0, 1, geometry.cells[c]);
    }
    const BlockMesh mesh = make_block_mesh(geometry);
    MeshProblem problem = block_problem(mesh, 1.0, 1.0);
    problem.coefficient.fill(Quantity([](double x, double y, double z) { return std::exp(std::sin(5 * x) + y * z); }));
    problem.reaction = 3.0;
    const MeshData data(problem);
    BothOperators both(data, mesh);
    ASSERT_GT(both.system.levels.size(), 2U);
    for (std::size_t level = 0; level + 1 < both.system.levels.size(); ++level) {
      const auto fine = both.system.levels[level].space, coarse = both.system.levels[level + 1].space;
      const auto check = [&](Backend& backend, const auto& make_operator, const Transfer& transfer) {
        const auto A = make_operator(level), C = make_operator(level + 1);
        Field c(backend, coarse->space, Precision::fp64), expected(backend, coarse->space, Precision::fp64),
            found(backend, coarse->space, Precision::fp64), up(backend, fine->space, Precision::fp64),
            product(backend, fine->space, Precision::fp64);
        fill_random(c, *coarse, 7, false);
        backend.fill(up, 0);
        transfer.interpolate(c, up);
        A->apply(up, product);
        transfer.restrict_to(product, expected);
        C->apply(c, found);
        expect_equal(found, expected, *coarse, 1e-12, "level " + std::to_string(level + 1));
      };
      check(
          *both.host,
          [&](std::size_t l) {
            return make_block_operator(*both.host, both.data_of(l, BlockSmoothing::points), Precision::fp64);
          },
          *make_block_transfer(*both.host, fine, coarse, Precision::fp64));
      check(
          *both.device,
          [&](std::size_t l) {
            return both.blocks->make_operator(both.data_of(l, BlockSmoothing::points), Precision::fp64);
          },
          *both.blocks->make_transfer(fine, coarse, Precision::fp64));
    }
  }
}

// Solves with the code of devices: the same iterations and solutions as on the CPU.
TEST(StackedBlocks, SolveAsTheCpuDoes) {
  for (const StackedCase& one : stacked_cases()) {
    const BlockMesh mesh = make_block_mesh(geometry_of(one.made, 2 * one.cells));
    const MeshProblem problem = problem_of(one, mesh);
    Options options;
    options.tolerance = 1e-11;
    const auto device = test_backend(), host = make_cpu_backend();
    const BlockSolution expected = solve_blocks_on(*host, nullptr, mesh, problem, options);
    const BlockSolution found =
        solve_blocks_on(*device, device->on_gpu() ? nullptr : host_device_blocks(*device), mesh, problem, options);
    EXPECT_EQ(found.result.converged(), expected.result.converged()) << one.name;
    EXPECT_GE(found.result.iterations, expected.result.iterations - 1) << one.name;
    EXPECT_LE(found.result.iterations, expected.result.iterations + 1) << one.name;
    const auto [most, apart] = compare(expected.u, found.u);
    EXPECT_LE(apart, 1e-9 * most) << one.name;
  }
}

}  // namespace
}  // namespace poisson::test::stacked_blocks_tests
