// Fluxes on faces are conserved, and their means are the effective coefficient.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/places.hpp"
#include "grids/results/face_flows.hpp"
#include "grids/results/gather.hpp"
#include "grids/results/percolation.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/solve.hpp"

namespace poisson::face_flows_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, P = BoundaryKind::periodic,
               R = BoundaryKind::robin;

Options accurate() {
  Options o{.method = Method::multigrid};
  o.tolerance = 1e-12;
  o.precision = SolvePrecision::double_;
  return o;
}

// Expects that in each cell that is solved, the flows out of the faces equal the source up to `error`.
void expect_conserved(Solve& solve, double source, double error) {
  const Discretization& d = solve.discretization();
  const FaceFlows flows(d, solve.solution());
  double most = 0;
  for_each_place(d.block().layout().box(), [&](int i, int j, int k) {
    if (d.media() && !d.media()->solved(i, j, k)) return;
    most = std::max(most, std::abs(flows.out_of(i, j, k) - source * d.block().cell_volume(i, j, k)));
  });
  EXPECT_LT(most, error);
}

TEST(FaceFlows, AreConservedWithoutMaterials) {
  Problem p = cube_in_cells(12);
  p.coefficient.fill([](double x, double y, double z) { return x < 0.5 ? 100.0 : 1 + y * z; });
  p.source = 2.0;
  p.boundary = {
      {{Boundary{D, 1.0}, Boundary{R, 1.0, 2.0}}, {Boundary{P}, Boundary{P}}, {Boundary{N, 1.0}, Boundary{D, 0.5}}}};
  Solve solve(p, accurate());
  ASSERT_TRUE(solve.run().converged());
  expect_conserved(solve, 2, 1e-10);
}

TEST(FaceFlows, AreConservedAroundBodies) {
  Problem p = cube_in_cells(16);
  p.source = 2.0;
  p.boundary = {{{Boundary{D, 1.0}, Boundary{N, 0.0}}, {Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}}};
  MediaBuilder media;
  media.add("background", 1);
  media.add_fixed("lead", 3);
  media.add_insulator("hole");
  media.add("core", 50);
  media.body("lead", make_ellipsoid({0.7, 0.5, 0.5}, {0.2, 0.2, 0.2}));
  media.body("hole", make_box({0.1, 0.1, 0.1}, {0.4, 0.3, 0.4}));
  media.body("core", make_ellipsoid({0.3, 0.7, 0.5}, {0.2, 0.15, 0.3}));
  media.use(p, Surfaces::averaged);
  Solve solve(p, accurate());
  ASSERT_TRUE(solve.run().converged());
  expect_conserved(solve, 2, 1e-9);
}

TEST(FaceFlows, TheirMeanIsTheConductivityOfLayers) {
  for (const bool periodic : {false, true})
    for (const int axis : {0, 2}) {
      Problem p = cube_in_cells(16);
      const auto a = static_cast<std::size_t>(axis);
      for (auto& faces : p.boundary) faces = {Boundary{periodic ? P : N}, Boundary{periodic ? P : N}};
      if (!periodic) p.boundary[a] = {Boundary{D, 1.0}, Boundary{D, 0.0}};
      MediaBuilder media;
      media.add("background", 1);
      media.add("layer", 10);
      media.body("layer", make_box({-1, -1, 0.25}, {2, 2, 0.5}));
      media.use(p, Surfaces::averaged);
      Solve solve(p, accurate());
      std::array<double, 3> rise{};
      if (periodic) {
        rise[a] = -1;
        add_rise(solve.discretization(), a, -1, solve.solver().A().scale(), solve.solver().rhs());
      }
      ASSERT_TRUE(solve.solver().solve(false).converged());
      const std::array<double, 3> mean = FaceFlows(solve.discretization(), solve.solution(), rise).mean();
      const double expected = axis == 0 ? 3.25 : 1 / 0.775;
      EXPECT_NEAR(mean[a], expected, 1e-9) << periodic << axis;
      EXPECT_NEAR(mean[1], 0, 1e-9);
    }
}

TEST(Percolation, IsFoundAlongEachAxis) {
  for (const double gap : {0.0, 0.25}) {
    Problem p = cube_in_cells(8);
    MediaBuilder media;
    media.add("background", 1);
    media.add_insulator("hole");
    media.body("hole", make_box({0.5, -1, -1}, {0.625, 2, 1 - gap}));
    media.use(p, Surfaces::staircase);
    Solve solve(p, accurate());
    EXPECT_EQ(percolates(solve.discretization(), 0), gap > 0);
    EXPECT_TRUE(percolates(solve.discretization(), 1));
  }
}

}  // namespace
}  // namespace poisson::face_flows_tests
