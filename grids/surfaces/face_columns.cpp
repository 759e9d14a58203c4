#include "grids/surfaces/face_columns.hpp"

namespace poisson {
namespace {

constexpr std::size_t most_columns = std::size_t{1} << 22;
constexpr double most_per_side = 4096;
// Coarser columns are used if triangles lie in more of them than this, on average.
constexpr std::size_t most_per_face = 12;

}  // namespace

void FaceColumns::choose(std::size_t columns) {
  const double width = upper_[0] - lower_[0], height = upper_[1] - lower_[1];
  const auto wanted = static_cast<double>(columns);
  const double side = width > 0 && height > 0 ? std::sqrt(width * height / wanted) : std::max(width, height) / wanted;
  for (std::size_t d = 0; d < 2; ++d) {
    const double extent = upper_[d] - lower_[d];
    const double bins = side > 0 ? std::clamp(std::ceil(extent / side), 1.0, most_per_side) : 1;
    count_[d] = static_cast<std::size_t>(bins);
    scale_[d] = extent > 0 ? bins / extent : 0;
    if (!std::isfinite(scale_[d])) scale_[d] = 0;
  }
}

template <class F>
void FaceColumns::visit(const Triangles& triangles, std::size_t face, const F& f) const {
  std::array<std::size_t, 2> first{}, last{};
  for (std::size_t d = 0; d < 2; ++d) {
    const Triangle& t = triangles.faces[face];
    const double a = triangles.points[t[0]][across_[d]], b = triangles.points[t[1]][across_[d]],
                 c = triangles.points[t[2]][across_[d]];
    first[d] = bin(d, std::min({a, b, c}));
    last[d] = bin(d, std::max({a, b, c}));
  }
  f(first, last);
}

FaceColumns::FaceColumns(const Triangles& triangles, std::size_t axis) : across_{(axis + 1) % 3, (axis + 2) % 3} {
  lower_.fill(Bounds::far);
  upper_.fill(-Bounds::far);
  for (const Point& p : triangles.points)
    for (std::size_t d = 0; d < 2; ++d) {
      lower_[d] = std::min(lower_[d], p[across_[d]]);
      upper_[d] = std::max(upper_[d], p[across_[d]]);
    }
  const std::size_t faces = triangles.faces.size();
  using Bins = std::array<std::size_t, 2>;
  std::size_t columns = std::clamp<std::size_t>(faces / 2, 1, most_columns);
  for (;; columns /= 4) {
    choose(std::max<std::size_t>(columns, 1));
    std::size_t entries = 0;
    for (std::size_t f = 0; f < faces; ++f)
      visit(triangles, f, [&](const Bins& first, const Bins& last) {
        entries += (last[0] - first[0] + 1) * (last[1] - first[1] + 1);
      });
    if (entries <= most_per_face * faces || columns <= 1) break;
  }
  begin_.assign(count_[0] * count_[1] + 1, 0);
  const auto each = [&](std::size_t f, const auto& use) {
    visit(triangles, f, [&](const Bins& first, const Bins& last) {
      for (std::size_t j = first[1]; j <= last[1]; ++j)
        for (std::size_t i = first[0]; i <= last[0]; ++i) use(i + count_[0] * j);
    });
  };
  for (std::size_t f = 0; f < faces; ++f) each(f, [&](std::size_t c) { ++begin_[c + 1]; });
  for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
  faces_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t f = 0; f < faces; ++f)
    each(f, [&](std::size_t c) { faces_[next[c]++] = static_cast<std::uint32_t>(f); });
}

}  // namespace poisson
