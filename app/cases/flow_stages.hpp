#pragma once

#include <array>

#include "grids/schemes/discretization.hpp"
#include "io/config/config.hpp"
#include "solver/flow_stages.hpp"

namespace poisson {

/// Returns the stages of a solve that ends by its flows: when they have settled (solver.flow_tolerance), or, for the
/// field `flux`, when they balance in every cell. Without either, it returns no stages. The arguments must outlive the
/// solves. `rise`: u(x + L) − u(x) along periodic axes. Collective, and so are the stages.
Solver::Stages flow_stages(const Config& config, const std::array<double, 3>& rise, const Discretization& d,
                           Solver& solver);

/// Returns whether a run writes the field `flux` or fluxes through faces.
bool writes_flux(const Config& config);

}  // namespace poisson
