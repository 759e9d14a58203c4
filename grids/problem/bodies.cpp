#include "grids/problem/bodies.hpp"

#include <algorithm>
#include <utility>

namespace poisson {

Bodies::Bodies(std::vector<Body> bodies, std::shared_ptr<const RegionMap> below)
    : bodies_(std::move(bodies)), below_(std::move(below)) {
  for (const Body& body : bodies_) {
    bounds_.push_back(body.shape->bounds());
    body.shape->prepare();
  }
}

void Bodies::fill(const std::array<std::vector<double>, 3>& nodes, const Box& cells,
                  std::span<RegionNumber> numbers) const {
  if (below_)
    below_->fill(nodes, cells, numbers);
  else
    std::ranges::fill(numbers, RegionNumber{0});
  const auto centre = [&](std::size_t d, int i) {
    const auto at = static_cast<std::size_t>(i);
    return nodes[d].size() < 2 ? 0 : 0.5 * (nodes[d][at] + nodes[d][at + 1]);
  };
  const auto nx = static_cast<std::size_t>(cells.last[0] - cells.first[0]);
  std::vector<double> x(nx);
  for (std::size_t i = 0; i < nx; ++i) x[i] = centre(0, cells.first[0] + static_cast<int>(i));
  std::vector<char> inside(nx);
  std::size_t line = 0;
  for (int k = cells.first[2]; k < cells.last[2]; ++k)
    for (int j = cells.first[1]; j < cells.last[1]; ++j, line += nx) {
      const double y = centre(1, j), z = centre(2, k);
      for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const Bounds& bounds = bounds_[b];
        if (y < bounds.lower[1] || y > bounds.upper[1] || z < bounds.lower[2] || z > bounds.upper[2]) continue;
        const auto first = static_cast<std::size_t>(std::ranges::lower_bound(x, bounds.lower[0]) - x.begin());
        const auto last = static_cast<std::size_t>(std::ranges::upper_bound(x, bounds.upper[0]) - x.begin());
        if (first >= last) continue;
        bodies_[b].shape->contains_along({{0, y, z}, {1, 0, 0}, x[first], x[last - 1]},
                                         std::span(x).subspan(first, last - first), inside);
        for (std::size_t i = first; i < last; ++i)
          if (inside[i - first] != 0) numbers[line + i] = bodies_[b].region;
      }
    }
}

Bounds Bodies::extent_of(RegionNumber region) const {
  Bounds all{{Bounds::far, Bounds::far, Bounds::far}, {-Bounds::far, -Bounds::far, -Bounds::far}};
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (bodies_[b].region != region) continue;
    for (std::size_t d = 0; d < 3; ++d) {
      all.lower[d] = std::min(all.lower[d], bounds_[b].lower[d]);
      all.upper[d] = std::max(all.upper[d], bounds_[b].upper[d]);
    }
  }
  return all;
}

bool Bodies::near(const Point& lower, const Point& upper) const {
  return std::ranges::any_of(bounds_, [&](const Bounds& b) {
    for (std::size_t d = 0; d < 3; ++d)
      if (b.lower[d] > upper[d] || b.upper[d] < lower[d]) return false;
    return true;
  });
}

bool Bodies::split(const Ray& ray, std::vector<Piece>& pieces) const {
  pieces.assign(1, {ray.lower, -1});
  thread_local Spans inside;
  thread_local std::vector<Piece> painted;
  bool met = false;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (!bounds_[b].meets(ray)) continue;
    bodies_[b].shape->cut(ray, inside);
    for (const auto& [lower, upper] : inside) {
      met = true;
      painted.clear();
      // Pieces before the span, the span, and the rest of the piece in which it ends.
      int covered = -1;
      bool done = false;
      for (const Piece& piece : pieces) {
        if (piece.begin < lower) {
          painted.push_back(piece);
          covered = piece.region;
        } else if (piece.begin <= upper) {
          covered = piece.region;
        } else {
          if (!done) {
            painted.push_back({lower, bodies_[b].region});
            painted.push_back({upper, covered});
            done = true;
          }
          painted.push_back(piece);
        }
      }
      if (!done) {
        painted.push_back({lower, bodies_[b].region});
        if (upper < ray.upper) painted.push_back({upper, covered});
      }
      pieces.swap(painted);
    }
  }
  return met;
}

}  // namespace poisson
