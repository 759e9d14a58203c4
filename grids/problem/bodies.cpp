#include "grids/problem/bodies.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace poisson {
namespace {

// Columns on each side, at most. Many bodies have about as many columns as there are bodies.
constexpr double most_columns = 256;

}  // namespace

BodyColumns::BodyColumns(std::span<const Bounds> bounds, std::size_t axis) : across_{(axis + 1) % 3, (axis + 2) % 3} {
  for (std::size_t e = 0; e < 2; ++e) {
    const std::size_t d = across_[e];
    double least = Bounds::far, most = -Bounds::far;
    for (const Bounds& b : bounds)
      for (const double end : {b.lower[d], b.upper[d]}) {
        if (!std::isfinite(end)) continue;
        least = std::min(least, end);
        most = std::max(most, end);
      }
    const double count = std::min(most_columns, std::ceil(2 * std::sqrt(static_cast<double>(bounds.size()))));
    const double scale = least < most ? count / (most - least) : 0;
    if (!(scale > 0) || !std::isfinite(scale)) continue;
    count_[e] = static_cast<std::size_t>(count);
    lower_[e] = least;
    scale_[e] = scale;
  }
  const auto each = [&](const auto& use) {
    for (std::size_t b = 0; b < bounds.size(); ++b) {
      const Point &lower = bounds[b].lower, &upper = bounds[b].upper;
      if (bounds[b].empty()) continue;
      for (std::size_t j = bin(1, lower[across_[1]]); j <= bin(1, upper[across_[1]]); ++j)
        for (std::size_t i = bin(0, lower[across_[0]]); i <= bin(0, upper[across_[0]]); ++i) use(i + count_[0] * j, b);
    }
  };
  begin_.assign(count_[0] * count_[1] + 1, 0);
  each([&](std::size_t column, std::size_t) { ++begin_[column + 1]; });
  for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
  numbers_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  each([&](std::size_t column, std::size_t b) { numbers_[next[column]++] = static_cast<std::uint32_t>(b); });
}

template <class F>
bool BodyColumns::visit(const Point& lower, const Point& upper, const F& f) const {
  for (std::size_t j = bin(1, lower[across_[1]]); j <= bin(1, upper[across_[1]]); ++j)
    for (std::size_t i = bin(0, lower[across_[0]]); i <= bin(0, upper[across_[0]]); ++i) {
      const std::size_t c = i + count_[0] * j;
      for (std::size_t n = begin_[c]; n < begin_[c + 1]; ++n)
        if (f(numbers_[n])) return true;
    }
  return false;
}

bool BodyColumns::near(std::span<const Bounds> bounds, const Point& lower, const Point& upper) const {
  return visit(lower, upper, [&](std::uint32_t b) { return bounds[b].meets(Bounds{lower, upper}); });
}

void Bodies::ends(std::size_t axis, std::size_t across, const Point& lower, const Point& upper,
                  std::vector<double>& ends) const {
  ends.clear();
  columns_[axis].visit(lower, upper, [&](std::uint32_t b) {
    if (bounds_[b].meets(Bounds{lower, upper})) bodies_[b].shape->add_ends(across, {lower, upper}, ends);
    return false;
  });
  std::ranges::sort(ends);
  const auto rest = std::ranges::unique(ends);
  ends.erase(rest.begin(), rest.end());
}

Bodies::Bodies(std::vector<Body> bodies, std::shared_ptr<const RegionMap> below)
    : bodies_(std::move(bodies)), below_(std::move(below)) {
  for (const Body& body : bodies_) {
    bounds_.push_back(body.shape->bounds());
    body.shape->prepare();
  }
  for (std::size_t d = 0; d < 3; ++d) columns_.emplace_back(bounds_, d);
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
      for (const std::uint32_t b : columns_[0].at(y, z)) {
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

std::optional<Copies> Bodies::copies_of(RegionNumber region) const {
  const auto of_region = [&](const Body& body) { return body.region == region; };
  const auto body = std::ranges::find_if(bodies_, of_region);
  if (body == bodies_.end() || std::ranges::count_if(bodies_, of_region) > 1) return {};
  return body->shape->copies();
}

bool Bodies::split(const Ray& ray, std::vector<Piece>& pieces) const {
  pieces.assign(1, {ray.lower, -1});
  bool met = false;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t u = (d + 1) % 3, v = (d + 2) % 3;
    if (ray.direction[u] != 0 || ray.direction[v] != 0) continue;
    for (const std::uint32_t b : columns_[d].at(ray.origin[u], ray.origin[v])) met = paint(ray, b, pieces) || met;
    return met;
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b) met = paint(ray, b, pieces) || met;
  return met;
}

// Covers the pieces of a ray by a body. Returns whether the ray meets it.
bool Bodies::paint(const Ray& ray, std::size_t body, std::vector<Piece>& pieces) const {
  if (!bounds_[body].meets(ray)) return false;
  thread_local Spans inside;
  thread_local std::vector<Piece> painted;
  bodies_[body].shape->cut(ray, inside);
  for (const auto& [lower, upper] : inside) {
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
          painted.push_back({lower, bodies_[body].region});
          painted.push_back({upper, covered});
          done = true;
        }
        painted.push_back(piece);
      }
    }
    if (!done) {
      painted.push_back({lower, bodies_[body].region});
      if (upper < ray.upper) painted.push_back({upper, covered});
    }
    pieces.swap(painted);
  }
  return !inside.empty();
}

}  // namespace poisson
