#pragma once

#include <vector>

#include "grids/operators/bands.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// Returns the bands of an operator in fp64 whose rows couple within `offsets` (forward, of reach 1), on all its
/// values. Dirichlet nodes get the rows of a natural boundary. The bands are computed from products with coloured unit
/// vectors.
Bands probe_bands(const Operator& A, std::vector<Offset> offsets);

}  // namespace poisson
