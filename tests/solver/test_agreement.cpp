// The device under test against the CPU: every way to solve, on every kind of box.

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

namespace poisson {
namespace {

Choice draw(unsigned seed, SolvePrecision precision) {
  constexpr std::array<std::array<int, 3>, 10> sizes{{{2, 2, 2},
                                                      {3, 2, 5},
                                                      {5, 31, 2},
                                                      {33, 3, 2},
                                                      {31, 5, 3},
                                                      {2, 33, 5},
                                                      {5, 3, 33},
                                                      {3, 5, 31},
                                                      {31, 33, 2},
                                                      {17, 2, 33}}};
  Random random(seed);
  const auto pick = [&](int count) { return std::min(count - 1, static_cast<int>((random() + 1) / 2 * count)); };
  Choice c;
  c.problem = {2 + pick(2), sizes[static_cast<std::size_t>(pick(sizes.size()))], static_cast<Kappa>(pick(4)),
               static_cast<Sigma>(pick(3))};
  const auto& cells = c.problem.cells;
  Options& o = c.options;
  o.tolerance = 0;
  o.precision = precision;
  o.full_multigrid = pick(2) == 0;
  o.cycle = static_cast<Cycle>(pick(3));
  switch (pick(8)) {
    case 0:
      o.method = Method::cg;
      // With as many iterations as unknowns all that is left is rounding.
      o.max_iterations =
          std::min(12, std::accumulate(cells.begin(), cells.begin() + c.problem.dimension, 1, std::multiplies<>()) / 2);
      return c;
    case 1:
      o.method = Method::jacobi;
      o.max_iterations = 20;
      return c;
    default:
      break;
  }
  o.max_iterations = 6;
  o.krylov = pick(3) == 0 ? Krylov::cg : Krylov::none;
  o.smoother.type = std::array{SmootherType::chebyshev, SmootherType::red_black,
                               SmootherType::jacobi}[static_cast<std::size_t>(pick(3))];
  o.smoother.kind = pick(2) == 0 ? ChebyshevKind::first : ChebyshevKind::fourth;
  const int sweeps = 1 + pick(3);
  o.smoother.pre = o.krylov == Krylov::cg ? sweeps : pick(3);
  o.smoother.post = sweeps;
  return c;
}

class Agreement : public testing::TestWithParam<std::tuple<NamedFaces, NamedGrid>> {
 protected:
  void check(SolvePrecision precision, int count, Centering centering = Centering::node) {
    const auto& [faces, grid] = GetParam();
    unsigned seed = 1;
    for (const char c : faces.name + grid.name) seed = 31 * seed + static_cast<unsigned char>(c);
    double worst = 0;
    for (int i = 0; i < count; ++i) {
      Choice c = draw(seed + static_cast<unsigned>(i), precision);
      c.problem.centering = centering;
      SCOPED_TRACE(describe(c));
      const bool very_stretched = grid.name == "geometric" || grid.name == "micro";
      worst = std::max(worst, expect_agreement(with_data(faces, grid, c.problem), c.options, very_stretched));
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.2g", worst);
    RecordProperty("largest_distance", text);
  }
};

TEST_P(Agreement, InDouble) {
  check(SolvePrecision::double_, 10);
}
TEST_P(Agreement, InMixedPrecision) {
  check(SolvePrecision::mixed, 5);
}
TEST_P(Agreement, InSingle) {
  check(SolvePrecision::single, 3);
}
TEST_P(Agreement, OfCells) {
  check(SolvePrecision::double_, 8, Centering::cell);
  check(SolvePrecision::mixed, 4, Centering::cell);
  check(SolvePrecision::single, 2, Centering::cell);
}

INSTANTIATE_TEST_SUITE_P(All, Agreement, testing::Combine(testing::ValuesIn(all_faces()), testing::ValuesIn(all_grids)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" + std::get<1>(test.param).name;
                         });

/// Every way to solve, on an awkward box of many tiles.
class LargerBox : public testing::TestWithParam<NamedFaces> {};

TEST_P(LargerBox, Agrees) {
  for (const NamedGrid& grid : {all_grids[0], all_grids[1]})
    for (const ProblemChoice& choice : {ProblemChoice{3, {97, 61, 43}, Kappa::constant, Sigma::zero},
                                        {3, {33, 31, 64}, Kappa::random_tensor, Sigma::varying},
                                        {2, {257, 131, 1}, Kappa::random, Sigma::zero},
                                        {3, {97, 61, 43}, Kappa::constant, Sigma::zero, Centering::cell},
                                        {3, {33, 31, 64}, Kappa::random, Sigma::zero, Centering::cell},
                                        {2, {257, 131, 1}, Kappa::random_tensor, Sigma::varying, Centering::cell}})
      for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed}) {
        Choice c;
        c.problem = choice;
        c.options.krylov = Krylov::none;
        c.options.tolerance = 0;
        c.options.max_iterations = 6;
        c.options.precision = precision;
        SCOPED_TRACE(grid.name + ", " + describe(c));
        expect_agreement(with_data(GetParam(), grid, choice), c.options);
      }
}

INSTANTIATE_TEST_SUITE_P(All, LargerBox, testing::ValuesIn(all_faces()),
                         [](const auto& test) { return test.param.name; });

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
    for (const SmootherType type : {SmootherType::chebyshev, SmootherType::red_black, SmootherType::jacobi})
      for (const Krylov krylov : {Krylov::none, Krylov::cg})
        add([&](Options& o) {
          o.cycle = cycle;
          o.smoother = {type, {}, ChebyshevKind::fourth, {}, 2, 2};
          o.krylov = krylov;
        });
  for (const SmootherType type : {SmootherType::chebyshev, SmootherType::red_black}) {
    if (centering == Centering::cell) break;
    add([&](Options& o) {
      o.coarse_operator = CoarseOperator::galerkin;
      o.smoother = {type, {}, ChebyshevKind::first, {}, 2, 2};
      o.krylov = Krylov::cg;
    });
  }
  for (const SmootherType type : {SmootherType::line, SmootherType::plane})
    for (const Krylov krylov : {Krylov::none, Krylov::cg})
      add([&](Options& o) {
        o.smoother.type = type;
        o.krylov = krylov;
        if (type == SmootherType::plane) o.max_iterations = 2;  // each is many launches
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

TEST(EveryWay, Agrees) {
  for (const char* const faces : {"dirichlet", "neumann", "mixed", "periodic_xyz"})
    for (const Centering centering : {Centering::node, Centering::cell})
      for (const Choice& c : ways(centering)) {
        SCOPED_TRACE(std::string(faces) + ", " + describe(c));
        expect_agreement(with_data(faces_named(faces), all_grids[0], c.problem), c.options);
      }
}

TEST(EveryWay, GivesTheSameBitsTwice) {
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

/// NaN in what no verb may read, padding and the halo of periodic axes, changes no bit.
TEST(EveryWay, ReadsNoPadding) {
  for (const char* const faces : {"mixed", "periodic_y", "periodic_xyz"})
    for (const Choice& c : ways()) {
      SCOPED_TRACE(std::string(faces) + ", " + describe(c));
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

/// Verbs on small levels share launches while a graph is recorded, and have their own where each runs at once: the
/// functors are the same, and so are the numbers but for how the compiler fused multiplications and additions.
TEST(EveryWay, SharingLaunchesChangesRoundingAtMost) {
  for (const std::string faces : {"mixed", "periodic_x", "periodic_xyz"}) {
    std::size_t turn = faces.size();  // every way another grid and κ
    for (Choice c : ways()) {
      ++turn;
      const NamedGrid& grid = all_grids[turn % 2];
      c.problem.kappa = turn / 2 % 2 == 0 ? Kappa::constant : Kappa::random_tensor;
      c.options.max_iterations = 2;  // each is many launches
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
}

/// The files that a user starts from, solved in double for a fixed number of cycles.
TEST(EveryConfiguration, Agrees) {
  const char* const root = std::getenv("POISSON_ROOT");
  int count = 0;
  for (const char* const folder : {"configs", "examples"})
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(root ? root : ".") / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      SCOPED_TRACE(entry.path());
      const std::vector<std::string> overrides{"solver.precision=double", "solver.tolerance=0",
                                               "solver.max_iterations=10"};
      const Config config = load_config(entry.path(), overrides);
      if (config.matrix) continue;  // test_bands holds those against a reference on the device itself
      const double d = expect_agreement(config.problem, config.options);
      std::printf("%-24s %.2g of the largest |u|\n", entry.path().stem().c_str(), d);
      EXPECT_LE(d, 1e-12);
      ++count;
    }
  EXPECT_GE(count, 9);
}

/// Until the tolerance is reached: the same iterations, the same end.
TEST(EveryWay, EndsAlike) {
  for (Choice c : ways()) {
    if (c.options.method == Method::jacobi) continue;
    c.options.tolerance = 1e-9;
    c.options.max_iterations = 300;
    SCOPED_TRACE(describe(c));
    const Problem problem = with_data(faces_named("mixed"), all_grids[0], c.problem);
    const Outcome host = on_host(problem, c.options), device = on_device(problem, c.options);
    EXPECT_TRUE(device.result.converged()) << device.result.reason(c.options);
    // Many iterations of conjugate gradients let rounding move the last.
    EXPECT_NEAR(host.result.iterations, device.result.iterations, c.options.method == Method::cg ? 2 : 0);
    EXPECT_LE(distance(host, device), 1e-6);
  }
}

}  // namespace
}  // namespace poisson
