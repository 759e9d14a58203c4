#pragma once

#include <cstddef>

#include "backends/backend.hpp"

namespace poisson::cpu {

/// to = from by all threads, each a contiguous share.
void copy(Backend& backend, const void* from, void* to, std::size_t bytes);

}  // namespace poisson::cpu
