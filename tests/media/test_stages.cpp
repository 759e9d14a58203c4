// Solves in stages, which end by flows instead of residuals.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "grids/results/integrals.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/solve.hpp"

namespace poisson::stages_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann;

Problem sphere(int cells) {
  Problem p = cube_in_cells(cells);
  p.boundary = {{{Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {Boundary{D, 1.0}, Boundary{D, 0.0}}}};
  MediaBuilder media;
  media.add("background", 1);
  media.add("core", 100);
  media.body("core", make_ellipsoid({0.4, 0.5, 0.6}, {0.3, 0.3, 0.2}));
  media.use(p, Surfaces::averaged);
  return p;
}

TEST(SolverStages, EndAboveTheTolerance) {
  Solve solve(sphere(24), {.method = Method::multigrid});
  const int all = solve.run().iterations;
  const std::vector<double> u = values(solve.solution());
  std::vector<double> seen;
  solve.solver().set_stages({1e-2, [&](const Solver::Progress& p) {
                               seen.push_back(p.relative_residual);
                               return seen.size() < 2 ? 1e-3 : 0.0;
                             }});
  solve.reset();
  const Result result = solve.run();
  EXPECT_TRUE(result.converged());
  EXPECT_TRUE(result.settled);
  EXPECT_LT(result.iterations, all);
  ASSERT_EQ(seen.size(), 2);
  EXPECT_LE(seen[0], 1e-2);
  EXPECT_LE(seen[1], 1e-3);
  EXPECT_GT(result.relative(), 1e-8);
  solve.solver().set_stages({});
  solve.reset();
  EXPECT_FALSE(solve.run().settled);
  const std::vector<double> again = values(solve.solution());
  for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(again[i], u[i], 1e-12);
}

/// A stage beyond the rounding limit does not turn a converged solve into a failed one.
TEST(SolverStages, BeyondTheToleranceMayFail) {
  Solve solve(sphere(24), {.method = Method::multigrid});
  double last = 1;
  solve.solver().set_stages({1e-8, [&](const Solver::Progress& p) {
                               last = p.relative_residual;
                               return last > 1e-11 ? 1e-11 : 1e-30;
                             }});
  const Result result = solve.run();
  EXPECT_TRUE(result.converged());
  EXPECT_FALSE(result.settled);
  EXPECT_LE(last, 1e-11);
  EXPECT_LE(result.relative(), 1e-11);
}

/// Rounding ends a stage in single precision. The flows of such iterates may be accurate enough.
TEST(SolverStages, RoundingMayEndAStage) {
  Options options{.method = Method::multigrid};
  options.precision = SolvePrecision::single;
  options.tolerance = 1e-12;
  Solve solve(sphere(24), options);
  int limited = 0;
  const auto accept_after = [&](int iterates) {
    return Solver::Stages{1e-3, [&limited, iterates](const Solver::Progress& p) {
                            if (p.limited) ++limited;
                            return p.limited && limited >= iterates ? 0.0 : 1e-12;
                          }};
  };
  solve.solver().set_stages(accept_after(2));
  const Result result = solve.run();
  EXPECT_TRUE(result.converged());
  EXPECT_TRUE(result.settled);
  EXPECT_EQ(limited, 2);
  EXPECT_GT(result.relative(), 1e-12);
  limited = 0;
  solve.solver().set_stages(accept_after(100));
  solve.reset();
  EXPECT_FALSE(solve.run().settled);
  EXPECT_GE(limited, 1);
  EXPECT_LE(limited, 4);
}

}  // namespace
}  // namespace poisson::stages_tests
