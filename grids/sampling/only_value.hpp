#pragma once

#include <optional>

#include "grids/problem/quantity.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {

/// The value that a function has at all nodes or cells of a block, to 13 digits; none where it varies, and none of
/// other quantities. Of a block that several processes share, all of them call it, and all get the same answer. A
/// function that varies on a coarse lattice, as nearly all do, costs next to nothing; else every point is evaluated on
/// the host.
std::optional<double> only_value(const Quantity& quantity, const SampleGrid& grid, Location location);

}  // namespace poisson
