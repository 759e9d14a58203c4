#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace poisson {

struct Block;

/// Measures how the couplings κ/h² of the axes differ. Entry [a][b] is the share of cells, from 0 to 1, in which the
/// coupling along axis a exceeds the coupling along axis b by more than a factor of 4.
using Imbalance = std::array<std::array<double, 3>, 3>;

/// Measures how κ differs between neighbouring cells.
struct Jumps {
  static constexpr double large = 100, steep = 4, wide = 10;
  double largest = 1;  ///< ratio of neighbours
  double range = 1;    ///< covers any two cells
  double share = 0;    ///< counts the pairs of neighbours with a large ratio
  /// The share of cells that differ by a factor of at least `steep` from their neighbour along each axis.
  std::array<double, 3> steep_along{};
  /// For smooth κ of a wide range, this is Σ |Δ log κ| along a line through the grid: the mean over all lines of one
  /// axis, for the axis with the largest mean. It hardly depends on the number of cells.
  double variation = 0;
  /// This is set if κ differs between the axes. Otherwise the imbalance follows from the widths of cells.
  std::optional<Imbalance> imbalance;

  /// Returns whether κ has a wide range but no steep step between neighbours.
  bool smooth_and_wide() const { return range >= wide && largest < steep; }
  /// Returns whether large jumps are frequent, for example because κ is random from cell to cell.
  bool rough() const { return share >= 0.05; }
  /// Includes the jumps of another field of the same grid.
  void join(const Jumps& other);
};

/// Returns the number of large jumps that a line through the block meets, as a mean over its axes.
double large_jumps_of_line(const Jumps&, const Block&);

/// Returns whether a box in space has few cells along one axis and more along the others.
bool is_thin(const Block&);

/// Returns whether strong clusters may slow cycles down: if large jumps are frequent, and in the plane and in thin
/// boxes, where bodies of any size enclose each other, also if lines meet many of them.
bool may_have_clusters(const Jumps&, const Block&);

}  // namespace poisson
