#pragma once

#include "backends/field.hpp"

namespace poisson {

/// How κ differs between neighbouring cells.
struct Jumps {
  double largest = 1;  ///< ratio
  double share = 0;    ///< of the pairs of neighbours with a ratio of 100 or more

  /// Those of another field beside this one.
  void join(const Jumps& other);
};

/// Of a host's field of cells.
Jumps jumps_between_cells(const Field& cells);

}  // namespace poisson
