// Bodies of triangles have the volume of their mesh, also if it is open, inside out, or has duplicates.

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "grids/surfaces/triangle_tree.hpp"
#include "tests/drawings/mesh_makers.hpp"

namespace poisson::mesh_volumes_tests {
namespace {

struct Closed {
  explicit Closed(Triangles t) : shape(make_surface_shape(close_surface(std::move(t), report))) {}
  SurfaceReport report;
  ShapePtr shape;
};

// Rotates a mesh, so that it has no symmetry with the lines.
Triangles tilted(Triangles t) {
  const Motion m = Motion::rotation({1, 2, 3}, 0.7, {});
  for (Point& p : t.points) {
    Point q{};
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) q[r] += m.rows[r][c] * p[c];
    p = q;
  }
  return t;
}

/// Lines along all axes find the volume that the divergence theorem gives.
TEST(MeshVolumes, LinesFindTheVolumeOfAClosedMesh) {
  const Triangles torus = mesh_torus(60, 30, 1, 0.4);
  for (const Triangles& t :
       {torus, tilted(torus), mesh_sphere(40, 0.8, {0.1, 0.2, 0.3}), tilted(mesh_box({0, 0, 0}, {1, 2, 3}))}) {
    const Closed mesh(t);
    EXPECT_TRUE(mesh.report.good());
    EXPECT_EQ(mesh.report.parts, 1u);
    EXPECT_NEAR(mesh.report.volume, volume_of(t), 1e-12 * volume_of(t));
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(volume_by_lines(*mesh.shape, axis, 150), mesh.report.volume, 1e-3 * mesh.report.volume) << axis;
  }
}

/// A torus of n × n triangles has the volume of the exact one, up to 1/n².
TEST(MeshVolumes, ATorusApproachesTheExactOne) {
  const double exact = 2 * std::numbers::pi * std::numbers::pi * 0.16;
  double before = 0;
  for (const std::uint32_t n : {24u, 48u, 96u}) {
    const Closed mesh(mesh_torus(2 * n, n, 1, 0.4));
    const double error = 1 - mesh.report.volume / exact;
    EXPECT_GT(error, 0);
    if (before > 0) {
      EXPECT_NEAR(before / error, 4, 0.2);
    }
    before = error;
  }
}

/// Lines through edges and corners, and along faces, count each of them once: the volume of a box on lattice lines is
/// exact.
TEST(MeshVolumes, LinesThroughEdgesAndCornersAreExact) {
  const Closed box(mesh_box({0, 0, 0}, {1, 1, 1}));
  Spans inside;
  int met = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (int i = -1; i <= 9; ++i)
      for (int j = -1; j <= 9; ++j) {
        Ray ray;
        ray.origin[(axis + 1) % 3] = i / 8.0;
        ray.origin[(axis + 2) % 3] = j / 8.0;
        ray.direction[axis] = 1;
        ray.lower = -1;
        ray.upper = 2;
        box.shape->cut(ray, inside);
        const bool expected = i >= 0 && i < 8 && j >= 0 && j < 8;  // lower faces belong to the box
        ASSERT_EQ(inside.size(), expected ? 1u : 0u) << axis << " " << i << " " << j;
        if (!expected) continue;
        EXPECT_EQ(inside[0], std::pair(0.0, 1.0));
        ++met;
      }
  EXPECT_EQ(met, 3 * 64);
  EXPECT_TRUE(box.shape->contains({0, 0, 0}));
  EXPECT_TRUE(box.shape->contains({0.5, 0.5, 0}));
  EXPECT_FALSE(box.shape->contains({1, 0.5, 0.5}));
  EXPECT_FALSE(box.shape->contains({0.5, 1, 0.5}));
}

/// Oblique lines, of which rotated groups of shapes make use, agree with lines along axes.
TEST(MeshVolumes, ObliqueLinesAgree) {
  const ShapePtr mesh = Closed(tilted(mesh_torus(40, 20, 1, 0.4))).shape;
  const Motion turn = Motion::rotation({3, -1, 2}, 1.1, {0.1, 0, 0});
  const ShapePtr group = make_moved(make_union({mesh}), turn), baked = make_moved(mesh, turn);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-1.5, 1.5);
  Spans a, b;
  int met = 0;
  for (int i = 0; i < 500; ++i) {
    const Ray ray{
        {place(random), place(random), place(random)}, {place(random), place(random), place(random)}, -3, 3, 0.01};
    group->cut(ray, a);
    baked->cut(ray, b);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t s = 0; s < a.size(); ++s) {
      EXPECT_NEAR(a[s].first, b[s].first, 1e-9);
      EXPECT_NEAR(a[s].second, b[s].second, 1e-9);
      EXPECT_TRUE(baked->contains(ray.at(0.5 * (b[s].first + b[s].second))));
      ++met;
    }
    EXPECT_EQ(group->contains(ray.origin), baked->contains(ray.origin));
  }
  EXPECT_GT(met, 100);
}

/// A box without its lid, and one without part of it.
TEST(MeshVolumes, OpenBoxesKeepTheirVolume) {
  Triangles open = mesh_box({0, 0, 0}, {1, 2, 3});
  open.faces.resize(10);
  const Closed box(open);
  EXPECT_EQ(box.report.open_edges, 4u);
  EXPECT_EQ(box.report.flat_holes, 1u);
  EXPECT_EQ(box.report.curved_holes, 0u);
  EXPECT_DOUBLE_EQ(box.report.volume, 6);
  for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(volume_by_lines(*box.shape, axis, 20), 6, 1e-12);
  Triangles tube = mesh_box({0, 0, 0}, {1, 2, 3});
  tube.faces.erase(tube.faces.begin(), tube.faces.begin() + 4);
  const Closed both(tube);
  EXPECT_EQ(both.report.flat_holes, 2u);
  EXPECT_NEAR(volume_by_lines(*both.shape, 0, 20), 6, 1e-12);
}

/// Holes in no plane are closed where the winding number of the triangles is 1/2.
TEST(MeshVolumes, CurvedHolesFollowTheWindingNumber) {
  Triangles open = mesh_sphere(24, 1);
  std::erase_if(open.faces, [&](const Triangle& f) {
    const Point& p = open.points[f[0]];
    return p[0] > 0.3 && p[1] + 0.5 * p[2] * p[0] > 0.1;
  });
  const Closed mesh(open);
  ASSERT_GE(mesh.report.curved_holes, 1u);
  const TriangleTree tree(open, 0, open.faces.size());
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(-1.1, 1.1);
  int inside = 0, near_half = 0;
  for (int i = 0; i < 4000; ++i) {
    const Point p{place(random), place(random), place(random)};
    double exact = 0;
    for (const auto& [a, b, c] : open.faces) exact += solid_angle(p, open.points[a], open.points[b], open.points[c]);
    EXPECT_NEAR(tree.winding(p), exact, 2e-3);
    if (std::abs(exact - 0.5) < 5e-3) {
      ++near_half;
      continue;
    }
    ASSERT_EQ(mesh.shape->contains(p), exact > 0.5) << exact << " at " << p[0] << " " << p[1] << " " << p[2];
    inside += exact > 0.5 ? 1 : 0;
  }
  EXPECT_GT(inside, 800);
  EXPECT_LT(near_half, 200);
  const double along_x = volume_by_lines(*mesh.shape, 0, 60);
  EXPECT_NEAR(volume_by_lines(*mesh.shape, 2, 60), along_x, 0.01 * along_x);
  EXPECT_NEAR(along_x, inside / 4000.0 * std::pow(2.2, 3), 0.1 * along_x);
}

/// Meshes inside out, with flipped triangles, or with both, get the orientation of the correct one.
TEST(MeshVolumes, FlippedTrianglesAreTurned) {
  const Triangles good = mesh_torus(40, 20, 1, 0.4);
  const double volume = volume_of(good);
  const Closed inverted(flipped(good));
  EXPECT_EQ(inverted.report.inward, good.faces.size());
  EXPECT_EQ(inverted.report.flipped, 0u);
  EXPECT_NEAR(inverted.report.volume, volume, 1e-12);
  std::mt19937 random(11);
  for (const double share : {0.01, 0.3, 0.49, 0.8}) {
    Triangles some = good;
    std::size_t count = 0;
    for (Triangle& f : some.faces)
      if (std::uniform_real_distribution<double>(0, 1)(random) < share) {
        std::swap(f[0], f[2]);
        ++count;
      }
    const Closed mesh(some);
    EXPECT_EQ(mesh.report.flipped, count);
    EXPECT_EQ(mesh.report.open_edges, 0u);
    EXPECT_NEAR(mesh.report.volume, volume, 1e-12);
    EXPECT_NEAR(volume_by_lines(*mesh.shape, 1, 100), volume, 2e-3 * volume);
  }
}

TEST(MeshVolumes, CavitiesStayAndIslandsInThemAreSolid) {
  const Triangles outer = mesh_sphere(24, 1), cavity = flipped(mesh_sphere(24, 0.6)), island = mesh_sphere(24, 0.3);
  const double expected = volume_of(outer) + volume_of(cavity) + volume_of(island);
  const Triangles all = joined(joined(outer, cavity), island);
  const Closed mesh(all), inverted(flipped(all));
  EXPECT_TRUE(mesh.report.good());
  EXPECT_EQ(inverted.report.inward, all.faces.size());
  for (const Closed* one : {&mesh, &inverted}) {
    EXPECT_EQ(one->report.parts, 3u);
    EXPECT_NEAR(one->report.volume, expected, 1e-12);
    EXPECT_TRUE(one->shape->contains({0, 0, 0}));
    EXPECT_FALSE(one->shape->contains({0.45, 0, 0}));
    EXPECT_TRUE(one->shape->contains({0.8, 0, 0}));
  }
  // Two bodies side by side, one of them inside out, and a body that overlaps another.
  const Closed pair(joined(mesh_box({0, 0, 0}, {1, 1, 1}), flipped(mesh_box({2, 0, 0}, {3, 1, 1}))));
  EXPECT_EQ(pair.report.inward, 12u);
  EXPECT_NEAR(pair.report.volume, 2, 1e-12);
  const Closed overlap(joined(mesh_box({0, 0, 0}, {1, 1, 1}), mesh_box({0.5, 0, 0}, {1.5, 1, 1})));
  EXPECT_NEAR(volume_by_lines(*overlap.shape, 0, 10), 1.5, 1e-12);
}

TEST(MeshVolumes, DuplicatesAreLeftOut) {
  const Triangles box = mesh_box({0, 0, 0}, {1, 2, 3});
  for (const Triangles& doubled : {joined(box, box), joined(box, flipped(box)), joined(joined(box, box), box)}) {
    const Closed mesh(doubled);
    EXPECT_EQ(mesh.report.duplicates, doubled.faces.size() - 12);
    EXPECT_NEAR(mesh.report.volume, 6, 1e-12);
    EXPECT_NEAR(volume_by_lines(*mesh.shape, 2, 10), 6, 1e-12);
  }
  // Two boxes that share a wall are one body; so are boxes that share an edge or a corner.
  const Closed wall(joined(mesh_box({0, 0, 0}, {1, 1, 1}), mesh_box({1, 0, 0}, {2, 1, 1})));
  EXPECT_EQ(wall.report.open_edges, 0u);
  EXPECT_NEAR(volume_by_lines(*wall.shape, 0, 10), 2, 1e-12);
  const Closed edge(joined(mesh_box({0, 0, 0}, {1, 1, 1}), mesh_box({1, 1, 0}, {2, 2, 1})));
  EXPECT_EQ(edge.report.open_edges, 0u);
  EXPECT_NEAR(edge.report.volume, 2, 1e-12);
  EXPECT_NEAR(volume_by_lines(*edge.shape, 2, 10), 2, 1e-12);
}

/// Rows of cells get the same answer as points, for groups of shapes, too.
TEST(MeshVolumes, RowsAgreeWithPoints) {
  const ShapePtr mesh = Closed(tilted(mesh_sphere(20, 1))).shape;
  const ShapePtr group =
      make_moved(make_difference({make_union({mesh, make_box({0.5, -0.5, -0.5}, {2, 0.5, 0.5})}),
                                  make_intersection({mesh, make_ellipsoid({0, 0, 0.5}, {0.5, 0.5, 0.5})})}),
                 Motion::rotation({0, 0, 1}, 0.3, {}));
  for (const ShapePtr& shape : {mesh, group, make_repeated(mesh, {3, 2, 1}, {2.5, 2.2, 0})}) {
    std::vector<double> x;
    for (int i = 0; i < 200; ++i) x.push_back(-2 + 0.05 * i + 0.013);
    std::vector<char> row(x.size());
    int inside = 0;
    for (int j = 0; j < 30; ++j) {
      const Ray ray{{0, -1.4 + 0.13 * j, 0.1 * j - 1.2}, {1, 0, 0}, x.front(), x.back(), 0.01};
      shape->contains_along(ray, x, row);
      for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(row[i] != 0, shape->contains(ray.at(x[i])));
        inside += row[i];
      }
    }
    EXPECT_GT(inside, 100);
  }
}

TEST(MeshVolumes, NothingIsLeftOfPoints) {
  Triangles t;
  t.points = {{1, 1, 1}, {1, 1, 1}, {2, 2, 2}};
  t.faces = {{0, 1, 2}, {2, 2, 2}};
  SurfaceReport report;
  EXPECT_THROW(close_surface(t, report), InputError);
}

}  // namespace
}  // namespace poisson::mesh_volumes_tests
