#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "grids/problem/shapes.hpp"
#include "grids/sampling/media_cells.hpp"

namespace poisson {

/// Numbers the separate copies of the floating regions of a grid. A copy may lie between the centres of cells.
class BodyCopies {
 public:
  explicit BodyCopies(const MediaCells& cells);

  /// Is a copy of a region; copies that are images of one another across periodic ends have one number.
  struct Copy {
    RegionNumber region = 0;
    std::int64_t number = 0;
    auto operator<=>(const Copy&) const = default;
  };
  struct Place {
    Copy copy;
    std::array<std::int8_t, 3> periods{};  ///< of each axis, from the image with this number
  };
  /// Returns whether a region consists of separate copies. All others have only copy 0.
  bool separate(RegionNumber region) const { return copies_[region].has_value(); }
  /// Returns the copy of a region that is nearest to a point.
  Place at(RegionNumber region, const Point& point) const;
  /// Returns how many copies of a region may lie in the grid; 1 without separate copies.
  std::size_t count_in_grid(RegionNumber region) const;

 private:
  /// Is a row of copies along an axis: copies `period` further are images, which lie `windings` periods of it away.
  struct Row {
    int period = 1, windings = 0;
  };

  std::array<double, 3> lower_{}, upper_{};    ///< of the grid
  std::vector<std::optional<Copies>> copies_;  ///< of each region
  std::vector<std::array<Row, 3>> rows_;       ///< of each region
};

}  // namespace poisson
