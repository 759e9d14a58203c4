#pragma once

#include <array>
#include <optional>

#include "backends/field.hpp"

namespace poisson {

/// How the couplings κ/h² of the axes differ: entry [a][b] is the share of cells, from 0 to 1, in which the coupling
/// along axis a exceeds that along axis b by more than a factor of 4.
using Imbalance = std::array<std::array<double, 3>, 3>;

/// How κ differs between neighbouring cells.
struct Jumps {
  static constexpr double large = 100, steep = 4, wide = 10;
  double largest = 1;  ///< ratio of neighbours
  double range = 1;    ///< ratio of any two cells
  double share = 0;    ///< of the pairs of neighbours with a large ratio
  /// The share of cells that differ by a factor of at least `steep` from their neighbour along each axis.
  std::array<double, 3> steep_along{};
  /// Of smooth κ of a wide range: Σ |Δ log κ| along a line through the grid, the mean of all lines along the axis that
  /// has most. It hardly depends on the number of cells.
  double variation = 0;
  /// Where κ differs between the axes. Else it follows from the widths of cells.
  std::optional<Imbalance> imbalance;

  /// Whether κ goes through a wide range without a steep step between neighbours.
  bool smooth_and_wide() const { return range >= wide && largest < steep; }
  /// Whether the large ones are many, as where κ is random from cell to cell.
  bool rough() const { return share >= 0.05; }

  /// Those of another field beside this one.
  void join(const Jumps& other);
};

/// Of a host's field of cells.
Jumps jumps_between_cells(const Field& cells);

}  // namespace poisson
