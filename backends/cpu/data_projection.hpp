#pragma once

#include "backends/transforms/data_projection.hpp"

namespace poisson::cpu {

std::unique_ptr<DataProjection> make_data_projection(Backend& backend, const Space& space, const TensorDiagonal& A,
                                                     const TensorMass& mass);

}  // namespace poisson::cpu
