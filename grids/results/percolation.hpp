#pragma once

#include "grids/schemes/discretization.hpp"

namespace poisson {

/// Returns whether conducting cells connect both ends of an axis; across a periodic axis, the faces between its last
/// and its first cells are not crossed. The problem has media. Collective.
bool percolates(const Discretization& discretization, int axis);

}  // namespace poisson
