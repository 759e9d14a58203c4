// Meshes whose triangles have no common corners or edges: rounding of files, faces that are meshed one by one, soups.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include <gtest/gtest.h>

#include "tests/drawings/mesh_makers.hpp"

namespace poisson::scattered_meshes_tests {
namespace {

// Gives each triangle corners of its own, moved at random by up to `most` along each axis.
Triangles scattered(const Triangles& mesh, double most) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> move(-most, most);
  Triangles soup;
  for (const Triangle& t : mesh.faces) {
    const auto first = static_cast<std::uint32_t>(soup.points.size());
    for (const std::uint32_t corner : t) {
      const Point& p = mesh.points[corner];
      soup.points.push_back({p[0] + move(random), p[1] + move(random), p[2] + move(random)});
    }
    soup.faces.push_back({first, first + 1, first + 2});
  }
  return soup;
}

// Returns the faces of a box in n × n squares each, without common corners, and smaller by a share `gap`.
Triangles six_faces(std::uint32_t n, double gap) {
  Triangles all;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const bool upper : {false, true}) {
      Triangles face = surface_over(n + 1, n, false, [&](double u, double v) {
        const double s = u * (n + 1) / n;  // surface_over is periodic in u: the last squares are left out
        Point p{};
        p[axis] = upper ? 1 : 0;
        p[(axis + 1) % 3] = 0.5 + (1 - gap) * (s - 0.5);
        p[(axis + 2) % 3] = 0.5 + (1 - gap) * (v - 0.5);
        return p;
      });
      std::erase_if(face.faces, [&](const Triangle& t) {
        double least = 2, most = -1;
        for (const std::uint32_t c : t) {
          least = std::min(least, face.points[c][(axis + 1) % 3]);
          most = std::max(most, face.points[c][(axis + 1) % 3]);
        }
        return most - least > 1.5 / n;
      });
      all = joined(all, upper ? face : flipped(face));
    }
  return all;
}

double volume_along(const Triangles& mesh, std::size_t axis, SurfaceReport& report) {
  return volume_by_lines(*make_surface_shape(close_surface(mesh, report)), axis, 40);
}

/// Corners that differ by the rounding of a file are one corner, also far from the origin.
TEST(ScatteredMeshes, RoundingIsJoined) {
  for (const double far : {0.0, 1e4}) {
    Triangles sphere = mesh_sphere(32, 0.7, {far, 2 * far, -far});
    SurfaceReport report;
    const double expected = volume_of(sphere);
    const Triangles soup = scattered(sphere, far == 0 ? 1e-7 : 2e-4);
    EXPECT_NEAR(volume_along(soup, 0, report), expected, 3e-3 * expected) << far;
    EXPECT_GT(report.joined, 2000u);
    EXPECT_EQ(report.open_edges, 0u);
    EXPECT_EQ(report.parts, 1u);
    EXPECT_NEAR(report.volume, expected, 2e-3 * expected);
  }
}

/// With gaps beyond rounding, the winding number of all triangles decides. Exactly, a third of the solid angle of the
/// gaps is missing at most.
TEST(ScatteredMeshes, GapsAreClosedByTheWindingNumber) {
  for (const Triangles& mesh : {mesh_sphere(32, 0.7), mesh_torus(40, 20, 1, 0.4), mesh_box({0, 0, 0}, {1, 2, 3})}) {
    const double expected = volume_of(mesh);
    for (const double gap : {1e-4, 2e-3})
      for (std::size_t axis = 0; axis < 3; ++axis) {
        SurfaceReport report;
        const double found = volume_along(scattered(mesh, gap), axis, report);
        EXPECT_NEAR(found, expected, (3e-3 + 5 * gap) * expected) << gap << " " << axis;
        EXPECT_NEAR(report.volume, expected, (1e-3 + 5 * gap) * expected);
        EXPECT_EQ(report.apart, mesh.faces.size());
        EXPECT_EQ(report.flipped + report.inward, 0u);
      }
  }
}

/// Faces that a drawing program meshed one by one.
TEST(ScatteredMeshes, FacesWithoutCommonEdgesEncloseTheirBody) {
  for (const double gap : {1e-3, 0.02})
    for (std::size_t axis = 0; axis < 3; ++axis) {
      SurfaceReport report;
      EXPECT_NEAR(volume_along(six_faces(5, gap), axis, report), 1, 0.01 + gap) << gap << " " << axis;
      EXPECT_EQ(report.apart, 6u);
      EXPECT_NEAR(report.volume, 1, 3 * gap);
    }
}

/// Triangles and faces that point inwards are found by what lies outside of them.
TEST(ScatteredMeshes, FlippedPartsAreTurned) {
  Triangles faces = six_faces(4, 0.01);
  const auto of_face = static_cast<std::ptrdiff_t>(faces.faces.size() / 6);
  for (const std::ptrdiff_t f : {1, 4})
    for (auto t = faces.faces.begin() + f * of_face; t != faces.faces.begin() + (f + 1) * of_face; ++t)
      std::swap((*t)[0], (*t)[1]);
  SurfaceReport report;
  EXPECT_NEAR(volume_along(faces, 1, report), 1, 0.02);
  EXPECT_EQ(report.inward, static_cast<std::size_t>(2 * of_face));
  Triangles soup = scattered(mesh_torus(40, 20, 1, 0.4), 1e-3);
  const double expected = volume_of(soup);
  for (std::size_t f = 0; f < soup.faces.size(); f += 3) std::swap(soup.faces[f][0], soup.faces[f][1]);
  EXPECT_NEAR(volume_along(soup, 2, report), expected, 0.02 * expected);
  EXPECT_EQ(report.inward, (soup.faces.size() + 2) / 3);
  EXPECT_NEAR(volume_along(flipped(scattered(mesh_sphere(24, 1), 1e-3)), 0, report), volume_of(mesh_sphere(24, 1)),
              0.05);
}

/// A sheet inside or beside a solid encloses nothing and changes nothing; alone it is no body.
TEST(ScatteredMeshes, SheetsAloneEncloseNothing) {
  Triangles sheet;
  sheet.points = {{0.2, 0.2, 0.4}, {0.7, 0.2, 0.4}, {0.7, 0.8, 0.4}, {0.2, 0.8, 0.4}};
  sheet.faces = {{0, 1, 2}, {0, 2, 3}};
  SurfaceReport report;
  EXPECT_NEAR(volume_along(joined(mesh_box({0, 0, 0}, {1, 1, 1}), sheet), 0, report), 1, 1e-9);
  for (Point& p : sheet.points) p[0] += 3;
  EXPECT_NEAR(volume_along(joined(mesh_box({0, 0, 0}, {1, 1, 1}), sheet), 0, report), 1, 1e-9);
  close_surface(sheet, report);
  EXPECT_EQ(report.volume, 0);
}

/// Many holes of a closed surface together: none of their caps is alone near enough to decide.
TEST(ScatteredMeshes, ManyCurvedHolesAddUp) {
  Triangles sphere = mesh_sphere(40, 1);
  const double expected = volume_of(sphere);
  std::mt19937 random(9);
  std::erase_if(sphere.faces, [&](const Triangle&) { return random() % 100 < 15; });
  for (std::size_t axis = 0; axis < 3; ++axis) {
    SurfaceReport report;
    EXPECT_NEAR(volume_along(sphere, axis, report), expected, 0.03 * expected);
    EXPECT_GT(report.flat_holes + report.curved_holes, 50u);
  }
}

}  // namespace
}  // namespace poisson::scattered_meshes_tests
