#pragma once

#include <vector>

#include "grids/axes/axis.hpp"

namespace poisson {

/// How the values of a coarse axis, or of a window of it, lie among the finer ones, where each of them is a finer
/// value: in the windows' own indices, of which those beyond a cut are a neighbour's.
struct CoarsePlaces {
  /// `past_end`: what stands for a coarse value that there is none.
  CoarsePlaces(const Axis& fine, const CoarseAxis& coarse, int past_end);

  std::vector<int> centre;   ///< finer values at the coarse ones −1 … n
  std::vector<int> parents;  ///< of each finer value twice the coarse one at or before it, plus 1 where it lies between
};

}  // namespace poisson
