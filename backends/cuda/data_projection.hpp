#pragma once

#include "backends/transforms/data_projection.hpp"

namespace poisson::cuda {

/// Returns the CUDA implementation of DataProjection.
std::unique_ptr<DataProjection> make_data_projection(Backend& backend, const Space& space, const TensorDiagonal& A,
                                                     const TensorMass& mass);

}  // namespace poisson::cuda
