#pragma once

#include <array>
#include <cstddef>

#include "backends/memory/box.hpp"
#include "backends/spaces/exchange.hpp"
#include "backends/spaces/layout.hpp"

namespace poisson {

/// Describes the sub-block of a grid that a process owns: its layout, its place in the grid, and how the grid is cut.
/// Code for boxes asks a space for it (Space::part); other families of grids describe their patches by groups alone.
///
/// Beyond an end of the sub-block lie the values of a neighbour, which may be the sub-block itself, or the grid ends
/// there.
class GridPart {
 public:
  GridPart() = default;
  /// Represents sub-block `number` of a grid with these unknowns, which are global indices.
  GridPart(const Cuts& cuts, int number, const Box& all_unknowns);
  /// Represents an uncut grid.
  GridPart(const Layout& layout, const Box& unknowns);

  const Layout& layout() const { return layout_; }
  /// Returns its unknowns in its own indices.
  const Box& unknowns() const { return unknowns_; }
  /// Returns the global index of value (0, 0, 0).
  const std::array<int, 3>& origin() const { return origin_; }
  /// Returns how the grid is cut.
  const Cuts& cuts() const { return cuts_; }
  /// Returns the values of the global grid per axis.
  const std::array<int, 3>& all() const { return cuts_.n; }
  /// Returns the unknowns of the global grid, in global indices.
  const Box& all_unknowns() const { return all_unknowns_; }
  /// Returns a sub-block in global indices, extended by one value past each end of the grid that it reaches.
  Box with_ends(int number) const;
  /// Returns whether the sub-block reaches the lower (0) or upper (1) end of an axis.
  bool ends_here(std::size_t axis, std::size_t end) const {
    return end == 0 ? origin_[axis] == 0 : origin_[axis] + layout_.n[axis] == all()[axis];
  }
  /// Returns which axes are periodic.
  const std::array<bool, 3>& closed() const { return cuts_.periodic; }
  /// Returns the values of the largest sub-block along each axis.
  const std::array<int, 3>& most_values() const { return most_; }

 private:
  Layout layout_;
  Box unknowns_;
  std::array<int, 3> origin_{};
  Cuts cuts_;
  Box all_unknowns_;
  std::array<int, 3> most_{};
};

}  // namespace poisson
