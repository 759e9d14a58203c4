#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "backends/memory/box.hpp"
#include "grids/problem/bodies.hpp"

namespace poisson {

class MediaCells;

/// Contains the shares of faces and cells that insulators close, for sharp surfaces. Lengths on lines in the faces are
/// exact; areas and volumes are sums over such lines. Only cells that a surface cuts are stored.
class MediaOpenings {
 public:
  /// Cuts the faces and cells of `cells`, whose regions are those of the centres.
  explicit MediaOpenings(const MediaCells& cells);

  /// Is a cell that a surface cuts, with the closed shares of the faces below it and of its volume.
  struct Cut {
    int i = 0;
    std::array<float, 3> faces{};
    float volume = 0;
  };
  /// Returns the cells that are stored, with one more layer at upper ends for its faces.
  const Box& box() const { return box_; }
  /// Returns a cut cell, or null if the cell is not cut.
  const Cut* find(int i, int j, int k) const;
  /// Returns the cut cells of a line along x, in ascending order.
  const std::vector<Cut>& line(int j, int k) const { return lines_[number(j, k)]; }

 private:
  class Plane;
  std::size_t axis_across(const MediaCells& cells, const Cut& cut, int j, int k) const;
  std::size_t number(int j, int k) const {
    return static_cast<std::size_t>(k - box_.first[2]) * static_cast<std::size_t>(box_.last[1] - box_.first[1]) +
           static_cast<std::size_t>(j - box_.first[1]);
  }

  Box box_;
  std::vector<std::vector<Cut>> lines_;
};

}  // namespace poisson
