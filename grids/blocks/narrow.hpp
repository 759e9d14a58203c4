#pragma once

#include <bit>
#include <cstdint>

namespace poisson {

/// Is the upper half of a float: its range and 8 binary digits.
struct Narrow {
  std::uint16_t bits = 0;

  constexpr Narrow() = default;
  constexpr explicit Narrow(double value) {
    const auto all = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    bits = static_cast<std::uint16_t>((all + 0x7fffU + (all >> 16 & 1U)) >> 16);  // to the nearest, ties to even
  }
  constexpr operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

}  // namespace poisson
