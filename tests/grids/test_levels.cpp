// These tests check the levels chosen for problems of any size: number, sizes, relaxation, and whether hierarchies can
// be built from them.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/levels/levels.hpp"
#include "solver/plan.hpp"
#include "tests/smoothing.hpp"
#include "tests/solve.hpp"

namespace poisson::levels_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;
using Kinds = std::array<std::array<BoundaryKind, 2>, 3>;
using Cells = std::vector<int>;

/// Lists every pair of ends of an axis.
constexpr std::array<std::array<BoundaryKind, 2>, 10> ends{
    {{D, D}, {N, N}, {R, R}, {P, P}, {D, N}, {N, D}, {D, R}, {R, D}, {N, R}, {R, N}}};
/// Returns faces such that every pair of ends occurs on every axis, next to different ones.
Kinds mix(std::size_t number) {
  return {ends[number % 10], ends[(3 * number + number / 10) % 10], ends[(7 * number + 4) % 10]};
}

Problem problem_of(const Cells& cells, const std::array<double, 3>& spacing, const Kinds& kinds,
                   Centering centering = Centering::node, Scheme scheme = Scheme::fv) {
  Problem p;
  p.dimension = static_cast<int>(cells.size());
  p.centering = centering;
  p.scheme = scheme;
  for (std::size_t d = 0; d < cells.size(); ++d) {
    p.nodes[d] = uniform_nodes(0, spacing[d] * cells[d], cells[d]);
    for (std::size_t end = 0; end < 2; ++end) {
      const bool closed = kinds[d][end] == D || kinds[d][end] == P;  // the compact scheme requires these
      p.boundary[d][end] = {closed || scheme != Scheme::compact4 ? kinds[d][end] : D, 0.0, 2.0};
    }
  }
  return p;
}

/// Checks the levels of cells that are cubic within √2. There must be at most as many levels as halvings of the longest
/// axis. Until an axis is exhausted, after which the cells of the others grow, levels must relax points only, halve
/// every axis, and reduce the unknowns enough for cheap cycles. Galerkin levels of at most 300 values are the last
/// ones.
testing::AssertionResult well_chosen(const std::vector<LevelPlan>& levels, const Problem& problem) {
  const auto dimension = static_cast<std::size_t>(problem.dimension);
  unsigned longest = 0;
  for (const Axis& axis : levels.front().block.axes) longest = std::max(longest, static_cast<unsigned>(axis.cells()));
  if (levels.size() > std::bit_width(longest - 1) + 1U)
    return testing::AssertionFailure() << levels.size() << " levels";
  bool lasts = true;  // no axis is exhausted yet
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const LevelPlan& level = levels[l];
    const auto fails = [&](const std::string& what) {
      return testing::AssertionFailure() << what << " on level " << l << " of " << levels.size();
    };
    std::size_t long_enough = 0, halved = 0;
    for (std::size_t d = 0; d < dimension; ++d) {
      const int n = level.block.axes[d].cells();
      long_enough += n > 3;
      halved += level.coarser && level.coarser->coarsened[d] && level.coarser->block.axes[d].cells() == (n + 1) / 2;
    }
    const bool solved = l > 0 && level.assembly == LevelAssembly::bands && level.block.unknowns().size() <= 300;
    if ((long_enough == 0 || solved) != !level.coarser) return fails("the coarsest level is reached wrongly");
    if (level.coarser.has_value() != (l + 1 < levels.size())) return fails("the list ends wrongly");
    lasts = lasts && long_enough == dimension && !solved;
    if (!lasts) continue;
    if (level.relaxation != Relaxation{} || !level.planes.empty()) return fails("more than points are relaxed");
    if (halved != dimension) return fails("only " + std::to_string(halved) + " axes are halved");
    const auto above = static_cast<double>(level.block.unknowns().size()),
               below = static_cast<double>(levels[l + 1].block.unknowns().size());
    if (below > (dimension == 3 ? 0.3 : 0.55) * above)
      return fails(std::to_string(below) + " of " + std::to_string(above) + " unknowns are left below");
  }
  return testing::AssertionSuccess();
}

/// Calls f with the levels for the cases that methods distinguish: smooth κ, κ with jumps, and Galerkin operators.
template <class F>
void each_list(const Problem& problem, const F& f) {
  const Block block = make_block(problem);
  for (const bool jumps : {false, true})
    for (const bool galerkin : {false, true})
      for (const RelaxationChoice allowed : {RelaxationChoice::points, RelaxationChoice::automatic}) {
        if (galerkin && (problem.centering == Centering::cell || allowed != RelaxationChoice::points)) continue;
        SCOPED_TRACE(testing::Message() << (jumps ? "jumps" : "smooth") << (galerkin ? ", Galerkin" : "")
                                        << (allowed == RelaxationChoice::points ? ", points" : ", automatic"));
        LevelRules rules;
        rules.jumps = jumps;
        rules.galerkin = galerkin;
        rules.allowed = allowed;
        rules.elements = on_elements(problem.scheme);
        f(choose_levels(block, rules));
      }
}

template <class F>
void each_discretization(const F& f) {
  for (const auto& [centering, scheme] : {std::pair{Centering::node, Scheme::fv},
                                          {Centering::cell, Scheme::fv},
                                          {Centering::node, Scheme::q1},
                                          {Centering::node, Scheme::compact4}})
    f(centering, scheme);
}

void expect_well_chosen(const Cells& cells, const std::array<double, 3>& spacing, std::size_t number) {
  each_discretization([&](Centering centering, Scheme scheme) {
    SCOPED_TRACE(testing::Message() << testing::PrintToString(cells) << ", faces " << number << ", centering "
                                    << static_cast<int>(centering) << ", scheme " << static_cast<int>(scheme));
    const Problem p = problem_of(cells, spacing, mix(number), centering, scheme);
    each_list(p, [&](const std::vector<LevelPlan>& levels) { EXPECT_TRUE(well_chosen(levels, p)); });
    EXPECT_TRUE(
        well_chosen(make_plan(p, Options{.method = Method::multigrid}, Assembly::automatic, false).hierarchy, p));
  });
}

const std::vector<Cells> unequal{{48, 37, 29}, {97, 61, 43}, {65, 64, 63},  {31, 33, 37},  {17, 16, 15},
                                 {100, 7, 50}, {5, 4, 5},    {200, 3, 199}, {128, 127, 2}, {67, 101},
                                 {65, 97},     {201, 77},    {199, 3},      {129, 128},    {9, 17}};

TEST(Levels, HalveCubesAndSquaresOfEverySize) {
  for (int n = 2; n <= 200; ++n)
    for (const int dimension : {2, 3}) {
      expect_well_chosen(Cells(static_cast<std::size_t>(dimension), n), {0.1, 0.1, 0.1}, static_cast<std::size_t>(n));
      if (HasFailure()) return;
    }
}

TEST(Levels, HalveEveryMixOfFaces) {
  for (std::size_t number = 0; number < 100; ++number)
    for (const Cells& cells : {Cells{31, 33, 37}, Cells{6, 9, 5}, Cells{65, 97}}) {
      expect_well_chosen(cells, {1, 1, 1}, number);
      if (HasFailure()) return;
    }
}

/// Widths may differ by a factor of √2 in either direction, up to the rounding of coordinates.
TEST(Levels, HalveBoxesOfCellsThatAreCubicWithinRootTwo) {
  std::size_t number = 0;
  for (const Cells& cells : unequal)
    for (const double ratio :
         {1.0, 1.2, std::numbers::sqrt2 * (1 - 1e-12), std::numbers::sqrt2, std::numbers::sqrt2 * (1 + 1e-12)})
      for (const std::array<double, 3>& spacing : {std::array{1.0, 1.0, ratio},
                                                   {ratio, 1.0, 1.0},
                                                   {1.0, ratio, 1.0},
                                                   {ratio, 1.0, ratio},
                                                   {1, ratio, ratio}}) {
        SCOPED_TRACE(testing::Message() << "widths " << spacing[0] << ", " << spacing[1] << ", " << spacing[2]);
        expect_well_chosen(cells, spacing, ++number);
        if (HasFailure()) return;
      }
}

/// Beyond √2 the widest axis is not coarsened, so the bounds above must fail.
TEST(Levels, DoNotCoarsenWideCells) {
  for (const double ratio : {1.42, 3.0}) {
    const Problem p = problem_of({48, 37, 29}, {1, 1, ratio}, mix(0));
    LevelRules rules;
    const std::vector<LevelPlan> levels = choose_levels(make_block(p), rules);
    EXPECT_EQ(levels.front().coarser->coarsened, (std::array{true, true, false})) << ratio;
    EXPECT_FALSE(well_chosen(levels, p));
  }
}

/// If κ jumps between cells, and for Galerkin operators, coarse cells are unions of finer ones. Otherwise equal cells
/// stay equal.
TEST(Levels, KeepCellsUndividedWhereRequired) {
  each_discretization([](Centering centering, Scheme scheme) {
    for (const bool jumps : {false, true})
      for (const bool galerkin : {false, true}) {
        const Problem p = problem_of({37, 29, 23}, {1, 1, 1}, mix(1), centering, scheme);
        LevelRules rules;
        rules.jumps = jumps;
        rules.galerkin = galerkin;
        const bool whole = galerkin || (jumps && centering == Centering::cell);
        for (const LevelPlan& level : choose_levels(make_block(p), rules)) {
          if (!level.coarser) continue;
          EXPECT_NE(level.coarser->block.equidistant(), whole);
          for (const CoarseAxis& axis : level.coarser->axes) EXPECT_TRUE(!whole || axis.nested());
        }
      }
  });
}

/// Galerkin levels keep given values, as long as these are few, and never leave out two values in a row.
TEST(Levels, KeepGivenValues) {
  const std::vector<std::vector<int>> choices{{15, 46}, {0, 1, 2, 63}, {62}, {7, 8, 31, 33, 55, 56}};
  for (const std::vector<int>& kept : choices) {
    Problem p = problem_of({64, 64, 64}, {1, 1, 1}, mix(0), Centering::cell);
    for (Boundary& face : p.boundary[1]) face.kind = BoundaryKind::neumann;
    LevelRules rules;
    rules.galerkin = true;
    rules.kept[1] = kept;
    std::vector<int> wanted = kept;
    const std::vector<LevelPlan> levels = choose_levels(make_block(p), rules);
    EXPECT_GT(levels.size(), 2U);
    for (const LevelPlan& level : levels) {
      if (!level.coarser) break;
      const CoarseAxis& axis = level.coarser->axes[1];
      const int values = level.block.axes[1].size();
      std::vector<int> found;
      ASSERT_EQ(static_cast<int>(axis.place.size()), axis.axis.size());
      EXPECT_EQ(axis.node(0), 0);
      EXPECT_EQ(axis.node(axis.axis.size() - 1), values - 1);
      for (int I = 0; I < axis.axis.size(); ++I) {
        EXPECT_LE(axis.node(I) - (I > 0 ? axis.node(I - 1) : 0), 2);
        if (std::ranges::binary_search(wanted, axis.node(I))) found.push_back(I);
      }
      EXPECT_LT(axis.axis.size(), values);
      const bool few = 4 * wanted.size() + 4 <= static_cast<std::size_t>(values);
      EXPECT_TRUE(!few || found.size() == wanted.size()) << values << " values";
      wanted = found;
    }
  }
}

/// A single cell of half the width must not change any choice, wherever it is.
TEST(Levels, DoNotFollowASingleCell) {
  each_discretization([](Centering centering, Scheme scheme) {
    for (const Cells& cells : {Cells{32, 32, 32}, Cells{33, 31, 37}, Cells{65, 97}, Cells{64, 64}}) {
      const Problem plain = problem_of(cells, {1, 1, 1}, mix(0), centering, scheme);
      for (std::size_t d = 0; d < cells.size(); ++d)
        for (const int at : {0, 1, cells[d] / 2, cells[d] - 2, cells[d] - 1}) {
          SCOPED_TRACE(testing::Message() << testing::PrintToString(cells) << ", cell " << at << " along " << d);
          Problem p = plain;
          p.nodes[d] = {0};
          for (int i = 0; i < cells[d]; ++i) p.nodes[d].push_back(p.nodes[d].back() + (i == at ? 0.5 : 1));
          each_list(p, [&](const std::vector<LevelPlan>& levels) { EXPECT_TRUE(well_chosen(levels, p)); });
        }
    }
  });
}

struct Built {
  Problem problem;
  bool jumping;
};
std::vector<Built> built() {
  std::vector<Built> all;
  std::size_t number = 0;
  for (const Cells& cells : {Cells{13, 13, 13}, Cells{12, 9, 7}, Cells{11, 17, 5}, Cells{31, 37}, Cells{23, 14}})
    each_discretization([&](Centering centering, Scheme scheme) {
      for (const bool jumping : {false, true}) {
        if (jumping && scheme == Scheme::compact4) continue;
        Problem p = problem_of(cells, {1, 1, 1}, mix(number++), centering, scheme);
        if (jumping) p.coefficient[0] = [](double x, double y, double) { return x + y < 12 ? 1.0 : 1e4; };
        all.push_back({p, jumping});
      }
    });
  return all;
}

void expect_as_planned(const Hierarchy& h, const std::vector<LevelPlan>& levels) {
  ASSERT_EQ(h.operators.size(), levels.size());
  ASSERT_EQ(h.relaxations.size(), levels.size());
  ASSERT_EQ(h.transfers.size() + 1, levels.size());
  ASSERT_EQ(h.nested.size(), levels.size());
  for (std::size_t l = 0; l < levels.size(); ++l) {
    EXPECT_EQ(h.operators[l]->space().part().layout().n, levels[l].block.layout().n) << "level " << l;
    EXPECT_EQ(h.operators[l]->space().own_unknowns(), levels[l].block.unknowns().size()) << "level " << l;
    EXPECT_EQ(h.operators[l]->precision(), levels[l].precision) << "level " << l;
    EXPECT_EQ(h.relaxations[l], levels[l].relaxation) << "level " << l;
    ASSERT_EQ(h.nested[l] != nullptr, !levels[l].planes.empty()) << "level " << l;
    if (h.nested[l]) expect_as_planned(*h.nested[l], levels[l].planes);
  }
}

TEST(Hierarchies, AreBuiltAsPlanned) {
  const std::vector<Built> all = built();
  EXPECT_GE(all.size(), 30U);
  for (const auto& [problem, jumping] : all) {
    SCOPED_TRACE(testing::Message() << problem.dimension << "-D, centering " << static_cast<int>(problem.centering)
                                    << ", scheme " << static_cast<int>(problem.scheme) << (jumping ? ", jumping" : ""));
    const auto backend = test_backend();
    const Discretization d(*backend, problem);
    const KappaSummary kappa{d.rows().kappa, d.jumps()};
    for (const std::string_view smoother : {"auto", "plane"}) {
      Options o{.method = Method::multigrid};
      choose(o.smoother, smoother);
      const Plan plan = make_plan(problem, o, d.assembly(), !on_cpu(), kappa);
      const Hierarchy h = d.make_hierarchy(plan.hierarchy);
      expect_as_planned(h, plan.hierarchy);
      ASSERT_EQ(plan.levels.size(), plan.hierarchy.size());
      for (std::size_t l = 0; l < plan.levels.size(); ++l) {
        EXPECT_EQ(plan.levels[l].unknowns, h.operators[l]->space().own_unknowns());
        EXPECT_EQ(plan.levels[l].assembly, h.operators[l]->assembly()) << "level " << l;
      }
    }
  }
}

}  // namespace
}  // namespace poisson::levels_tests
