#pragma once

#include "backends/field.hpp"

namespace poisson {

/// How κ differs between neighbouring cells.
struct Jumps {
  static constexpr double large = 100;
  double largest = 1;  ///< ratio of neighbours
  double range = 1;    ///< ratio of any two cells
  double share = 0;    ///< of the pairs of neighbours with a large ratio

  /// Whether the large ones are many, as where κ is random from cell to cell.
  bool rough() const { return share >= 0.05; }

  /// Those of another field beside this one.
  void join(const Jumps& other);
};

/// Of a host's field of cells.
Jumps jumps_between_cells(const Field& cells);

}  // namespace poisson
