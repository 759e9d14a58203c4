#pragma once

#include <optional>

#include "grids/problem/quantity.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {

/// Returns the value that a function has at all nodes or cells of a block, to 13 digits. Returns nothing if the
/// function varies or if the quantity is not a function. Collective: all processes that share the block get the same
/// answer. Nearly all functions vary on a coarse lattice and cost almost nothing; otherwise the host evaluates every
/// point.
std::optional<double> only_value(const Quantity& quantity, const SampleGrid& grid, Location location);

}  // namespace poisson
