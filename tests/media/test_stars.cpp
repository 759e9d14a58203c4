// Curved surfaces with data that vary along them: problems 1 and 3 of Johansen and Colella, J. Comput. Phys. 147, 60
// (1998). Bodies have one value and insulators pass nothing, so the test adds the data of the surface to the right-hand
// side itself.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "grids/problem/bodies.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/solve.hpp"

namespace poisson::stars_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet;
enum class Wall { fixed, insulator };

/// Is u = r⁴ cos 3θ inside or outside the star r = middle + swing · cos 6θ, in a square of side 1.
struct Star {
  Wall wall;
  double middle, swing;

  double radius(double angle) const { return middle + swing * std::cos(6 * angle); }
  static double u(double x, double y, double) { return (x * x * x - 3 * x * y * y) * std::hypot(x, y); }
  static double source(double x, double y, double) {
    const double r = std::hypot(x, y);
    return r == 0 ? 0 : -7 * (x * x * x - 3 * x * y * y) / r;
  }
  static std::array<double, 2> gradient(double x, double y) {
    const double r = std::hypot(x, y), cubic = x * x * x - 3 * x * y * y;
    return {r * 3 * (x * x - y * y) + cubic * x / r, -r * 6 * x * y + cubic * y / r};
  }

  ShapePtr shape() const {
    constexpr int corners = 4000;
    std::vector<std::array<double, 2>> points;
    for (int c = 0; c < corners; ++c) {
      const double angle = 2 * M_PI * c / corners;
      points.push_back({radius(angle) * std::cos(angle), radius(angle) * std::sin(angle)});
    }
    const ShapePtr star = make_prism(points, -1, 1);
    return wall == Wall::insulator ? star : make_difference({make_box({-2, -2, -2}, {2, 2, 2}), star});
  }

  Problem problem(int cells) const {
    Problem p = square_in_cells(cells);
    for (std::size_t d = 0; d < 2; ++d) {
      p.nodes[d] = uniform_nodes(-0.5, 0.5, cells);
      for (Boundary& face : p.boundary[d]) face = Boundary{D, &Star::u};
    }
    p.source = Quantity(&Star::source);
    MediaBuilder media;
    media.add("inside", 1);
    media.add("wall", 1);
    if (wall == Wall::fixed)
      media.back().fixed = 0;
    else
      media.back().insulator = true;
    media.body("wall", shape());
    media.use(p, Surfaces::sharp);
    return p;
  }
};

/// Returns the flows that the data of the surface add to each cell, x fastest.
std::vector<double> flows_of_surface(const Star& star, const Discretization& discretization, int cells) {
  const MediaSystem& system = *discretization.media();
  const double h = 1.0 / cells;
  std::vector<double> flows(static_cast<std::size_t>(cells) * static_cast<std::size_t>(cells));
  const auto at = [&](int i, int j) { return static_cast<std::size_t>(i + cells * j); };
  for (const FixedLink& link : system.links()) {
    Point p = system.cells().centre(link.cell[0], link.cell[1], 0);
    p[static_cast<std::size_t>(link.axis)] += link.side * h / link.conductance;
    flows[at(link.cell[0], link.cell[1])] += link.conductance * Star::u(p[0], p[1], 0);
  }
  if (star.wall == Wall::fixed) return flows;
  constexpr int pieces = 100'000;
  for (int piece = 0; piece < pieces; ++piece) {
    const double a = 2 * M_PI * (piece + 0.5) / pieces, r = star.radius(a), slope = -6 * star.swing * std::sin(6 * a);
    const double x = r * std::cos(a), y = r * std::sin(a), step = 2 * M_PI / pieces;
    const auto [gx, gy] = Star::gradient(x, y);
    // The normal times the length points into the star, out of the domain.
    const double nx = -(slope * std::sin(a) + r * std::cos(a)) * step,
                 ny = (slope * std::cos(a) - r * std::sin(a)) * step;
    int i = static_cast<int>((x + 0.5) * cells), j = static_cast<int>((y + 0.5) * cells);
    for (const auto& [di, dj] : {std::array{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}})
      if (system.solved(i + di, j + dj, 0)) {
        flows[at(i + di, j + dj)] += gx * nx + gy * ny;
        break;
      }
  }
  return flows;
}

/// Returns the factor between flows and right-hand sides.
double scale_of_rhs(const Star& star, int cells) {
  Problem p = star.problem(cells);
  p.source = 1.0;
  for (std::size_t d = 0; d < 2; ++d)
    for (Boundary& face : p.boundary[d]) face = Boundary{D, 0.0};
  Solve solve(p, Options{.method = Method::multigrid});
  double most = 0;
  for (const double b : values(solve.rhs())) most = std::max(most, b);
  return most * cells * cells;
}

/// Returns the largest error of u.
double largest_error(const Star& star, int cells) {
  Options options{.method = Method::multigrid};
  options.tolerance = 1e-10;
  options.precision = SolvePrecision::double_;
  const double scale = scale_of_rhs(star, cells);
  Solve solve(star.problem(cells), options);
  const std::vector<double> flows = flows_of_surface(star, solve.discretization(), cells);
  edit(solve.rhs(), [&](Field& host) {
    const auto view = host.view<double>();
    std::size_t at = 0;
    for_each(host.layout().box(), [&](int i, int j, int k) { view(i, j, k) += scale * flows[at++]; });
  });
  EXPECT_TRUE(solve.run().converged());
  const MediaSystem& system = *solve.discretization().media();
  const std::vector<double> u = values(solve.solution());
  double most = 0;
  std::size_t at = 0;
  for_each(solve.block().layout().box(), [&](int i, int j, int k) {
    const double here = u[at++];
    const Point c = system.cells().centre(i, j, k);
    if (system.solved(i, j, k)) most = std::max(most, std::abs(here - Star::u(c[0], c[1], 0)));
  });
  return most;
}

/// The bounds are 1.2 times the largest errors of a prototype of the same discretization.
TEST(Stars, ErrorsAreThoseOfThePrototype) {
  struct Case {
    Star star;
    std::array<double, 3> prototype;
  };
  for (const auto& [star, prototype] : {Case{{Wall::fixed, 0.30, 0.15}, {7.6e-5, 3.0e-5, 9.4e-6}},
                                        Case{{Wall::insulator, 0.25, 0.05}, {2.4e-4, 6.8e-5, 1.8e-5}}})
    for (const std::size_t level : {0U, 1U, 2U}) {
      const int cells = 40 << level;
      const double error = largest_error(star, cells);
      std::printf("%s star, %d cells: largest error %.2e, prototype %.2e\n",
                  star.wall == Wall::fixed ? "fixed" : "insulated", cells, error, prototype[level]);
      EXPECT_LT(error, 1.2 * prototype[level]);
    }
}

}  // namespace
}  // namespace poisson::stars_tests
