#pragma once

#include "backends/device/field.hpp"

namespace poisson::cuda {

/// Sets the unknowns of x to zero on the stream of its backend.
void clear_unknowns(Field& x);

}  // namespace poisson::cuda
