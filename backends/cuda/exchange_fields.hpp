#pragma once

#include "backends/exchange_fields.hpp"

namespace poisson::cuda {

void exchange_fields(std::span<const Field* const> fields, int width);

}  // namespace poisson::cuda
