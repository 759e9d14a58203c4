#pragma once

#include "backends/utilities/transpose.hpp"

namespace poisson::cuda {

/// Runs poisson::transpose on the stream of a CUDA backend. The shape is valid.
void transpose(Backend& backend, const Transposition& shape, const void* from, void* to);

}  // namespace poisson::cuda
