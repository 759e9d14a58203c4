// A body of triangles conducts as the shape that its triangles approach.

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "tests/drawings/mesh_makers.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/shared_solve.hpp"
#include "tests/solve.hpp"

namespace poisson::mesh_conductivity_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann;

ShapePtr closed(Triangles triangles) {
  SurfaceReport report;
  return make_surface_shape(close_surface(std::move(triangles), report));
}

// Effective κ along z of a box with κ = 1 and a body in its middle.
double conductivity(int cells, const ShapePtr& body, double kappa) {
  Problem p = cube_in_cells(cells);
  p.boundary = {{{Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {Boundary{D, 1.0}, Boundary{D, 0.0}}}};
  MediaBuilder media;
  media.add("background", 1);
  media.add("core", kappa);
  media.body("core", body);
  media.use(p, Surfaces::averaged);
  Options options{.method = Method::multigrid};
  options.tolerance = 1e-10;
  options.precision = SolvePrecision::double_;
  Solve solve(p, options);
  EXPECT_TRUE(solve.run().converged());
  return balance(solve.discretization(), solve.solver().A(), solve.solution(), solve.rhs(), solve.solver().spare())
      .flux[4];
}

/// The sphere of triangles has the volume of the exact one, so that only the shape of the facets differs: by less than
/// the error of the cells, which falls alike.
TEST(MeshConductivity, ASphereOfTrianglesConductsAsASphere) {
  const double radius = 0.31;
  Triangles t = mesh_sphere(96, radius);
  const double grow = std::cbrt(4 * M_PI / 3 * std::pow(radius, 3) / volume_of(t));
  for (Point& p : t.points)
    for (double& x : p) x = 0.5 + grow * x;
  const ShapePtr mesh = closed(t), sphere = make_ellipsoid({0.5, 0.5, 0.5}, {radius, radius, radius});
  for (const double kappa : {10.0, 0.1})
    for (const int cells : {12, 16, 24}) {
      const double exact = conductivity(cells, sphere, kappa), found = conductivity(cells, mesh, kappa);
      EXPECT_NEAR(found, exact, 2e-4 * exact) << cells << " cells, κ " << kappa;
    }
}

/// A turned box of twelve triangles is the turned box, to rounding; so is one without its lid, and inside out.
TEST(MeshConductivity, ABoxOfTrianglesIsABox) {
  const Point lower{-0.21, -0.33, -0.12}, upper{0.24, 0.31, 0.17};
  const auto placed = [](ShapePtr shape) {
    return make_moved(make_moved(std::move(shape), Motion::rotation({1, 2, 0.5}, 0.6, {})),
                      Motion::translation({0.5, 0.5, 0.5}));
  };
  Triangles open = flipped(mesh_box(lower, upper));
  open.faces.resize(10);
  const double exact = conductivity(16, placed(make_box(lower, upper)), 20);
  EXPECT_NEAR(conductivity(16, placed(closed(mesh_box(lower, upper))), 20), exact, 1e-8 * exact);
  EXPECT_NEAR(conductivity(16, placed(closed(open)), 20), exact, 1e-8 * exact);
}

/// Cones, tori and revolved shapes conduct as their triangles.
TEST(MeshConductivity, ATorusConductsAsItsTriangles) {
  Triangles t = mesh_torus(96, 48, 0.3, 0.12);
  for (Point& p : t.points)
    for (double& x : p) x += 0.5;
  const double exact = conductivity(16, make_torus({0.5, 0.5, 0.5}, {0, 0, 1}, 0.3, 0.12), 10);
  EXPECT_NEAR(conductivity(16, closed(t), 10), exact, 2e-3 * exact);
}

}  // namespace
}  // namespace poisson::mesh_conductivity_tests
