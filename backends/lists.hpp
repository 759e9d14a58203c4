#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/backend.hpp"

/// Lists of numbers in a backend's memory, in the order of its verbs.
namespace poisson {

/// Puts the numbers in ascending order.
void sort(Backend&, std::uint64_t* numbers, std::size_t count);
/// Each number becomes the sum of those before it.
void sum_before(Backend&, std::uint32_t* numbers, std::size_t count);

}  // namespace poisson
