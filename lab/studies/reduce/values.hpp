#pragma once

#include "lab/harness/contents.hpp"

namespace poisson::lab {

/// Returns value i of a seed in units of 2⁻¹⁰.
constexpr int random_units(std::uint64_t seed, std::int64_t i) {
  return static_cast<int>(random_word(seed, static_cast<std::uint64_t>(i)) >> 53) - 1024;
}

namespace gpu {  // exists in builds with CUDA
void fill_values(Backend& backend, double* values, std::int64_t count, std::uint64_t seed);
}  // namespace gpu

}  // namespace poisson::lab
