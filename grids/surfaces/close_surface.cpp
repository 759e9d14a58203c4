#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_map>
#include <utility>

#include "backends/memory/error.hpp"
#include "grids/surfaces/surface_edges.hpp"
#include "grids/surfaces/triangles.hpp"

namespace poisson {
namespace {

// A hole is flat if its corners lie in a plane up to this share of the surface's size, or if it is small: its area is
// at most this share of the size squared.
constexpr double flatness = 1e-6;

using Loop = std::vector<std::uint32_t>;
using Edge = std::pair<std::uint32_t, std::uint32_t>;

// Returns the directed edges that close the surface: the reverse of those that are used more often in one direction.
std::vector<Edge> missing_edges(const std::vector<EdgeUse>& edges) {
  std::vector<Edge> missing;
  for_each_edge(edges, [&](std::span<const EdgeUse> uses) {
    int forward = 0;
    for (const EdgeUse& use : uses) forward += use.forward ? 1 : -1;
    for (; forward > 0; --forward) missing.emplace_back(uses[0].high, uses[0].low);
    for (; forward < 0; ++forward) missing.emplace_back(uses[0].low, uses[0].high);
  });
  return missing;
}

// Decomposes directed edges into loops that meet no point twice. As many edges end in a point as begin there.
std::vector<Loop> loops_of(const std::vector<Edge>& edges) {
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> next;
  for (const auto& [a, b] : edges) next[a].push_back(b);
  std::unordered_map<std::uint32_t, std::size_t> place;
  std::vector<Loop> loops;
  Loop path;
  for (const auto& [start, end] : edges)
    while (!next[start].empty()) {
      path.assign(1, start);
      place.clear();
      place[start] = 0;
      for (;;) {
        std::vector<std::uint32_t>& onwards = next[path.back()];
        if (onwards.empty()) break;
        const std::uint32_t to = onwards.back();
        onwards.pop_back();
        const auto found = place.find(to);
        if (found == place.end()) {
          place[to] = path.size();
          path.push_back(to);
          continue;
        }
        const auto begin = path.begin() + static_cast<std::ptrdiff_t>(found->second);
        loops.emplace_back(begin, path.end());
        for (auto p = begin + 1; p != path.end(); ++p) place.erase(*p);
        path.erase(begin + 1, path.end());
      }
    }
  return loops;
}

double length_of(const Point& p) {
  return std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
}

// Twice the vector area of a triangle.
Point twice_area(const Point& a, const Point& b, const Point& c) {
  const Point x{b[0] - a[0], b[1] - a[1], b[2] - a[2]}, y{c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}

class Caps {
 public:
  explicit Caps(ClosedSurface& surface) : surface_(surface), points_(surface.all.points) {
    Point extent{};
    for (std::size_t d = 0; d < 3; ++d) extent[d] = surface.bounds.upper[d] - surface.bounds.lower[d];
    size_ = length_of(extent);
  }

  void close(std::vector<Loop> loops, SurfaceReport& report) {
    const auto curved = std::stable_partition(loops.begin(), loops.end(),
                                              [&](const Loop& l) { return !surface_.scattered && is_flat(l); });
    for (auto loop = loops.begin(); loop != curved; ++loop) add(*loop);
    surface_.solid = surface_.all.faces.size();
    for (auto loop = curved; loop != loops.end(); ++loop) {
      Hole hole;
      hole.first = surface_.all.faces.size();
      add(*loop);
      hole.last = surface_.all.faces.size();
      surface_.holes.push_back(hole);
    }
    find_reaches();
    report.flat_holes = static_cast<std::size_t>(curved - loops.begin());
    report.curved_holes = loops.size() - report.flat_holes;
  }

 private:
  Point mean_of(const Loop& loop) const {
    Point mean{};
    for (const std::uint32_t p : loop)
      for (std::size_t d = 0; d < 3; ++d) mean[d] += points_[p][d] / static_cast<double>(loop.size());
    return mean;
  }

  bool is_flat(const Loop& loop) const {
    const Point mean = mean_of(loop);
    Point normal{};
    double area = 0;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Point n = twice_area(mean, points_[loop[i]], points_[loop[(i + 1) % loop.size()]]);
      for (std::size_t d = 0; d < 3; ++d) normal[d] += n[d];
      area += 0.5 * length_of(n);
    }
    if (loop.size() == 3 || area <= flatness * size_ * size_) return true;
    const double length = length_of(normal);
    return std::ranges::all_of(loop, [&](std::uint32_t p) {
      double off = 0;
      for (std::size_t d = 0; d < 3; ++d) off += normal[d] / length * (points_[p][d] - mean[d]);
      return std::abs(off) <= flatness * size_;
    });
  }

  void add(const Loop& loop) {
    std::vector<Triangle>& faces = surface_.all.faces;
    if (loop.size() == 3) return faces.push_back({loop[0], loop[1], loop[2]});
    const auto middle = static_cast<std::uint32_t>(points_.size());
    points_.push_back(mean_of(loop));
    for (std::size_t i = 0; i < loop.size(); ++i) faces.push_back({loop[i], loop[(i + 1) % loop.size()], middle});
  }

  // Caps of the area A at a distance d cover less than A/d² of the sphere of 4π: beyond √(A/2π), with the area of all
  // caps, their winding number is below 1/2. Many holes count as one.
  void find_reaches() {
    std::vector<Hole>& holes = surface_.holes;
    constexpr std::size_t most_holes = 64;
    if (holes.size() > most_holes || (surface_.scattered && !holes.empty())) {
      holes.front().last = holes.back().last;
      holes.resize(1);
    }
    double area = 0;
    for (std::size_t f = surface_.solid; f < surface_.all.faces.size(); ++f) {
      const auto& [a, b, c] = surface_.all.faces[f];
      area += 0.5 * length_of(twice_area(points_[a], points_[b], points_[c]));
    }
    const double distance = std::sqrt(area / (2 * std::numbers::pi));
    for (Hole& hole : holes) {
      hole.reach = surface_.scattered ? surface_.bounds : extent_of(hole);
      for (std::size_t d = 0; d < 3; ++d) {
        if (surface_.scattered) continue;
        hole.reach.lower[d] -= distance;
        hole.reach.upper[d] += distance;
      }
    }
  }

  Bounds extent_of(const Hole& hole) const {
    Bounds box{{Bounds::far, Bounds::far, Bounds::far}, {-Bounds::far, -Bounds::far, -Bounds::far}};
    for (std::size_t f = hole.first; f < hole.last; ++f)
      for (const std::uint32_t corner : surface_.all.faces[f])
        for (std::size_t d = 0; d < 3; ++d) {
          box.lower[d] = std::min(box.lower[d], points_[corner][d]);
          box.upper[d] = std::max(box.upper[d], points_[corner][d]);
        }
    return box;
  }

  ClosedSurface& surface_;
  std::vector<Point>& points_;
  double size_ = 0;
};

}  // namespace

double volume_of(const Triangles& triangles) {
  if (triangles.points.empty()) return 0;
  const Point origin = triangles.points.front();
  double sum = 0;
  for (const auto& [i, j, k] : triangles.faces) {
    const Point n = twice_area(triangles.points[i], triangles.points[j], triangles.points[k]);
    for (std::size_t d = 0; d < 3; ++d) sum += n[d] * (triangles.points[i][d] - origin[d]);
  }
  return sum / 6;
}

namespace {

// Returns the volume that triangles with gaps enclose, seen from the middle of their extent.
double volume_with_gaps(const Triangles& triangles, const Bounds& bounds) {
  Triangles all = triangles;
  Point middle{};
  for (std::size_t d = 0; d < 3; ++d) middle[d] = 0.5 * (bounds.lower[d] + bounds.upper[d]);
  all.points.insert(all.points.begin(), middle);
  for (Triangle& t : all.faces)
    for (std::uint32_t& corner : t) ++corner;
  return volume_of(all);
}

Bounds bounds_of(const Triangles& triangles) {
  Bounds bounds{{Bounds::far, Bounds::far, Bounds::far}, {-Bounds::far, -Bounds::far, -Bounds::far}};
  for (const Triangle& t : triangles.faces)
    for (const std::uint32_t corner : t)
      for (std::size_t d = 0; d < 3; ++d) {
        bounds.lower[d] = std::min(bounds.lower[d], triangles.points[corner][d]);
        bounds.upper[d] = std::max(bounds.upper[d], triangles.points[corner][d]);
      }
  return bounds;
}

}  // namespace

ClosedSurface close_surface(Triangles triangles, SurfaceReport& report) {
  report = {};
  report.triangles = triangles.faces.size();
  ClosedSurface surface;
  surface.all = std::move(triangles);
  report.degenerate = merge_points(surface.all);
  report.duplicates = remove_duplicates(surface.all.faces);
  std::vector<EdgeUse> edges = edges_of(surface.all.faces);
  report.joined = join_open_corners(surface.all, edges, bounds_of(surface.all));
  if (report.joined > 0) {
    report.degenerate += merge_points(surface.all);
    report.duplicates += remove_duplicates(surface.all.faces);
    edges = edges_of(surface.all.faces);
  }
  if (surface.all.faces.empty()) throw InputError("no triangle has an area");
  surface.bounds = bounds_of(surface.all);
  orient(surface.all, edges, report);
  surface.scattered = report.apart > 0;
  for (const auto& [a, b, c] : surface.all.faces)
    report.area += 0.5 * length_of(twice_area(surface.all.points[a], surface.all.points[b], surface.all.points[c]));
  if (surface.scattered) report.volume = volume_with_gaps(surface.all, surface.bounds);
  const std::vector<Edge> missing = missing_edges(edges);
  report.open_edges = missing.size();
  Caps(surface).close(loops_of(missing), report);
  if (!surface.scattered) report.volume = volume_of(surface.all);
  constexpr double rounding = 1e-12;
  if (std::abs(report.volume) <= rounding * report.area * std::sqrt(report.area)) report.volume = 0;
  return surface;
}

}  // namespace poisson
