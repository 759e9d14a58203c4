// Joins corners on open edges that only rounding separates, and finds the outside of parts that enclose nothing alone.

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "grids/surfaces/crossing.hpp"
#include "grids/surfaces/surface_edges.hpp"
#include "grids/surfaces/triangle_tree.hpp"

namespace poisson {
namespace {

// Corners on open edges are the same if their distance is at most this share of the size of the mesh, or this multiple
// of their coordinates: files in single precision round to half of it.
constexpr double same_place = 1e-6, of_coordinates = 1.2e-7;

std::vector<char> on_open_edges(const Triangles& triangles, const std::vector<EdgeUse>& edges) {
  std::vector<char> open(triangles.points.size());
  for_each_edge(edges, [&](std::span<const EdgeUse> uses) {
    if (uses.size() % 2 == 1) open[uses[0].low] = open[uses[0].high] = 1;
  });
  return open;
}

// Finds earlier points near a point, by cubes as wide as the distance.
class NearPoints {
 public:
  NearPoints(const std::vector<Point>& points, double distance) : points_(points), distance_(distance) {}

  std::uint32_t find_or_add(std::uint32_t number) {
    const Point& p = points_[number];
    std::array<std::int64_t, 3> cube{};
    for (std::size_t d = 0; d < 3; ++d) cube[d] = static_cast<std::int64_t>(std::floor(p[d] / distance_));
    for (int n = 0; n < 27; ++n) {
      const auto found = cubes_.find(key({cube[0] + n % 3 - 1, cube[1] + n / 3 % 3 - 1, cube[2] + n / 9 - 1}));
      if (found == cubes_.end()) continue;
      for (const std::uint32_t q : found->second)
        if (std::hypot(points_[q][0] - p[0], points_[q][1] - p[1], points_[q][2] - p[2]) <= distance_) return q;
    }
    cubes_[key(cube)].push_back(number);
    return number;
  }

 private:
  static std::uint64_t key(const std::array<std::int64_t, 3>& cube) {
    std::uint64_t h = 0;
    for (const std::int64_t c : cube) h = (h ^ static_cast<std::uint64_t>(c)) * 0x9e3779b97f4a7c15 + (h >> 29);
    return h;
  }
  const std::vector<Point>& points_;
  double distance_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cubes_;
};

}  // namespace

std::size_t join_open_corners(Triangles& triangles, const std::vector<EdgeUse>& edges, const Bounds& bounds) {
  const std::vector<char> open = on_open_edges(triangles, edges);
  if (std::ranges::find(open, 1) == open.end()) return 0;
  double size = 0, coordinates = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    size = std::hypot(size, bounds.upper[d] - bounds.lower[d]);
    coordinates = std::max({coordinates, std::abs(bounds.lower[d]), std::abs(bounds.upper[d])});
  }
  const double distance = std::max(same_place * size, of_coordinates * coordinates);
  if (!(distance > 0 && coordinates / distance < 1e15)) return 0;
  NearPoints near(triangles.points, distance);
  std::vector<std::uint32_t> number(triangles.points.size());
  std::size_t joined = 0;
  for (std::uint32_t p = 0; p < number.size(); ++p) {
    number[p] = open[p] != 0 ? near.find_or_add(p) : p;
    joined += number[p] != p ? 1 : 0;
  }
  for (Triangle& t : triangles.faces)
    for (std::uint32_t& corner : t) corner = number[corner];
  return joined;
}

// From each side of a closed surface, a ray outwards crosses an even number of other triangles. Rays pass the gaps of
// an incomplete one seldom: several rays decide by majority.
bool faces_inwards(const Triangles& triangles, const TriangleTree& tree, std::span<const std::uint32_t> faces) {
  int inwards = 0, votes = 0;
  constexpr std::size_t most_votes = 9;
  const std::size_t step = std::max<std::size_t>(1, faces.size() / most_votes);
  for (std::size_t at = 0; at < faces.size(); at += step) {
    const auto& [a, b, c] = triangles.faces[faces[at]];
    const Point &pa = triangles.points[a], &pb = triangles.points[b], &pc = triangles.points[c];
    Point x{}, y{}, from{};
    for (std::size_t d = 0; d < 3; ++d) {
      x[d] = pb[d] - pa[d];
      y[d] = pc[d] - pa[d];
      from[d] = (pa[d] + pb[d] + pc[d]) / 3;
    }
    const Point normal{x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
    const double length = std::hypot(normal[0], normal[1], normal[2]);
    if (!(length > 0)) continue;
    // Three rays in different directions of the half space.
    constexpr std::array<Point, 3> tilts{{{0.31, -0.17, 0.23}, {-0.11, 0.37, -0.29}, {-0.23, -0.19, 0.41}}};
    for (const Point& tilt : tilts) {
      Ray ray;
      ray.origin = from;
      for (std::size_t d = 0; d < 3; ++d) ray.direction[d] = normal[d] / length + tilt[d];
      const RayFrame frame(ray);
      int crossings = 0;
      tree.along(ray, [&](std::uint32_t f) {
        if (f == faces[at]) return;
        const auto& [i, j, k] = triangles.faces[f];
        const Crossing met = crossing_of(frame, triangles.points[i], triangles.points[j], triangles.points[k]);
        if (met.sign != 0 && met.t > 0) ++crossings;
      });
      inwards += crossings % 2;
      ++votes;
    }
  }
  return 2 * inwards > votes;
}

}  // namespace poisson
