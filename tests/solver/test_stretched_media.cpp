// Media on stretched axes: lines of Galerkin levels, alone, in turn and beside levels that keep an axis, on one process
// and on several.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/levels/levels.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"
#include "tests/solve.hpp"

namespace poisson::stretched_media_tests {
namespace {

enum class Medium { random, pores };

/// κ by cells: 10⁴ or 1 in each cell with equal chances, or 10⁻⁶ in half of the blocks of 4 cells a side.
GridArray kappa(Medium medium, const std::array<int, 3>& n) {
  GridArray cells{Location::cell, {n[0], n[1], n[2]}, {}};
  std::mt19937 engine(5);
  const auto heads = [&] { return engine() % 2 == 0; };
  std::vector<char> solid;
  for (int block = 0; block < 16 * 16 * 16; ++block) solid.push_back(heads());
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x) {
        const auto block = static_cast<std::size_t>(x / 4 + 16 * (y / 4 + 16 * (z / 4)));
        cells.values.push_back(medium == Medium::random ? (heads() ? 1e4 : 1) : solid[block] ? 1e-6 : 1);
      }
  return cells;
}

/// Flow from z- to z+; the cells of the last `stretched` axes grow by a factor of 100.
Problem problem_of(Medium medium, int stretched, const std::array<int, 3>& n, Centering centering,
                   Scheme scheme = Scheme::fv) {
  Problem p;
  p.dimension = 3;
  p.centering = centering;
  p.scheme = scheme;
  for (std::size_t d = 0; d < 3; ++d) {
    const double ratio = geometric_ratio(100, n[d], StretchedEnd::lower);
    p.nodes[d] = static_cast<int>(d) >= 3 - stretched ? geometric_nodes(0, 1, n[d], ratio, StretchedEnd::lower)
                                                      : uniform_nodes(0, 1, n[d]);
    for (std::size_t end = 0; end < 2; ++end)
      p.boundary[d][end] = {d == 2 ? BoundaryKind::dirichlet : BoundaryKind::neumann,
                            d == 2 ? static_cast<double>(end) : 0.0};
  }
  p.coefficient[0] = kappa(medium, n);
  return p;
}

struct Scheme3 {
  const char* name;
  Centering centering;
  Scheme scheme;
};
constexpr std::array schemes{Scheme3{"cells", Centering::cell, Scheme::fv},
                             Scheme3{"nodes", Centering::node, Scheme::fv},
                             Scheme3{"elements", Centering::node, Scheme::q1}};

// Bounds: what was measured, and a margin. Levels that are discretized again, and points, take up to 51 iterations and
// two fallbacks.
TEST(StretchedMedia, TakeFewIterations) {
  for (const auto& [name, centering, scheme] : schemes)
    for (const Medium medium : {Medium::random, Medium::pores})
      for (const int stretched : {1, 2, 3}) {
        SCOPED_TRACE(testing::Message() << name << (medium == Medium::random ? ", random, " : ", pores, ")
                                        << stretched);
        Options options;
        options.method = Method::automatic;
        Solve s(problem_of(medium, stretched, {32, 32, 32}, centering, scheme), options);
        const Result result = s.run();
        EXPECT_TRUE(result.converged()) << name_of(result.verdict);
        EXPECT_TRUE(result.steps.empty());
        EXPECT_LE(result.iterations, 28);
      }
}

TEST(StretchedMedia, KeepEachAxisOnceWhereCouplingsDifferEverywhere) {
  const Block block = make_block(problem_of(Medium::random, 3, {32, 32, 32}, Centering::node));
  LevelRules rules;
  rules.galerkin = true;
  rules.on_galerkin = relaxation_on_galerkin(block, imbalance_of(block, {1, 1, 1}), {});
  ASSERT_TRUE(rules.on_galerkin.semicoarsens);
  const std::vector<LevelPlan> levels = choose_levels(block, rules);
  ASSERT_EQ(levels.front().semicoarsened.size(), 3U);
  for (std::size_t kept = 0; kept < 3; ++kept) {
    const std::vector<LevelPlan>& below = levels.front().semicoarsened[kept];
    for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(below.front().coarser->coarsened[d], d != kept);
    EXPECT_TRUE(below[1].semicoarsened.empty());
  }
  EXPECT_TRUE(levels[1].semicoarsened.empty());
}

// Bodies cross a grid line as often in fine cells as in coarse ones, but in a smaller share of the cells.
TEST(StretchedMedia, KeepLinesByJumpsFromEndToEnd) {
  for (const int n : {60, 250}) {
    Problem p = problem_of(Medium::random, 1, {4, 4, 4}, Centering::cell);
    for (auto& nodes : p.nodes) nodes = uniform_nodes(0, 1, n);
    p.nodes[2] = geometric_nodes(0, 1, n, geometric_ratio(100, n, StretchedEnd::lower), StretchedEnd::lower);
    const Block block = make_block(p);
    const Imbalance shares = imbalance_of(block, {1, 1, 1});
    for (const double jumps_of_a_line : {0.5, 4.0}) {
      Jumps jumps;
      jumps.largest = jumps.range = 1e4;
      jumps.steep_along.fill(jumps_of_a_line / n);
      const GalerkinRelaxation chosen = relaxation_on_galerkin(block, shares, jumps);
      EXPECT_EQ(chosen.relaxation, (Relaxation{Extent::line, 2}));
      EXPECT_EQ(chosen.keeps_lines, jumps_of_a_line < 2) << n;
    }
  }
}

// Beside a jump of 10⁶, corrections in 32 bits lose couplings on three stretched axes.
TEST(StretchedMedia, CorrectsInDoubleWhereSingleLosesCouplings) {
  for (const int stretched : {1, 3})
    for (const double jump : {1e2, 1e6}) {
      const Problem p = problem_of(Medium::random, stretched, {32, 32, 32}, Centering::cell);
      KappaSummary kappa;
      kappa.jumps.largest = kappa.jumps.range = jump;
      kappa.jumps.share = 0.3;
      kappa.jumps.steep_along.fill(0.3);
      const Options chosen = resolve_options(Options{.method = Method::multigrid}, p, kappa);
      EXPECT_EQ(chosen.precision == SolvePrecision::double_, stretched == 3 && jump == 1e6) << stretched << " " << jump;
    }
}

/// κ = `jump` in a ball, 1 around it, source 1, cells that grow by 100 along the last axes.
Problem ball_of(double jump, int stretched, int n, Centering centering) {
  Problem p = problem_of(Medium::random, stretched, {n, n, n}, centering);
  GridArray cells{Location::cell, {n, n, n}, {}};
  const auto middle = [&](std::size_t d, int i) {
    const auto at = static_cast<std::size_t>(i);
    return 0.5 * (p.nodes[d][at] + p.nodes[d][at + 1]) - 0.5;
  };
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        cells.values.push_back(std::hypot(middle(0, x), middle(1, y), middle(2, z)) < 0.3 ? jump : 1);
  p.coefficient[0] = std::move(cells);
  p.source = 1.0;
  for (auto& faces : p.boundary) faces = {Boundary{BoundaryKind::dirichlet}, Boundary{BoundaryKind::dirichlet}};
  return p;
}

// Measured: 18 and 27 iterations with the direct preconditioner, 5 or 6 with lines in turn. In cells the direct
// preconditioner takes 40 for a jump of 30, and 72 for 10³.
TEST(StretchedMedia, UseTheDirectPreconditionerForSmallJumpsAndLinesForLargeOnes) {
  for (const Centering centering : {Centering::cell, Centering::node})
    for (const int stretched : {2, 3})
      for (const double jump : {3.0, 10.0, 30.0, 1e3}) {
        SCOPED_TRACE(testing::Message() << (centering == Centering::cell ? "cells, " : "nodes, ") << stretched << ", "
                                        << jump);
        Options options;
        options.method = Method::automatic;
        Solve s(ball_of(jump, stretched, 24, centering), options);
        EXPECT_EQ(s.solver().options().preconditioner,
                  jump <= 10 ? PreconditionerChoice::direct : PreconditionerChoice::multigrid);
        const Result result = s.run();
        EXPECT_TRUE(result.converged()) << name_of(result.verdict);
        EXPECT_TRUE(result.steps.empty());
        EXPECT_LE(result.iterations, jump <= 10 ? 32 : 10);
      }
}

// Cuts go across lines: all processes solve for these together.
TEST(StretchedMedia, AreTheSameOnSeveralProcesses) {
  for (const auto& [name, centering, scheme] : schemes)
    for (const int stretched : {1, 3}) {
      Case c;
      c.problem = problem_of(Medium::random, stretched, {22, 25, 28}, centering, scheme);
      c.options.precision = SolvePrecision::double_;
      c.options.fallback = Fallback::never;
      Case fixed = c;
      fixed.options.tolerance = 0;
      fixed.options.max_iterations = 4;
      const auto values = static_cast<std::size_t>(make_block(c.problem).layout().size());
      std::vector<double> wanted(values), found(values), any(values);
      const Solved one = solve(c, {}, any);
      solve(fixed, {}, wanted);
      for (const std::array parts : {std::array{1, 1, 3}, {2, 1, 2}, {1, 3, 1}}) {
        SCOPED_TRACE(testing::Message() << name << ", " << stretched << " axes, in " << parts[0] << " x " << parts[1]
                                        << " x " << parts[2]);
        as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
          const Sharing sharing{processes, parts, 300};
          EXPECT_NEAR(solve(c, sharing, any).result.iterations, one.result.iterations, 1);
          solve(fixed, sharing, found);
        });
        EXPECT_LE(largest_difference(found, wanted), 1e-9 * largest_magnitude(wanted));
      }
    }
}

}  // namespace
}  // namespace poisson::stretched_media_tests
