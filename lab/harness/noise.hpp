#pragma once

#include <bit>
#include <cstdint>

namespace poisson::lab {

/// Returns random data by position. Host and device compute the same value of any element, so a comparison neither
/// transfers nor stores gigabytes. A multiply and xor-shift hash of 32 bits; position 0 does not give 0.
constexpr std::uint32_t noise(std::uint64_t position) {
  std::uint32_t h =
      static_cast<std::uint32_t>(position) ^ 0x9e3779b9u ^ static_cast<std::uint32_t>(position >> 32) * 31;
  h = (h ^ (h >> 16)) * 0x045d9f3bu;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  return h ^ (h >> 16);
}

/// Returns noise in [0, 1) with 24 bits, exact in fp32.
constexpr float noise_float(std::uint64_t position) {
  return static_cast<float>(noise(position) >> 8) * 0x1p-24f;
}

/// Fills an output before a kernel writes it. As a float it is NaN.
inline constexpr std::uint32_t poison_word = 0xffffffffu;

/// Results are compared by their bits, because an unwritten NaN equals no number.
constexpr std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

}  // namespace poisson::lab
