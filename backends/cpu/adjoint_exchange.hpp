#pragma once

#include "backends/adjoint_exchange.hpp"

namespace poisson::cpu {

std::unique_ptr<AdjointExchange> make_adjoint_exchange();

}  // namespace poisson::cpu
