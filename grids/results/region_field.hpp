#pragma once

#include "grids/results/gather.hpp"

namespace poisson {

/// Returns the number of the region in each cell, in the order of Media::regions. The problem has media.
Pieces gather_regions(const Discretization& discretization);

}  // namespace poisson
