#pragma once

#include "backends/adjoint_exchange.hpp"

namespace poisson::cuda {

/// Returns the CUDA implementation of AdjointExchange.
std::unique_ptr<AdjointExchange> make_adjoint_exchange(Backend& backend);

}  // namespace poisson::cuda
