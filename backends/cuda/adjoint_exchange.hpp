#pragma once

#include "backends/adjoint_exchange.hpp"

namespace poisson::cuda {

std::unique_ptr<AdjointExchange> make_adjoint_exchange(Backend& backend);

}  // namespace poisson::cuda
