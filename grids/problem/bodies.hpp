#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "grids/problem/media.hpp"
#include "grids/problem/shapes.hpp"

namespace poisson {

/// Is a shape that a region fills.
struct Body {
  ShapePtr shape;
  RegionNumber region = 0;
};

/// Sorts boxes into columns along an axis, so that a line along this axis asks only the bodies of its column.
class BodyColumns {
 public:
  BodyColumns(std::span<const Bounds> bounds, std::size_t axis);

  /// Returns the numbers of the boxes, in ascending order, that a line at the coordinates u and v across the axis may
  /// meet. u and v follow the order (axis + 1) % 3, (axis + 2) % 3.
  std::span<const std::uint32_t> at(double u, double v) const {
    const std::size_t c = bin(0, u) + count_[0] * bin(1, v);
    return {numbers_.data() + begin_[c], begin_[c + 1] - begin_[c]};
  }
  /// Returns whether one of the boxes may lie in a box that extends along the whole axis.
  bool near(std::span<const Bounds> bounds, const Point& lower, const Point& upper) const;
  /// Calls f(number) for the boxes in the columns of a box, until it returns true; some come several times.
  template <class F>
  bool visit(const Point& lower, const Point& upper, const F& f) const;

 private:
  std::size_t bin(std::size_t e, double x) const {
    if (count_[e] == 1) return 0;
    return static_cast<std::size_t>(std::clamp((x - lower_[e]) * scale_[e], 0.0, static_cast<double>(count_[e] - 1)));
  }

  std::array<std::size_t, 2> across_;
  std::array<double, 2> lower_{}, scale_{};
  std::array<std::size_t, 2> count_{1, 1};
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> numbers_;
};

/// Is a list of bodies over other regions. Later bodies cover earlier ones.
class Bodies final : public RegionMap {
 public:
  /// `below` has the regions where no body is; null: region 0 everywhere.
  Bodies(std::vector<Body> bodies, std::shared_ptr<const RegionMap> below);

  void fill(const std::array<std::vector<double>, 3>& nodes, const Box& cells,
            std::span<RegionNumber> numbers) const override;
  const std::shared_ptr<const RegionMap>& below() const { return below_; }
  /// Returns the extent of all bodies of a region, for messages.
  Bounds extent_of(RegionNumber region) const;
  /// Returns the copies of which a region consists, or none if another shape belongs to it, or boxes of copies meet.
  std::optional<Copies> copies_of(RegionNumber region) const;

  /// Returns whether a body may lie in a box that extends along the whole axis.
  bool near(std::size_t axis, const Point& lower, const Point& upper) const {
    return columns_[axis].near(bounds_, lower, upper);
  }

  /// Replaces `ends` by the places within such a box where shapes end along another axis, in ascending order: planes
  /// across the axis are among them.
  void ends(std::size_t axis, std::size_t across, const Point& lower, const Point& upper,
            std::vector<double>& ends) const;

  /// Is a part of a line with one region; it ends where the next one begins.
  struct Piece {
    double begin;
    int region;  ///< −1: what lies below the bodies
  };
  /// Splits a ray into pieces in the order of t. The first one begins at ray.lower. Returns false if no body meets the
  /// ray; then `pieces` has one piece.
  bool split(const Ray& ray, std::vector<Piece>& pieces) const;

 private:
  bool paint(const Ray& ray, std::size_t body, std::vector<Piece>& pieces) const;

  std::vector<Body> bodies_;
  std::vector<Bounds> bounds_;
  std::vector<BodyColumns> columns_;  ///< along each axis
  std::shared_ptr<const RegionMap> below_;
};

}  // namespace poisson
