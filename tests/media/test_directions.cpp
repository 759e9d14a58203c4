// Answers of bodies do not depend on the axis that a surface crosses, nor on the direction of an axis.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/results/floating_flows.hpp"
#include "grids/results/integrals.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/solve.hpp"

namespace poisson::direction_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann;

Problem insulated_cube(int cells) {
  Problem p = cube_in_cells(cells);
  p.boundary = {{{Boundary{D, 0.0}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}}};
  return p;
}

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum;
}

/// A layer whose surfaces lie within cells has its exact volume and source, also if it is thinner than a cell.
TEST(Directions, VolumesOfLayersAreExact) {
  for (const double thickness : {0.013, 0.06, 0.1, 0.16})
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Problem p = insulated_cube(10);
      MediaBuilder media;
      media.add("background", 1);
      media.add("heater", 1);
      media.back().source = 3.0;
      media.body("heater", make_layer(axis, 0.333, 0.333 + thickness));
      media.use(p, Surfaces::sharp);
      const auto backend = test_backend();
      const GridModel model(*backend, p);
      const MediaSystem& system = *model.discretization().media();
      EXPECT_NEAR(system.volumes()[1], thickness, 1e-12) << axis;
      EXPECT_NEAR(sum_of(system.sources()), 3 * thickness, 1e-12) << axis;
    }
}

// Returns the flow along an axis through a cube with a body, from u = 1 to u = 0.
double flow_along(std::size_t axis, const ShapePtr& shape, double kappa) {
  Problem p;
  p.centering = Centering::cell;
  p.nodes = {uniform_nodes(0, 1, 13), uniform_nodes(0, 1, 11), uniform_nodes(0, 1, 17)};
  p.boundary.fill({Boundary{N}, Boundary{N}});
  p.boundary[axis] = {Boundary{D, 1.0}, Boundary{D, 0.0}};
  MediaBuilder media;
  media.add("background", 1);
  media.add("body", kappa);
  media.body("body", shape);
  media.use(p, Surfaces::sharp);
  Options options{.method = Method::multigrid};
  options.tolerance = 1e-10;
  Solve solve(p, options);
  EXPECT_TRUE(solve.run().converged());
  Solver& solver = solve.solver();
  return balance(solve.discretization(), solver.A(), solve.solution(), solve.rhs(), solver.spare()).flux[2 * axis];
}

/// Layers and bars whose planes lie within cells conduct by their cross-section, thinner than a cell or not, alone and
/// as parts of groups.
TEST(Directions, BodiesConductByTheirCrossSection) {
  for (std::size_t along = 0; along < 3; ++along) {
    const std::size_t a = (along + 1) % 3, b = (along + 2) % 3;
    for (const double thickness : {0.009, 0.05, 0.177})
      EXPECT_NEAR(flow_along(along, make_layer(a, 0.333, 0.333 + thickness), 5), 1 + 4 * thickness, 1e-6);
    Point lower{-1, -1, -1}, upper{2, 2, 2};
    lower[a] = 0.211, upper[a] = 0.349, lower[b] = 0.12, upper[b] = 0.583;
    const double area = 0.138 * 0.463;
    EXPECT_NEAR(flow_along(along, make_box(lower, upper), 5), 1 + 4 * area, 1e-6);
    EXPECT_NEAR(flow_along(along, make_box(lower, upper), 0.2), 1 - 0.8 * area, 1e-6);
    Point step{}, shift{};
    step[a] = 0.217, shift[b] = 0.05;
    const ShapePtr moved = make_moved(make_box(lower, upper), Motion::translation(shift));
    std::array<int, 3> count{1, 1, 1};
    count[a] = 3;
    EXPECT_NEAR(flow_along(along, make_repeated(moved, count, step), 5), 1 + 4 * 3 * area, 1e-6);
    Point hole_lower = lower, hole_upper = upper;
    hole_lower[a] += 0.031, hole_upper[b] -= 0.077;
    const ShapePtr angle = make_difference({make_box(lower, upper), make_box(hole_lower, hole_upper)});
    const double removed = (upper[a] - hole_lower[a]) * (hole_upper[b] - lower[b]);
    EXPECT_NEAR(flow_along(along, angle, 5), 1 + 4 * (area - removed), 1e-6);
  }
}

/// Cells that an insulator cuts have the volume that it leaves.
TEST(Directions, OpenVolumesBesideLayersAreExact) {
  for (const std::array<double, 2>& layer : {std::array{-1.0, 0.333}, std::array{0.62, 0.655}, std::array{0.3, 0.487}})
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Problem p = insulated_cube(10);
      MediaBuilder media;
      media.add("background", 1);
      media.add_insulator("hole");
      media.body("hole", make_layer(axis, layer[0], layer[1]));
      media.use(p, Surfaces::sharp);
      const auto backend = test_backend();
      const GridModel model(*backend, p);
      const MediaCells& cells = model.discretization().media()->cells();
      double open = 0;
      for (int k = 0; k < 10; ++k)
        for (int j = 0; j < 10; ++j)
          for (int i = 0; i < 10; ++i) open += cells.open_volume(i, j, k) * cells.volume(i, j, k);
      EXPECT_NEAR(open, 1 - (layer[1] - std::max(layer[0], 0.0)), 1e-6) << axis;
    }
}

/// Volumes of round bodies are right to two thousandths with five cells in their shortest diameter.
TEST(Directions, VolumesOfEllipsoids) {
  for (const Point& radii : {Point{0.17, 0.17, 0.17}, Point{0.3, 0.11, 0.2}, Point{0.12, 0.15, 0.37}}) {
    Problem p = insulated_cube(21);
    MediaBuilder media;
    media.add("background", 1);
    media.add("body", 2);
    media.body("body", make_ellipsoid({0.513, 0.487, 0.503}, radii));
    media.use(p, Surfaces::sharp);
    const auto backend = test_backend();
    const GridModel model(*backend, p);
    const double exact = 4 * M_PI / 3 * radii[0] * radii[1] * radii[2];
    EXPECT_NEAR(model.discretization().media()->volumes()[1], exact, 2e-3 * exact);
  }
}

// Returns the values of the two halves of an oblique rod, which a layer thinner than a cell cuts, in the order of y.
std::array<double, 2> values_of_halves(double tilt, double radius, double sign) {
  Problem p;
  p.centering = Centering::cell;
  p.nodes = {uniform_nodes(-0.7, 0.7, 31), uniform_nodes(-0.68, 0.68, 10), uniform_nodes(-0.37, 0.37, 23)};
  p.boundary = {{{Boundary{N}, Boundary{D, 0.4}}, {Boundary{D, 1.0}, Boundary{D, -2.0}}, {Boundary{N}, Boundary{N}}}};
  if (sign < 0) std::swap(p.boundary[1][0], p.boundary[1][1]);
  MediaBuilder media;
  media.add("background", 0.03);
  media.add_floating("metal");
  media.add("glue", 0.1);
  media.body("metal", make_cylinder({0.28, sign * -0.5, -0.08}, {0.28 - tilt, sign * 0.5, -0.08}, radius));
  media.body("glue", sign > 0 ? make_layer(1, -0.1378, -0.065) : make_layer(1, 0.065, 0.1378));
  media.use(p, Surfaces::sharp);
  const auto backend = test_backend();
  GridModel model(*backend, p);
  Options options{.method = Method::multigrid};
  options.tolerance = 1e-10;
  const auto solver = make_solver(model, options);
  model.fill(solver->rhs(), solver->solution());
  model.solve(*solver, false);
  const auto bodies = floating_results(model.discretization(), solver->solution());
  EXPECT_EQ(bodies.size(), 2U);
  if (bodies.size() != 2) return {};
  return sign > 0 ? std::array{bodies[0].value, bodies[1].value} : std::array{bodies[1].value, bodies[0].value};
}

/// Surfaces belong to the half on their own side, although the nearest cell of the rod may belong to the other one.
TEST(Directions, HalvesOfARodKeepTheirValuesUnderReflection) {
  for (const double tilt : {0.2, 0.6})
    for (const double radius : {0.05, 0.1}) {
      const auto [low, high] = values_of_halves(tilt, radius, 1);
      const auto [low_again, high_again] = values_of_halves(tilt, radius, -1);
      EXPECT_NEAR(low, low_again, 1e-7) << tilt << ' ' << radius;
      EXPECT_NEAR(high, high_again, 1e-7) << tilt << ' ' << radius;
    }
}

/// Bodies of equal κ that overlap are one conductor. Rounding errors of their κ used to decide which of two rules a
/// face follows, so mirrored bodies had other conductances (28.9 and 21.2).
TEST(Directions, MirroredBodiesOfEqualKappaHaveTheSameFaces) {
  constexpr int n = 32;
  const auto system = [&](bool mirrored, const auto& use) {
    Problem p = square_in_cells(n);
    MediaBuilder media;
    media.add("host", 1);
    media.add("core", 30);
    const auto disc = [&](double x, double y, double radius) {
      media.body("core", make_sphere({mirrored ? 1 - x : x, y, 0}, radius));
    };
    disc(0.31021461879386747, 0.4730988525361528, 0.1358565746876013);
    disc(0.20809958826367214, 0.4986191562835425, 0.18605766665672324);
    media.use(p, Surfaces::sharp);
    const auto backend = test_backend();
    const Discretization d(*backend, std::move(p));
    use(*d.media());
  };
  system(false, [&](const MediaSystem& own) {
    system(true, [&](const MediaSystem& mirrored) {
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          EXPECT_NEAR(own.face(0, i, j, 0), mirrored.face(0, n - i, j, 0), 1e-8) << i << ", " << j;
          EXPECT_NEAR(own.face(1, i, j, 0), mirrored.face(1, n - 1 - i, j, 0), 1e-8) << i << ", " << j;
        }
    });
  });
}

}  // namespace
}  // namespace poisson::direction_tests
