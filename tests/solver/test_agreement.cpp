// These tests compare the device under test with the CPU, for every solver on every kind of box.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <numeric>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "io/config/config.hpp"
#include "tests/agreement.hpp"
#include "tests/cases/operator_choices.hpp"
#include "tests/smoothing.hpp"

namespace poisson::agreement_tests {
namespace {

/// Selects the unknowns and the precision of the solve.
struct Form {
  int dimension;
  Centering centering;
  SolvePrecision precision;
};
std::vector<Named<Form>> forms() {
  std::vector<Named<Form>> all;
  for (const int dimension : {2, 3})
    for (const Centering centering : {Centering::node, Centering::cell})
      for (const auto& [name, precision] : {std::pair{"double", SolvePrecision::double_},
                                            {"mixed", SolvePrecision::mixed},
                                            {"single", SolvePrecision::single}})
        all.push_back({std::to_string(dimension) + "d_" + (centering == Centering::cell ? "cells_" : "nodes_") + name,
                       {dimension, centering, precision}});
  return all;
}

struct Solution {
  Method method;
  Krylov krylov = Krylov::none;
  std::string_view smoother = "chebyshev";
  std::string_view form = "first";
};
std::vector<Named<Solution>> solutions() {
  std::vector<Named<Solution>> all{{"cg", {Method::cg}}, {"jacobi", {Method::jacobi}}};
  for (const auto& [name, smoother, form] : {std::tuple{"firstKind", "chebyshev", "first"},
                                             {"fourthKind", "chebyshev", "fourth"},
                                             {"redBlack", "red-black", ""},
                                             {"jacobiSteps", "jacobi", ""}})
    for (const Krylov krylov : {Krylov::none, Krylov::cg})
      all.push_back(
          {std::string(name) + (krylov == Krylov::cg ? "InCg" : ""), {Method::multigrid, krylov, smoother, form}});
  return all;
}

struct Cycles {
  Cycle cycle;
  bool full_multigrid;
};
const std::vector<Named<Cycles>> all_cycles{{"v", {Cycle::v, false}},    {"w", {Cycle::w, false}},
                                            {"f", {Cycle::f, false}},    {"fullV", {Cycle::v, true}},
                                            {"fullW", {Cycle::w, true}}, {"fullF", {Cycle::f, true}}};

/// Counts sweeps before and after the correction; conjugate gradients need equal numbers.
struct Sweeps {
  int pre, post;
};
const std::vector<Named<Sweeps>> all_sweeps{{"0_1", {0, 1}}, {"1_2", {1, 2}}, {"2_3", {2, 3}}, {"2_1", {2, 1}}};

const std::vector<Named<std::array<int, 3>>> all_cells{
    {"2x2x2", {2, 2, 2}},     {"3x2x5", {3, 2, 5}},    {"5x31x2", {5, 31, 2}}, {"33x3x2", {33, 3, 2}},
    {"31x5x3", {31, 5, 3}},   {"2x33x5", {2, 33, 5}},  {"5x3x33", {5, 3, 33}}, {"3x5x31", {3, 5, 31}},
    {"31x33x2", {31, 33, 2}}, {"17x2x33", {17, 2, 33}}};

/// Covers all pairs of the settings of a solve.
class Agreement
    : public testing::TestWithParam<std::tuple<NamedFaces, NamedGrid, Named<Entries>, Named<Form>, Named<Solution>,
                                               Named<Cycles>, Named<Sweeps>, Named<std::array<int, 3>>>> {};

TEST_P(Agreement, OfPairs) {
  const auto& [faces, grid, entries, form, solution, cycles, sweeps, cells] = GetParam();
  Choice c;
  c.problem = {form.value.dimension, cells.value, entries.value.kappa, entries.value.sigma, form.value.centering};
  Options& o = c.options;
  o.tolerance = 0;
  o.precision = form.value.precision;
  o.method = solution.value.method;
  o.cycle = cycles.value.cycle;
  o.full_multigrid = cycles.value.full_multigrid;
  const std::array<int, 3>& n = cells.value;
  switch (o.method) {
    case Method::cg:
      // Until conjugate gradients converge, each iteration amplifies differences in rounding by up to five: in fp32
      // 2e-4 of u after six, 5e-3 after eight (two builds for one CPU). After as many iterations as there are unknowns,
      // only rounding is left.
      o.max_iterations =
          std::min(o.precision == SolvePrecision::single ? 5 : 12,
                   std::accumulate(n.begin(), n.begin() + c.problem.dimension, 1, std::multiplies<>()) / 2);
      break;
    case Method::jacobi:
      o.max_iterations = 20;
      break;
    default:
      o.max_iterations = 6;
      o.krylov = solution.value.krylov;
      choose(o.smoother, solution.value.smoother, solution.value.form);
      o.smoother.pre = o.krylov == Krylov::cg ? sweeps.value.post : sweeps.value.pre;
      o.smoother.post = sweeps.value.post;
  }
  SCOPED_TRACE(describe(c));
  const bool very_stretched = grid.name == "geometric" || grid.name == "micro";
  char text[32];
  std::snprintf(text, sizeof text, "%.2g",
                expect_agreement(with_data(faces, grid, c.problem), c.options, very_stretched));
  RecordProperty("distance", text);
}

INSTANTIATE_TEST_SUITE_P(, Agreement,
                         testing::ValuesIn(every_pair(all_faces(), all_grids, all_entries(diagonal_kappas), forms(),
                                                      solutions(), all_cycles, all_sweeps, all_cells)),
                         name_of_combination);

/// Covers every solver on an awkward box with many tiles.
class LargerBox
    : public testing::TestWithParam<std::tuple<NamedFaces, Named<ProblemChoice>, NamedGrid, Named<SolvePrecision>>> {};

TEST_P(LargerBox, Agrees) {
  const auto& [faces, choice, grid, precision] = GetParam();
  Choice c;
  c.problem = choice.value;
  c.options.krylov = Krylov::none;
  c.options.tolerance = 0;
  c.options.max_iterations = 6;
  c.options.precision = precision.value;
  SCOPED_TRACE(describe(c));
  expect_agreement(with_data(faces, grid, choice.value), c.options);
}

const std::vector<Named<ProblemChoice>> larger_problems{
    {"97x61x43", {3, {97, 61, 43}, Kappa::constant, Sigma::zero}},
    {"33x31x64_varying", {3, {33, 31, 64}, Kappa::random_tensor, Sigma::varying}},
    {"257x131_varying", {2, {257, 131, 1}, Kappa::random, Sigma::zero}},
    {"97x61x43_cells", {3, {97, 61, 43}, Kappa::constant, Sigma::zero, Centering::cell}},
    {"33x31x64_cells_varying", {3, {33, 31, 64}, Kappa::random, Sigma::zero, Centering::cell}},
    {"257x131_cells_varying", {2, {257, 131, 1}, Kappa::random_tensor, Sigma::varying, Centering::cell}}};

INSTANTIATE_TEST_SUITE_P(
    , LargerBox,
    testing::ValuesIn(every_pair(all_faces(), larger_problems, std::vector<NamedGrid>{all_grids[0], all_grids[1]},
                                 std::vector<Named<SolvePrecision>>{{"double", SolvePrecision::double_},
                                                                    {"mixed", SolvePrecision::mixed}})),
    name_of_combination);

std::vector<Choice> ways(Centering centering = Centering::node) {
  std::vector<Choice> all;
  const auto add = [&](auto change) {
    for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed}) {
      Choice c;
      c.problem = {3, {33, 31, 29}, Kappa::constant, Sigma::zero, centering};
      c.options.tolerance = 0;
      c.options.max_iterations = 6;
      c.options.precision = precision;
      change(c.options);
      all.push_back(c);
    }
  };
  for (const Cycle cycle : {Cycle::v, Cycle::w, Cycle::f})
    for (const std::string_view type : {"chebyshev", "red-black", "jacobi"})
      for (const Krylov krylov : {Krylov::none, Krylov::cg})
        add([&](Options& o) {
          o.cycle = cycle;
          o.smoother = smoothing(type, type == "chebyshev" ? "fourth" : "", 2, 2);
          o.krylov = krylov;
        });
  for (const std::string_view type : {"chebyshev", "red-black"}) {
    if (centering == Centering::cell) break;
    add([&](Options& o) {
      o.coarse_operator = CoarseOperator::galerkin;
      o.smoother = smoothing(type, {}, 2, 2);
      o.krylov = Krylov::cg;
    });
  }
  for (const std::string_view type : {"line", "plane"})
    for (const Krylov krylov : {Krylov::none, Krylov::cg})
      add([&](Options& o) {
        choose(o.smoother, type);
        o.krylov = krylov;
        if (type == "plane") o.max_iterations = 2;  // needs many launches
      });
  add([](Options& o) {
    o.method = Method::cg;
    o.max_iterations = 12;
  });
  add([](Options& o) {
    o.method = Method::jacobi;
    o.max_iterations = 20;
  });
  return all;
}

/// The cases use different faces in turn.
TEST(SolverVariants, Agree) {
  constexpr std::array all{"dirichlet", "neumann", "mixed", "periodic_xyz", "robin_varying"};
  std::size_t turn = 0;
  for (const Centering centering : {Centering::node, Centering::cell})
    for (const Choice& c : ways(centering)) {
      const std::string faces = all[turn++ % all.size()];
      SCOPED_TRACE(faces + ", " + describe(c));
      expect_agreement(with_data(faces_named(faces), all_grids[0], c.problem), c.options);
    }
}

TEST(SolverVariants, GiveTheSameBitsTwice) {
  std::vector<Choice> all = ways();
  for (Choice c : ways(Centering::cell)) {
    c.problem.kappa = Kappa::random;
    all.push_back(c);
  }
  for (const Choice& c : all) {
    SCOPED_TRACE(describe(c));
    const Problem problem = with_data(faces_named("mixed"), all_grids[1], c.problem);
    Solve s(problem, c.options);
    const Outcome first = outcome(s);
    s.reset();
    const Outcome again = outcome(s), other = on_device(problem, c.options);
    EXPECT_EQ(first.u, again.u) << "by the same solver";
    EXPECT_EQ(first.result.history, again.result.history);
    EXPECT_EQ(first.u, other.u) << "by another one";
    EXPECT_EQ(first.result.history, other.result.history);
  }
}

/// No verb may read padding or the halo of periodic axes, so NaN there must not change any bit.
TEST(SolverVariants, ReadNoPadding) {
  constexpr std::array all{"mixed", "periodic_y", "periodic_xyz"};
  std::size_t turn = 0;
  for (const Choice& c : ways()) {
    const std::string faces = all[turn++ % all.size()];
    SCOPED_TRACE(faces + ", " + describe(c));
    const Problem problem = with_data(faces_named(faces), all_grids[1], c.problem);
    const Outcome clean = on_device(problem, c.options);
    Solve s(problem, c.options);
    for (Field* const f : {&s.solution(), &s.rhs()}) set_values(s.backend(), *f, values(s.backend(), *f));
    set_values(
        s.backend(), s.solver().spare(),
        Vector(static_cast<std::size_t>(s.solution().layout().size()), std::numeric_limits<double>::quiet_NaN()));
    const Outcome poisoned = outcome(s);
    EXPECT_EQ(clean.u, poisoned.u);
    EXPECT_EQ(clean.result.history, poisoned.result.history);
  }
}

/// While a graph is recorded, verbs on small levels share launches; otherwise each verb has a separate launch. The
/// functors are the same, so results may differ only in how the compiler fused multiplications and additions.
TEST(SolverVariants, RoundAlikeWithSharedLaunches) {
  constexpr std::array all{"mixed", "periodic_x", "periodic_xyz"};
  std::size_t turn = 0;
  for (Choice c : ways()) {
    const std::string faces = all[++turn % all.size()];
    const NamedGrid& grid = all_grids[turn % 2];
    c.problem.kappa = turn / 2 % 2 == 0 ? Kappa::constant : Kappa::random_tensor;
    c.options.max_iterations = 2;  // needs many launches
    SCOPED_TRACE(faces + ", " + grid.name + ", " + describe(c));
    const Problem problem = with_data(faces_named(faces), grid, c.problem);
    const Outcome shared = on_device(problem, c.options);
    Solve s(problem, c.options);
    s.backend().run_immediately();
    const Outcome alone = outcome(s);
    EXPECT_LE(distance(shared, alone),
              c.options.krylov == Krylov::none && c.options.precision == SolvePrecision::double_
                  ? 1e-14
                  : bound(c.options, alone.result, false));
  }
}

/// The example configurations are solved in fp64 for a fixed number of cycles.
TEST(EveryConfiguration, Agrees) {
  const char* const root = std::getenv("POISSON_ROOT");
  int count = 0;
  for (const char* const folder : {"configs", "examples"})
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(root ? root : ".") / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      SCOPED_TRACE(entry.path());
      const std::vector<std::string> overrides{"solver.precision=double", "solver.tolerance=0",
                                               "solver.max_iterations=10"};
      Config config = load_config(entry.path(), overrides);
      if (config.options.method == Method::automatic) config.options.method = Method::multigrid;
      if (config.matrix || config.mesh) continue;  // test_bands compares matrices; meshes need a CPU
      // Large jumps of κ amplify rounding like stretched axes.
      const bool rough = config.problem.media != nullptr;
      const double d = expect_agreement(config.problem, config.options, rough);
      std::printf("%-24s %.2g of the largest |u|\n", entry.path().stem().c_str(), d);
      EXPECT_LE(d, rough ? 1e-11 : 1e-12);
      ++count;
    }
  EXPECT_GE(count, 9);
}

/// Solves to the tolerance must have the same iterations and the same verdict.
TEST(SolverVariants, EndAlike) {
  for (Choice c : ways()) {
    if (c.options.method == Method::jacobi) continue;
    c.options.tolerance = 1e-9;
    c.options.max_iterations = 300;
    SCOPED_TRACE(describe(c));
    const Problem problem = with_data(faces_named("mixed"), all_grids[0], c.problem);
    const Outcome host = on_host(problem, c.options), device = on_device(problem, c.options);
    EXPECT_TRUE(device.result.converged()) << name_of(device.result.verdict);
    // After many iterations of conjugate gradients, rounding may change the last one.
    EXPECT_NEAR(host.result.iterations, device.result.iterations, c.options.method == Method::cg ? 2 : 0);
    EXPECT_LE(distance(host, device), 1e-6);
  }
}

}  // namespace
}  // namespace poisson::agreement_tests
