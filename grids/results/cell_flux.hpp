#pragma once

#include "grids/results/gather.hpp"

namespace poisson {

/// Returns the flux −κ∇u at the centres of cells, with `dimension` components, for unknowns at nodes, too: there ∂u/∂x
/// is the mean slope of a cell's edges along x, and κ that of the cell. NaN in cells that left the system. Collective.
Pieces gather_cell_flux(const Discretization& discretization, const Field& u);

}  // namespace poisson
