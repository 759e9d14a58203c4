#pragma once

#include <vector>

#include "grids/operators/bands.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// The bands of an operator in fp64 whose rows couple within `offsets` (forward, of reach 1), on all its values:
/// in Dirichlet nodes the rows of a natural boundary. Read off products with coloured unit vectors.
Bands probe_bands(const Operator& A, std::vector<Offset> offsets);

}  // namespace poisson
