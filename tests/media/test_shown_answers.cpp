// Answers for faces, fluxes of several processes, and values on planes that meet cells without a solution.

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "grids/results/cell_interpolation.hpp"
#include "grids/results/face_flows.hpp"
#include "grids/results/face_results.hpp"
#include "grids/results/region_results.hpp"
#include "tests/device.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/processes.hpp"
#include "tests/solve.hpp"

namespace poisson::shown_answers_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin;

/// Two layers in series, of κ 2 and 0.5, from u = 1 to surroundings of 3 behind a film: the flow is (3 − 1)/Σ R.
TEST(FaceResults, FollowTheFluxThroughLayers) {
  Problem p = cube_in_cells(8);
  p.nodes[0] = uniform_nodes(0, 2, 8);
  p.boundary = {{{Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {Boundary{D, 1.0}, Boundary{R, 12.0, 4.0}}}};
  MediaBuilder media;
  media.add("lower", 2);
  media.add("upper", 0.5);
  media.body("upper", make_box({-1, -1, 0.5}, {3, 2, 2}));
  media.use(p, Surfaces::averaged);
  Solve solve(p, to_tolerance(1e-10));
  ASSERT_TRUE(solve.run().converged());
  const double flux = (3 - 1) / (0.5 / 2 + 0.5 / 0.5 + 1.0 / 4);
  const std::vector<FaceResult> faces = face_results(solve.discretization(), solve.solution());
  ASSERT_EQ(faces.size(), 6U);
  const FaceResult &side = faces[0], &bottom = faces[4], &top = faces[5];
  EXPECT_EQ(top.axis, 2);
  EXPECT_EQ(top.end, 1);
  EXPECT_EQ(top.part, -1);
  EXPECT_EQ(top.kind, R);
  EXPECT_EQ(top.cells, 64);
  EXPECT_NEAR(top.area, 2, 1e-12);
  EXPECT_NEAR(top.flow, 2 * flux, 1e-8);
  EXPECT_NEAR(bottom.flow, -2 * flux, 1e-8);
  EXPECT_NEAR(top.mean, 3 - flux / 4, 1e-8);
  EXPECT_NEAR(top.min, top.max, 1e-8);
  EXPECT_NEAR(bottom.mean, 1, 1e-12);
  EXPECT_NEAR(side.flow, 0, 1e-12);
  EXPECT_NEAR(side.area, 1, 1e-12);
  // u is linear in each layer: 1 + flux z/2 below and 1 + flux/4 + 2 flux (z − 1/2) above.
  EXPECT_NEAR(side.mean, 0.5 * (1 + flux / 8) + 0.5 * (1 + flux / 4 + flux / 2), 1e-8);
  EXPECT_NEAR(side.min, 1 + flux / 32, 1e-8);
  EXPECT_NEAR(side.min_at[2], 1.0 / 16, 1e-12);
  EXPECT_NEAR(side.max_at[2], 15.0 / 16, 1e-12);
}

// A box with a cavity in an insulator, a fixed body and a sphere across the middle.
Problem with_a_cavity(MediaBuilder& media) {
  Problem p = cube_in_cells(16);
  p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 2.0}}, {Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}}};
  media.add("rock", 1);
  media.add("core", 30);
  media.add_insulator("wall");
  media.add_fixed("lead", 3);
  media.body("core", make_ellipsoid({0.5, 0.3, 0.5}, {0.2, 0.2, 0.3}));
  media.body("wall", make_difference({make_box({0.25, 0.5, 0.25}, {0.75, 1, 0.75}),
                                      make_box({0.375, 0.625, 0.375}, {0.625, 0.875, 0.625})}));
  media.body("lead", make_box({0.8, 0, 0}, {0.95, 0.2, 1}));
  media.use(p, Surfaces::averaged);
  return p;
}

/// A plane between cells shows NaN in the wall and in the cavity, and no value outside the range of the solution.
TEST(CellInterpolation, HasNoValueWhereNoCellHasOne) {
  MediaBuilder media;
  Solve solve(with_a_cavity(media), to_tolerance(1e-10));
  ASSERT_TRUE(solve.run().converged());
  const Discretization& d = solve.discretization();
  set_gaps(d, 0, solve.solution());
  for (const double z : {0.5, 0.5 + 1.0 / 32, 0.51}) {
    const std::vector<double> values = values_on_plane(d, solve.solution(), 2, z);
    ASSERT_EQ(values.size(), 33U * 33U);
    const auto at = [&](double x, double y) {
      return values[static_cast<std::size_t>(std::lround(32 * y) * 33 + std::lround(32 * x))];
    };
    EXPECT_TRUE(std::isnan(at(0.5, 0.75))) << z;     // in the cavity
    EXPECT_TRUE(std::isnan(at(0.3125, 0.75))) << z;  // in the wall
    EXPECT_TRUE(std::isnan(at(0.375, 0.75))) << z;   // between both
    EXPECT_FALSE(std::isnan(at(0.25, 0.75))) << z;   // between the wall and the rock
    EXPECT_NEAR(at(0.875, 0.125), 3, 1e-12) << z;    // in the lead
    for (const double value : values)
      if (!std::isnan(value)) {
        EXPECT_GE(value, 1 - 1e-9);
        EXPECT_LE(value, 3 + 1e-9);
      }
  }
  EXPECT_TRUE(std::isnan(interpolate_at(d, solve.solution(), std::array{0.5, 0.75, 0.5})));
}

/// Each process returns the fluxes through the faces of its cells, with the upper faces of its block at open ends.
TEST(FaceFlows, OfSeveralProcessesAreThoseOfOne) {
  MediaBuilder media;
  const Problem p = with_a_cavity(media);
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> alone;
    std::array<int, 3> shape{};
    {
      Solve solve(p, to_tolerance(1e-10));
      ASSERT_TRUE(solve.run().converged());
      const Pieces all = gather_face_flux(solve.discretization(), solve.solution(), axis, {});
      alone = all.all();
      shape = all.shape;
    }
    as_processes(4, [&](const std::shared_ptr<const Processes>& processes) {
      const auto backend = test_backend();
      const Discretization d(*backend, p, Assembly::automatic, Sampling::automatic, Sharing{processes, {1, 2, 2}, 300});
      const auto solver = make_solver(d, to_tolerance(1e-10));
      d.assemble_rhs(solver->rhs());
      d.initialize(solver->solution());
      EXPECT_TRUE(solver->solve(false).converged());
      const Pieces own = gather_face_flux(d, solver->solution(), axis, {});
      const std::vector<double> values = own.all();
      std::size_t n = 0;
      for (int k = 0; k < own.shape[2]; ++k)
        for (int j = 0; j < own.shape[1]; ++j)
          for (int i = 0; i < own.shape[0]; ++i, ++n) {
            const auto at = static_cast<std::size_t>(own.first[0] + i + shape[0] * (own.first[1] + j) +
                                                     shape[0] * shape[1] * (own.first[2] + k));
            if (std::isnan(alone[at]))
              ASSERT_TRUE(std::isnan(values[n]));
            else
              ASSERT_NEAR(values[n], alone[at], 1e-7) << axis << " " << i << " " << j << " " << k;
          }
    });
  }
}

}  // namespace
}  // namespace poisson::shown_answers_tests
