#pragma once

#include <vector>

#include "backends/spaces/exchange.hpp"

namespace poisson {

/// Returns the moves of one step that fill the halos of all patches of a cut grid, one value wide: each value comes
/// from the patch that owns it, also at edges and corners. The result is that of the exchange of boxes axis after axis,
/// which sends data past the ends of the grid to neighbours as well.
std::vector<Move> halo_moves(const Cuts& cuts);

}  // namespace poisson
