#pragma once

#include <vector>

#include "grids/axes/axis.hpp"

namespace poisson {

/// Maps the values of a coarse axis, or of a window of it, to finer values, if each coarse value is also a finer value.
/// All indices are local to the windows. Indices beyond a cut belong to a neighbour.
struct CoarsePlaces {
  /// `past_end` replaces the index of a coarse value that does not exist.
  CoarsePlaces(const Axis& fine, const CoarseAxis& coarse, int past_end);

  std::vector<int> centre;   ///< finer values at the coarse values −1 … n
  std::vector<int> parents;  ///< per finer value: twice the coarse one at or before it, plus 1 if it lies between
};

}  // namespace poisson
