#pragma once

#include "backends/transforms/diagonal_scaling.hpp"

namespace poisson::cuda {

/// Returns the CUDA implementation of DiagonalScaling.
std::unique_ptr<DiagonalScaling> make_diagonal_scaling(const TensorDiagonal& L, const Field& diagonal);

}  // namespace poisson::cuda
