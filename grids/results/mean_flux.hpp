#pragma once

#include <array>

#include "grids/schemes/discretization.hpp"

namespace poisson {

/// Returns the mean flux −κ∇u over the domain, Σ flux · area · distance of the centres / volume, for unknowns in cells.
/// `rise`: u(x + L) − u(x) along periodic axes. The backend computes it, unless bodies have fixed values. Collective.
std::array<double, 3> mean_flux(const Discretization& discretization, const Field& u,
                                const std::array<double, 3>& rise = {});

}  // namespace poisson
