#pragma once

#include "backends/field.hpp"

namespace poisson::cuda {

/// x = 0 in the unknowns of its space, on the stream of its backend.
void clear_unknowns(Field& x);

}  // namespace poisson::cuda
