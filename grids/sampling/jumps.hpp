#pragma once

#include <array>
#include <optional>

#include "backends/device/field.hpp"

namespace poisson {

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
  /// Returns whether κ may have strong clusters that slow cycles down: in space if large jumps are frequent, and in the
  /// plane, where bodies of any size enclose each other, wherever there is a large jump.
  bool may_have_clusters(int dimension) const { return dimension == 2 ? share > 0 : rough(); }

  /// Includes the jumps of another field of the same grid.
  void join(const Jumps& other);
};

/// Measures a field of cells on the host. Collective.
Jumps jumps_between_cells(const Field& cells);

}  // namespace poisson
