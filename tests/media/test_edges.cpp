// Bodies with one value and sharp edges: capacitances in grounded boxes, wherever the edges lie in their cells.

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grids/problem/bodies.hpp"
#include "grids/results/region_results.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/solve.hpp"

namespace poisson::edges_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet;

// Returns the flow out of a body at 1 in a grounded box of side 1.
double capacitance(int dimension, const std::array<int, 3>& cells, const ShapePtr& shape) {
  Problem p = dimension == 2 ? square_in_cells(1) : cube_in_cells(1);
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
    p.nodes[d] = uniform_nodes(0, 1, cells[d]);
    for (Boundary& face : p.boundary[d]) face = Boundary{D, 0.0};
  }
  MediaBuilder media;
  media.add("background", 1);
  media.add_fixed("body", 1);
  media.body("body", shape);
  media.use(p, Surfaces::sharp);
  Options options{.method = Method::multigrid};
  options.tolerance = 1e-8;
  Solve solve(p, options);
  EXPECT_TRUE(solve.run().converged());
  return media_results(solve.discretization(), solve.solution()).regions[1].flow;
}

/// A square of side 1/2 in a square of side 1 has 10.2341 (Bowman, "Introduction to Elliptic Functions", 1953).
TEST(EdgesOfBodies, SquareInASquare) {
  for (const int cells : {30, 37, 45, 64, 66, 75, 91}) {
    const double found = capacitance(2, {cells, cells, 1}, make_box({0.25, 0.25, -1}, {0.75, 0.75, 1}));
    std::printf("square, %d cells: %.4f, %.3f %%\n", cells, found, 100 * (found / 10.2340925 - 1));
    EXPECT_NEAR(found, 10.2340925, (cells < 60 ? 3e-3 : 1.5e-3) * 10.234);
  }
}

/// Cells may be longer along one axis.
TEST(EdgesOfBodies, SquareInASquareOfOblongCells) {
  for (const auto& [nx, ny] : {std::array{64, 78}, std::array{71, 60}}) {
    const double found = capacitance(2, {nx, ny, 1}, make_box({0.25, 0.25, -1}, {0.75, 0.75, 1}));
    EXPECT_NEAR(found, 10.2340925, 4e-3 * 10.234) << nx << " x " << ny << " " << found;
  }
}

/// The reference is the limit of grids of 32 to 96 cells whose faces coincide with those of the cube.
TEST(EdgesOfBodies, CubesWhereverTheyLie) {
  constexpr double exact = 5.461;
  for (const int cells : {45, 48, 54, 61, 62}) {
    const double found =
        capacitance(3, {cells, cells, cells}, make_box({0.3125, 0.3125, 0.3125}, {0.6875, 0.6875, 0.6875}));
    std::printf("cube, %d cells: %.4f, %.3f %%\n", cells, found, 100 * (found / exact - 1));
    EXPECT_NEAR(found, exact, 3e-3 * exact);
  }
}

/// The edges of a cylinder follow its axis along the grid, but turn about it.
TEST(EdgesOfBodies, CylindersWithFlatEnds) {
  constexpr double exact = 5.122;
  for (const std::size_t axis : {0U, 2U})
    for (const int cells : {41, 47, 50, 56}) {
      Point from{0.5, 0.5, 0.5}, to = from;
      from[axis] = 0.3;
      to[axis] = 0.7;
      const double found = capacitance(3, {cells, cells, cells}, make_cylinder(from, to, 0.2));
      std::printf("cylinder, %d cells: %.4f, %.3f %%\n", cells, found, 100 * (found / exact - 1));
      EXPECT_NEAR(found, exact, 3e-3 * exact);
    }
}

/// Returns a plate in the plane, without its rounded edges 2a × 2b large.
ShapePtr rounded_plate_in_the_plane(const Point& centre, double a, double b, double radius) {
  std::vector<ShapePtr> parts{
      make_box({centre[0] - a - radius, centre[1] - b, -1}, {centre[0] + a + radius, centre[1] + b, 1}),
      make_box({centre[0] - a, centre[1] - b - radius, -1}, {centre[0] + a, centre[1] + b + radius, 1})};
  for (const double x : {-a, a})
    for (const double y : {-b, b})
      parts.push_back(make_ellipsoid({centre[0] + x, centre[1] + y, 0}, {radius, radius, Bounds::far}));
  return make_union(parts);
}

/// Capacitances have second order if edges are rounded, also with a radius of two cells of the coarsest grid. Errors
/// depend on the places of the edges in their cells, so the order is that of the rms error over several places. The
/// reference is the limit of finer grids.
TEST(EdgesOfBodies, RoundedPlatesAreOfSecondOrder) {
  for (const double radius : {0.03, 0.06})
    for (const double turned : {0.0, 0.4}) {
      std::array<double, 3> squares{};
      for (const Point& centre : {Point{0.48, 0.51, 0}, Point{0.455, 0.523, 0}, Point{0.517, 0.466, 0}}) {
        const ShapePtr plate = make_moved(rounded_plate_in_the_plane(centre, 0.21, 0.04, radius),
                                          Motion::rotation({0, 0, 1}, turned, centre));
        const auto at = [&](int cells) { return capacitance(2, {cells, cells, 1}, plate); };
        const double fine = at(512), exact = fine + (fine - at(384)) / (16.0 / 9 - 1);
        for (std::size_t level = 0; level < 3; ++level) {
          const double error = at(64 << level) / exact - 1;
          squares[level] += error * error / 3;
        }
      }
      const double order = std::log2(squares[0] / squares[2]) / 4;
      std::printf("plate with edges of radius %.2f, turned by %.1f: rms errors %.4f, %.4f and %.4f %%, order %.2f\n",
                  radius, turned, 100 * std::sqrt(squares[0]), 100 * std::sqrt(squares[1]), 100 * std::sqrt(squares[2]),
                  order);
      EXPECT_GT(order, 1.5);
      EXPECT_LT(std::sqrt(squares[0]), 5e-4);
    }
}

/// Is a body at any place in the box, with any ratio of its lengths.
struct Placed {
  const char* name;
  ShapePtr shape;
  bool is_rounded;
};

std::vector<Placed> placed_bodies() {
  const Motion turn = Motion::rotation({0.4, -0.3, 1}, 0.7, {0.45, 0.52, 0.5});
  const auto capsule = [](const Point& a, const Point& b, double r) {
    return make_union({make_cylinder(a, b, r), make_sphere(a, r), make_sphere(b, r)});
  };
  const auto rounded_plate = [&] {
    // A box with rounded edges: the union of boxes, rods and spheres.
    const Point low{0.27, 0.36, 0.47}, high{0.69, 0.62, 0.55};
    constexpr double r = 0.03;
    std::vector<ShapePtr> parts;
    for (std::size_t d = 0; d < 3; ++d) {
      Point a = low, b = high;
      a[d] -= r;
      b[d] += r;
      parts.push_back(make_box(a, b));
      for (int corner = 0; corner < 4; ++corner) {
        a = low;
        b = low;
        b[d] = high[d];
        const std::size_t e = (d + 1) % 3, f = (d + 2) % 3;
        a[e] = b[e] = corner % 2 == 0 ? low[e] : high[e];
        a[f] = b[f] = corner / 2 == 0 ? low[f] : high[f];
        parts.push_back(capsule(a, b, r));
      }
    }
    return make_union(parts);
  };
  return {{"sphere, off centre", make_sphere({0.31, 0.62, 0.44}, 0.17), true},
          {"small sphere", make_sphere({0.41, 0.57, 0.52}, 0.06), true},
          {"ellipsoid of radii 0.4, 0.1, 0.2", make_ellipsoid({0.47, 0.53, 0.48}, {0.4, 0.1, 0.2}), true},
          {"oblique rod with round ends", capsule({0.3, 0.35, 0.4}, {0.7, 0.6, 0.55}, 0.08), true},
          {"plate whose edges have a radius of 2 cells of 64", rounded_plate(), true},
          {"torus", make_torus({0.51, 0.48, 0.47}, {0.2, 0.3, 1}, 0.25, 0.08), true},
          {"cube, off centre", make_box({0.21, 0.33, 0.42}, {0.44, 0.56, 0.65}), false},
          {"small cube", make_box({0.43, 0.55, 0.37}, {0.55, 0.67, 0.49}), false},
          {"bar 0.6 x 0.1 x 0.2", make_box({0.17, 0.44, 0.41}, {0.77, 0.54, 0.61}), false},
          {"plate 0.5 x 0.4 x 0.05", make_box({0.23, 0.31, 0.47}, {0.73, 0.71, 0.52}), false},
          {"long cylinder", make_cylinder({0.2, 0.46, 0.55}, {0.8, 0.46, 0.55}, 0.07), false},
          {"disk", make_cylinder({0.48, 0.53, 0.46}, {0.48, 0.53, 0.54}, 0.3), false},
          {"oblique cube", make_moved(make_box({0.3, 0.37, 0.35}, {0.6, 0.67, 0.65}), turn), false},
          {"oblique cylinder", make_moved(make_cylinder({0.25, 0.5, 0.5}, {0.65, 0.5, 0.5}, 0.12), turn), false}};
}

/// Prints a table of docs/materials.md. Limits are extrapolated with the order 2 of smooth bodies, or 1. It takes
/// minutes on a CPU.
TEST(EdgesOfBodies, DISABLED_CapacitancesOnLargeGrids) {
  for (const auto& [name, shape, is_rounded] : placed_bodies()) {
    std::array<double, 3> found{};
    for (std::size_t level = 0; level < 3; ++level) {
      const int cells = 64 << level;
      found[level] = capacitance(3, {cells, cells, cells}, shape);
    }
    const double order = std::log2(std::abs((found[1] - found[0]) / (found[2] - found[1])));
    const double limit = found[2] + (found[2] - found[1]) / (is_rounded ? 3 : 1);
    std::printf("%s: %.5f, %.5f, %.5f; 128 cells %.3f %% from the limit; order %.2f\n", name, found[0], found[1],
                found[2], 100 * (found[1] / limit - 1), order);
    std::fflush(stdout);
    EXPECT_NEAR(found[1], limit, 3e-3 * limit) << name;
    // Errors of 10⁻⁴ depend on the places of edges in their cells.
    EXPECT_TRUE(!is_rounded || order >= 1.5 || std::abs(found[1] - limit) < 2e-4 * limit) << name << " " << order;
  }
}

}  // namespace
}  // namespace poisson::edges_tests
