// Levels of blocks of any number of cells, and smoothing of round cells.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "grids/blocks/block_coarsening.hpp"
#include "solver/smoothers/smoother.hpp"
#include "tests/blocks.hpp"

namespace poisson::test::block_coarsening_tests {
namespace {

TEST(BlockCoarsening, KeepsCoarseCellsAlike) {
  for (int cells = 1; cells <= 600; ++cells) {
    std::vector<double> widths(static_cast<std::size_t>(cells), 1);
    while (widths.size() > 1) {
      const std::vector<int> starts = coarse_cells(static_cast<int>(widths.size()));
      const std::vector<double> coarse = coarse_widths(widths, static_cast<int>(starts.size()) - 1);
      ASSERT_EQ(starts.size(), coarse.size() + 1);
      ASSERT_LE(2 * coarse.size(), widths.size() + 3) << cells;
      ASSERT_LT(coarse.size(), widths.size()) << cells;
      ASSERT_TRUE(std::equal(coarse.begin(), coarse.end(), coarse.rbegin())) << cells;
      if (coarse.size() >= 4) {
        const auto [least, most] = std::ranges::minmax(coarse);
        EXPECT_LE(most, 4 * least) << cells;
      }
      // Interpolation reproduces linear functions.
      std::vector<double> place{0}, coarse_place{0};
      for (const double width : widths) place.push_back(place.back() + width);
      for (const double width : coarse) coarse_place.push_back(coarse_place.back() + width);
      const AxisInterpolation axis = interpolate_axis(widths, static_cast<int>(coarse.size()));
      for (std::size_t i = 0; i < place.size(); ++i) {
        const auto at = static_cast<std::size_t>(axis.nodes[i].index);
        EXPECT_NEAR(place[i], std::lerp(coarse_place[at], coarse_place[at + 1], axis.nodes[i].t), 1e-9) << cells;
      }
      widths = coarse;
    }
  }
}

// 33 cells along an axis took 33 iterations, 17 took 18 and 25 took 10.
TEST(BlockCoarsening, NeedsFewIterationsForOddNumbers) {
  struct Odd {
    std::vector<int> blocks;
    int cells, most;
  };
  for (const Odd& odd : {Odd{{2, 2, 2}, 33, 7}, {{3, 3, 3}, 17, 8}, {{2, 2, 2}, 25, 8}, {{2, 2}, 65, 8}}) {
    const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks(odd.blocks, 0.15), odd.cells));
    const BlockSolution found = solve_blocks(mesh, block_problem(mesh, 0.0, 1.0));
    EXPECT_TRUE(found.result.converged()) << odd.cells;
    EXPECT_LE(found.result.iterations, odd.most) << odd.cells;
  }
}

// Steps with roots for elements shrink residuals by 0.031 an iteration, six of Chebyshev's on [l/8, l] by 0.033.
TEST(BlockCoarsening, SmoothsRoundCellsWithFewSteps) {
  const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks({3, 3, 3}, 0.15), 16));
  const BlockSolution found = solve_blocks(mesh, block_problem(mesh, 0.0, 1.0));
  EXPECT_TRUE(found.result.converged());
  ASSERT_GE(found.result.history.size(), 5U);
  const double steps = static_cast<double>(found.result.history.size()) - 2;
  EXPECT_LE(std::pow(found.result.history.back() / found.result.history[1], 1 / steps), 0.04);
}

// Refinement that rounding may end stores the best iterate. Large solves with tolerances far above rounding save it.
TEST(BlockCoarsening, StoresTheBestIterateOfRefinement) {
  Options options;
  options.krylov = Krylov::none;
  BlockLevelSize finest;
  finest.unknowns = 200'000;
  EXPECT_TRUE(keeps_last_iterate(options, CellStretch(1.5), finest));
  options.tolerance = 1e-12;
  EXPECT_FALSE(keeps_last_iterate(options, CellStretch(1.5), finest));
  options.tolerance = 1e-8;
  EXPECT_FALSE(keeps_last_iterate(options, CellStretch(10), finest));
  finest.unknowns = 20'000;
  EXPECT_FALSE(keeps_last_iterate(options, CellStretch(1.5), finest));

  const BlockMesh mesh = make_block_mesh(geometry_of(grid_of_blocks({2, 2, 2}, 0.15), 12));
  options.tolerance = 1e-17;
  options.fallback = Fallback::never;
  const Result found = solve_blocks(mesh, block_problem(mesh, 0.0, 1.0), options).result;
  EXPECT_EQ(found.verdict, Verdict::stagnated);
  EXPECT_LE(found.relative(), 2 * std::ranges::min(found.history));
}

TEST(PolynomialForElements, DampsWhatCoarseLevelsMiss) {
  const std::array<double, 4> most{0.107, 0.054, 0.043, 0.026};
  for (int sweeps = 1; sweeps <= 8; ++sweeps) {
    const std::vector<PolynomialStep> steps = polynomial_for_elements(sweeps, 2);
    ASSERT_EQ(std::ssize(steps), sweeps);
    for (double x = 1; x <= 2; x += 1.0 / 128) {
      double now = 1, before = 0;
      for (const PolynomialStep& step : steps)
        before = std::exchange(now, now - step.alpha * x * now + step.beta * (now - before));
      EXPECT_LE(std::abs(now), sweeps < 3   ? 0.34
                               : sweeps > 6 ? 0.02
                                            : most[static_cast<std::size_t>(sweeps - 3)])
          << sweeps << " " << x;
    }
  }
}

}  // namespace
}  // namespace poisson::test::block_coarsening_tests
