#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/device/backend.hpp"

namespace poisson::lab {

// These functions fill and compare device arrays in place, because the arrays are too large to copy through the host.

/// Returns 64 random bits for an index: the mixing function of splitmix64 (Steele, Lea, Flood 2014).
constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xD1B54A32D192ED03ULL + (index + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// Fills `bytes` bytes with the words of `seed`. The last word may be cut.
void fill_random(Backend& backend, void* data, std::size_t bytes, std::uint64_t seed);
/// Sets all bits: NaN in every floating-point format, so that unwritten elements show.
void poison(Backend& backend, void* data, std::size_t bytes);
/// Waits, and returns the number of bytes in which two arrays differ.
std::size_t differing_bytes(Backend& backend, const void* a, const void* b, std::size_t bytes);
/// Copies by the backend's own means: the copy of the driver, or memcpy on all threads.
void copy_bytes(Backend& backend, const void* from, void* to, std::size_t bytes);

namespace gpu {  // exists in builds with CUDA
void fill_random(Backend& backend, void* data, std::size_t bytes, std::uint64_t seed);
void poison(Backend& backend, void* data, std::size_t bytes);
std::size_t differing_bytes(Backend& backend, const void* a, const void* b, std::size_t bytes);
void copy_bytes(Backend& backend, const void* from, void* to, std::size_t bytes);
}  // namespace gpu

}  // namespace poisson::lab
