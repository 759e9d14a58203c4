#pragma once

#include "grids/axes/block.hpp"
#include "grids/sampling/jumps.hpp"

namespace poisson {

/// Whether rediscretized levels cost less than Galerkin operators (docs/design/coarse-operators.md): unknowns are in
/// cells, and a line through the block meets fewer than two large jumps on average.
bool few_jumps(const Jumps& jumps, const Block& block);

}  // namespace poisson
