#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/device/backend.hpp"

/// These functions process lists of numbers in a backend's memory, in the order of its verbs.
namespace poisson {

/// Sorts the numbers in ascending order.
void sort(Backend&, std::uint64_t* numbers, std::size_t count);
/// Replaces each number by the sum of the numbers before it.
void sum_before(Backend&, std::uint32_t* numbers, std::size_t count);

}  // namespace poisson
