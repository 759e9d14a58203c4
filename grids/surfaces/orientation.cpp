// Finds the side of triangles that is outside.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "grids/surfaces/crossing.hpp"
#include "grids/surfaces/face_columns.hpp"
#include "grids/surfaces/surface_edges.hpp"
#include "grids/surfaces/triangle_tree.hpp"

namespace poisson {
namespace {

constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();

// Is a connected part of the triangles: neighbours across edges that two triangles share.
struct Part {
  std::size_t faces = 0, turned = 0;
  Bounds bounds{{Bounds::far, Bounds::far, Bounds::far}, {-Bounds::far, -Bounds::far, -Bounds::far}};
  Point rim{};  // mean of the corners on open edges, or the centre
  std::size_t rim_corners = 0;
  double volume = 0, area = 0;
  std::uint32_t face = 0;  // one of its triangles
  bool outermost_turned = false;
};

// An open part whose volume is at most this share of its area to the power 3/2 is flat.
constexpr double flat = 1e-9;

void turn(Triangle& t) {
  std::swap(t[1], t[2]);
}

class Orientation {
 public:
  Orientation(Triangles& triangles, const std::vector<EdgeUse>& edges) : triangles_(triangles), edges_(edges) {}

  // Gives neighbours the same orientation: that of the majority.
  void agree() {
    link();
    part_.assign(triangles_.faces.size(), unknown);
    turned_.assign(triangles_.faces.size(), 0);
    for (std::uint32_t f = 0; f < part_.size(); ++f)
      if (part_[f] == unknown) spread(f);
    find_extents();
    for (std::size_t f = 0; f < part_.size(); ++f) {
      const Part& part = parts_[part_[f]];
      if (2 * part.turned > part.faces) turned_[f] ^= 1;
      if (turned_[f] != 0) turn(triangles_.faces[f]);
    }
  }

  void face_outwards() {
    find_volumes();
    apart_ = std::ranges::any_of(parts_, [](const Part& p) {
      return p.rim_corners > 0 && std::abs(p.volume) <= flat * p.area * std::sqrt(p.area);
    });
    std::vector<char> inward(parts_.size());
    if (apart_) turn_open_parts(inward);
    const bool nested = parts_.size() > 1 && std::ranges::any_of(parts_, [](const Part& p) { return p.volume < 0; });
    std::vector<std::vector<std::uint32_t>> containers(parts_.size());
    if (nested) find_containers(containers);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (apart_ && parts_[p].rim_corners > 0) continue;
      const auto& around = containers[p];
      const auto outermost = std::ranges::find_if(around, [&](std::uint32_t c) { return containers[c].empty(); });
      const bool with_it = outermost != around.end() && parts_[*outermost].volume < 0;
      const bool negative = (parts_[p].volume < 0) != with_it;
      const bool cavity = around.size() % 2 == 1;
      inward[p] = with_it != (negative && !cavity) ? 1 : 0;
    }
    for (std::size_t f = 0; f < part_.size(); ++f)
      if (inward[part_[f]] != 0) {
        turn(triangles_.faces[f]);
        turned_[f] ^= 1;
      }
  }

  bool turned(std::uint32_t face) const { return turned_[face] != 0; }

  void count(SurfaceReport& report) const {
    std::vector<std::size_t> turned(parts_.size());
    for (std::size_t f = 0; f < part_.size(); ++f) turned[part_[f]] += static_cast<std::size_t>(turned_[f]);
    for (std::size_t p = 0; p < parts_.size(); ++p)
      (turned[p] == parts_[p].faces ? report.inward : report.flipped) += turned[p];
    report.parts = parts_.size();
    report.apart =
        apart_
            ? static_cast<std::size_t>(std::ranges::count_if(parts_, [](const Part& p) { return p.rim_corners > 0; }))
            : 0;
  }

 private:
  // Lists for each triangle its neighbours across edges of exactly two triangles.
  void link() {
    neighbour_.assign(triangles_.faces.size(), {unknown, unknown, unknown});
    for_each_edge(edges_, [&](std::span<const EdgeUse> uses) {
      if (uses.size() != 2) return;
      for (std::size_t u = 0; u < 2; ++u) {
        const EdgeUse &own = uses[u], &other = uses[1 - u];
        const Triangle& t = triangles_.faces[own.face];
        for (std::size_t c = 0; c < 3; ++c)
          if (t[c] == (own.forward ? own.low : own.high) && t[(c + 1) % 3] == (own.forward ? own.high : own.low))
            neighbour_[own.face][c] = other.face << 1 | (own.forward == other.forward ? 1u : 0u);
      }
    });
  }

  void spread(std::uint32_t start) {
    const auto number = static_cast<std::uint32_t>(parts_.size());
    Part& part = parts_.emplace_back();
    part.face = start;
    std::vector<std::uint32_t> waiting{start};
    part_[start] = number;
    while (!waiting.empty()) {
      const std::uint32_t f = waiting.back();
      waiting.pop_back();
      ++part.faces;
      part.turned += static_cast<std::size_t>(turned_[f]);
      for (const std::uint32_t link : neighbour_[f]) {
        const std::uint32_t other = link >> 1;
        if (link == unknown || part_[other] != unknown) continue;
        part_[other] = number;
        turned_[other] = static_cast<char>(turned_[f] ^ static_cast<char>(link & 1));
        waiting.push_back(other);
      }
    }
  }

  // Finds extents, and the middle of the rim of an open part.
  void find_extents() {
    for (std::size_t f = 0; f < part_.size(); ++f) {
      Part& part = parts_[part_[f]];
      for (std::size_t c = 0; c < 3; ++c) {
        const Point& p = triangles_.points[triangles_.faces[f][c]];
        for (std::size_t d = 0; d < 3; ++d) {
          part.bounds.lower[d] = std::min(part.bounds.lower[d], p[d]);
          part.bounds.upper[d] = std::max(part.bounds.upper[d], p[d]);
        }
        if (neighbour_[f][c] != unknown) continue;
        for (std::size_t d = 0; d < 3; ++d) part.rim[d] += p[d];
        ++part.rim_corners;
      }
    }
    for (Part& part : parts_)
      for (std::size_t d = 0; d < 3; ++d)
        part.rim[d] = part.rim_corners > 0 ? part.rim[d] / static_cast<double>(part.rim_corners)
                                           : 0.5 * (part.bounds.lower[d] + part.bounds.upper[d]);
  }

  // Computes volumes. A cone over the rim closes an open part.
  void find_volumes() {
    for (std::size_t f = 0; f < part_.size(); ++f) {
      Part& part = parts_[part_[f]];
      std::array<Point, 3> r{};
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t d = 0; d < 3; ++d) r[c][d] = triangles_.points[triangles_.faces[f][c]][d] - part.rim[d];
      const auto& [a, b, c] = r;
      const Point x{b[0] - a[0], b[1] - a[1], b[2] - a[2]}, y{c[0] - a[0], c[1] - a[1], c[2] - a[2]};
      const Point n{x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
      part.area += 0.5 * std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      part.volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                      a[2] * (b[0] * c[1] - b[1] * c[0])) /
                     6;
    }
  }

  // Parts that enclose nothing alone have their outside from the other parts, and their volumes say nothing.
  void turn_open_parts(std::vector<char>& inward) {
    std::vector<std::vector<std::uint32_t>> faces(parts_.size());
    for (std::uint32_t f = 0; f < part_.size(); ++f)
      if (parts_[part_[f]].rim_corners > 0) faces[part_[f]].push_back(f);
    const TriangleTree tree(triangles_, 0, triangles_.faces.size());
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (faces[p].empty()) continue;
      inward[p] = faces_inwards(triangles_, tree, faces[p]) ? 1 : 0;
      parts_[p].volume = 0;
    }
  }

  // Lists the parts that contain each part: those that a ray from one of its corners crosses an odd number of times.
  void find_containers(std::vector<std::vector<std::uint32_t>>& containers) const {
    const FaceColumns columns(triangles_, 0);
    std::vector<std::uint32_t> crossed;
    for (std::uint32_t p = 0; p < parts_.size(); ++p) {
      const Point& from = triangles_.points[triangles_.faces[parts_[p].face][0]];
      const RayFrame ray(Ray{{0, from[1], from[2]}, {1, 0, 0}});
      crossed.clear();
      for (const std::uint32_t f : columns.near(from[1], from[2])) {
        if (part_[f] == p || (apart_ && parts_[part_[f]].rim_corners > 0)) continue;
        const auto& [a, b, c] = triangles_.faces[f];
        const Crossing crossing = crossing_of(ray, triangles_.points[a], triangles_.points[b], triangles_.points[c]);
        if (crossing.sign != 0 && crossing.t < from[0]) crossed.push_back(part_[f]);
      }
      std::ranges::sort(crossed);
      for (std::size_t first = 0, last = 0; first < crossed.size(); first = last) {
        while (last < crossed.size() && crossed[last] == crossed[first]) ++last;
        if ((last - first) % 2 == 1) containers[p].push_back(crossed[first]);
      }
    }
  }

  Triangles& triangles_;
  const std::vector<EdgeUse>& edges_;
  std::vector<std::array<std::uint32_t, 3>> neighbour_;  // twice the number, + 1 if the orientations disagree
  std::vector<std::uint32_t> part_;
  std::vector<char> turned_;
  std::vector<Part> parts_;
  bool apart_ = false;  // some open parts enclose nothing alone
};

}  // namespace

void orient(Triangles& triangles, std::vector<EdgeUse>& edges, SurfaceReport& report) {
  Orientation orientation(triangles, edges);
  orientation.agree();
  orientation.face_outwards();
  orientation.count(report);
  for (EdgeUse& use : edges) use.forward = use.forward != orientation.turned(use.face);
}

}  // namespace poisson
