// Cones, tori and solids of revolution: volumes, and lines that agree with points.

#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/drawings/mesh_makers.hpp"

namespace poisson::shapes_of_revolution_tests {
namespace {

constexpr double pi = std::numbers::pi;

struct Solid {
  std::string name;
  ShapePtr shape;
  double volume;
};

std::vector<Solid> solids() {
  const Point tilt{1, 2, -0.5};
  const std::vector<std::array<double, 2>> bowl{{0, 0}, {1, 0}, {1, 1}, {0.7, 1}, {0.7, 0.3}, {0, 0.3}},
      ring{{1, 0}, {1.5, 0.25}, {1.2, 1}};
  // Pappus: 2π times the distance of the centroid times the area.
  const double ring_area = 0.5 * (0.5 * 1 - 0.25 * 0.2), ring_distance = 3.7 / 3;
  return {{"cone", make_cone({0, 0, 0}, {0, 0, 2}, 1, 0), 2 * pi / 3},
          {"oblique cone", make_cone({0.3, 0.1, 0}, {1.3, 2.1, -0.5}, 0.7, 0), pi / 3 * 0.49 * std::sqrt(5.25)},
          {"truncated cone", make_cone({0, 0, 0}, tilt, 0.3, 0.8), pi / 3 * std::sqrt(5.25) * (0.09 + 0.24 + 0.64)},
          {"cylinder as a cone", make_cone({0, 0, 0}, {2, 0, 0}, 0.5, 0.5), pi / 2},
          {"torus", make_torus({0.5, 0, 0}, {0, 0, 1}, 1, 0.3), 2 * pi * pi * 0.09},
          {"oblique torus", make_torus({0, 0, 0}, tilt, 1, 0.45), 2 * pi * pi * 0.2025},
          {"horn torus", make_torus({0, 0, 0}, {1, 0, 0}, 0.5, 0.5), 2 * pi * pi * 0.125},
          {"bowl", make_revolved(bowl, {0, 0, 1}), pi * (1 - 0.49 * 0.7)},
          {"oblique bowl", make_revolved(bowl, tilt), pi * (1 - 0.49 * 0.7)},
          {"ring", make_revolved(ring, {0, 1, 0}), 2 * pi * ring_distance * ring_area}};
}

TEST(ShapesOfRevolution, HaveTheirVolumes) {
  for (const Solid& solid : solids())
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(volume_by_lines(*solid.shape, axis, 200), solid.volume, 2e-3 * solid.volume)
          << solid.name << " along " << axis;
}

/// Everywhere on a line, points between two ends of a span are inside, others are not.
TEST(ShapesOfRevolution, LinesAgreeWithPoints) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-2, 2), share(0, 1);
  Spans spans;
  for (const Solid& solid : solids()) {
    int met = 0;
    const Bounds bounds = solid.shape->bounds();
    for (int i = 0; i < 400; ++i) {
      const bool along = i % 4 == 0;
      Ray ray{
          {place(random), place(random), place(random)}, {place(random), place(random), place(random)}, -3, 3, 0.01};
      if (along) ray.direction = {i % 12 == 0 ? 1.0 : 0, i % 12 == 4 ? 1.0 : 0, i % 12 == 8 ? 1.0 : 0};
      solid.shape->cut(ray, spans);
      met += static_cast<int>(spans.size());
      double before = ray.lower;
      for (const auto& [from, to] : spans) {
        ASSERT_LE(before, from);
        ASSERT_LT(from, to);
        before = to;
      }
      for (int k = 0; k < 50; ++k) {
        const double t = ray.lower + (k + share(random)) / 50 * (ray.upper - ray.lower);
        double gap = 1;
        bool inside = false;
        for (const auto& [from, to] : spans) {
          inside = inside || (t > from && t < to);
          gap = std::min({gap, std::abs(t - from), std::abs(t - to)});
        }
        if (gap < 1e-7) continue;
        const Point p = ray.at(t);
        ASSERT_EQ(solid.shape->contains(p), inside) << solid.name << " at t = " << t;
        for (std::size_t d = 0; inside && d < 3; ++d) {
          ASSERT_GE(p[d], bounds.lower[d] - 1e-12) << solid.name;
          ASSERT_LE(p[d], bounds.upper[d] + 1e-12) << solid.name;
        }
      }
    }
    EXPECT_GT(met, 30) << solid.name;
  }
}

/// Ends of spans of a small shape far from the origin of its ray keep their digits.
TEST(ShapesOfRevolution, CrossingsAreAccurateFarAway) {
  Spans spans;
  make_torus({0, 0, 0}, {0, 0, 1}, 1, 0.25)->cut({{-1000, 0, 0}, {1, 0, 0}, 0, 2000, 1}, spans);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_NEAR(spans[0].first, 998.75, 1e-11);
  EXPECT_NEAR(spans[0].second, 999.25, 1e-11);
  EXPECT_NEAR(spans[1].first, 1000.75, 1e-11);
  EXPECT_NEAR(spans[1].second, 1001.25, 1e-11);
  make_cone({0, 0, 0}, {0, 0, 1}, 1, 0)->cut({{-1000, 0, 0.5}, {1, 0, 0}, 0, 2000, 1}, spans);
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_NEAR(spans[0].first, 999.5, 1e-11);
  EXPECT_NEAR(spans[0].second, 1000.5, 1e-11);
}

}  // namespace
}  // namespace poisson::shapes_of_revolution_tests
