#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/device/backend.hpp"

/// Implements backends/device/lists.hpp on a GPU.
namespace poisson::cuda {

void sort(Backend&, std::uint64_t* numbers, std::size_t count);
void sum_before(Backend&, std::uint32_t* numbers, std::size_t count);

}  // namespace poisson::cuda
