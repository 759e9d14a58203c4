#pragma once

#include <memory>

#include "grids/levels/sharing.hpp"
#include "io/config/config.hpp"

namespace poisson {

/// Chooses how the processes share the grid. An axis along which a level is relaxed by lines or planes stays uncut if
/// another axis can be cut. The finest level has priority, because all processes solve the lines across a cut together.
/// Throws InputError if the requested blocks suit neither the processes nor a direct solver.
Sharing share_grid(const Config& config, const std::shared_ptr<const Processes>& processes);

}  // namespace poisson
