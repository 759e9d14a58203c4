#pragma once

#include "backends/utilities/transpose.hpp"

namespace poisson::cpu {

/// Runs poisson::transpose on all threads. The shape is valid.
void transpose(const Transposition& shape, const void* from, void* to);

}  // namespace poisson::cpu
