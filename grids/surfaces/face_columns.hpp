#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grids/surfaces/triangles.hpp"

namespace poisson {

/// Sorts triangles into columns along an axis, so that a line along this axis meets only triangles of its column. The
/// lists lie in two flat arrays.
class FaceColumns {
 public:
  FaceColumns(const Triangles& triangles, std::size_t axis);

  /// Returns the triangles whose extents may contain the line at the given coordinates across the axis, in the order
  /// (axis + 1) % 3, (axis + 2) % 3.
  std::span<const std::uint32_t> near(double u, double v) const {
    if (!(u >= lower_[0] && u <= upper_[0] && v >= lower_[1] && v <= upper_[1])) return {};
    const std::size_t c = bin(0, u) + count_[0] * bin(1, v);
    return {faces_.data() + begin_[c], begin_[c + 1] - begin_[c]};
  }
  std::size_t bytes() const { return faces_.size() * sizeof(std::uint32_t) + begin_.size() * sizeof(std::size_t); }

 private:
  std::size_t bin(std::size_t d, double x) const {
    const double at = std::floor((x - lower_[d]) * scale_[d]);
    return static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(count_[d] - 1)));
  }
  void choose(std::size_t columns);
  template <class F>
  void visit(const Triangles& triangles, std::size_t face, const F& f) const;

  std::array<std::size_t, 2> across_{};
  std::array<double, 2> lower_{}, upper_{}, scale_{};
  std::array<std::size_t, 2> count_{1, 1};
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> faces_;
};

}  // namespace poisson
