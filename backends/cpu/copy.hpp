#pragma once

#include <cstddef>

#include "backends/device/backend.hpp"

namespace poisson::cpu {

/// Copies `from` to `to` on all threads; each copies a contiguous share.
void copy(Backend& backend, const void* from, void* to, std::size_t bytes);

}  // namespace poisson::cpu
