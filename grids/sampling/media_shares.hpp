#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "grids/problem/media.hpp"
#include "grids/sampling/media_cells.hpp"

namespace poisson {

/// Contains the shares of regions in the cells that surfaces cross, as lines along each axis find them. Lines along the
/// normal of a surface integrate it best: on a plane across them they are exact, and lines within the plane miss it or
/// lie in it. In each cell those lines count that agree best with each other.
class MediaShares {
 public:
  /// Is the part of a cell's volume that belongs to a region.
  struct Share {
    int i = 0;
    RegionNumber region = 0;
    double fraction = 0;
  };

  explicit MediaShares(const MediaCells& cells);

  /// Adds what the lines along an axis find in a cell of this process: the fractions of regions, whose sum is 1, and
  /// the variance of the lines. Different threads may add to different lines along x. For each axis, the cells of such
  /// a line come in ascending order.
  void add(std::size_t axis, const std::array<int, 3>& cell, std::span<const Share> parts, double variance);
  /// Returns the shares of the cells 0 … n − 1 of a line along x. Their sum is 1 in each cell.
  void line(const MediaCells& cells, int j, int k, std::vector<Share>& shares) const;

 private:
  struct Part {
    double fraction;
    int i;
    float variance;
    RegionNumber region;
  };
  using Row = std::vector<Part>;
  std::size_t row(int j, int k) const { return static_cast<std::size_t>(k) * ny_ + static_cast<std::size_t>(j); }

  std::size_t ny_;
  std::array<std::vector<Row>, 3> rows_;  ///< of the lines along each axis
};

}  // namespace poisson
