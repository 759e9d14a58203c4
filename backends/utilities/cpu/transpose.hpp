#pragma once

#include "backends/utilities/transpose.hpp"

namespace poisson::cpu {

/// poisson::transpose on all threads; the shape is valid.
void transpose(const Transposition& shape, const void* from, void* to);

}  // namespace poisson::cpu
