#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/backend.hpp"

namespace poisson::lab {

// What stands in a backend's memory, for arrays too large to go through the host: written and compared where they lie.

/// 64 random bits for every index: the mixing function of splitmix64 (Steele, Lea, Flood 2014).
constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xD1B54A32D192ED03ULL + (index + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// Fills so many bytes with the words of a seed; the last word may be cut.
void fill_random(Backend& backend, void* data, std::size_t bytes, std::uint64_t seed);
/// Sets all bits: NaN in every floating-point format, so that what is not written shows.
void poison(Backend& backend, void* data, std::size_t bytes);
/// Number of bytes in which two arrays differ. Waits.
std::size_t differing_bytes(Backend& backend, const void* a, const void* b, std::size_t bytes);
/// The backend's own copy: of the driver, or memcpy on all threads.
void copy_bytes(Backend& backend, const void* from, void* to, std::size_t bytes);

namespace gpu {  // defined in builds with CUDA
void fill_random(Backend& backend, void* data, std::size_t bytes, std::uint64_t seed);
void poison(Backend& backend, void* data, std::size_t bytes);
std::size_t differing_bytes(Backend& backend, const void* a, const void* b, std::size_t bytes);
void copy_bytes(Backend& backend, const void* from, void* to, std::size_t bytes);
}  // namespace gpu

}  // namespace poisson::lab
