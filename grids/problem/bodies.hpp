#pragma once

#include <array>
#include <memory>
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

  /// Returns whether a body may lie in a box.
  bool near(const Point& lower, const Point& upper) const;

  /// Is a part of a line with one region; it ends where the next one begins.
  struct Piece {
    double begin;
    int region;  ///< −1: what lies below the bodies
  };
  /// Splits a ray into pieces in the order of t. The first one begins at ray.lower. Returns false if no body meets the
  /// ray; then `pieces` has one piece.
  bool split(const Ray& ray, std::vector<Piece>& pieces) const;

 private:
  std::vector<Body> bodies_;
  std::vector<Bounds> bounds_;
  std::shared_ptr<const RegionMap> below_;
};

}  // namespace poisson
