#pragma once

#include <bit>
#include <cstdint>

namespace poisson {

/// Is a number with the range of a float and 40 binary digits: one before the point and 39 behind it. Numbers below
/// that range are zero.
struct LongNarrow {
  std::uint64_t bits = 0;  ///< sign, 8 digits of the exponent, 39 of the mantissa

  constexpr explicit LongNarrow(double value) {
    const auto all = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t size = ((all & ~sign) + (std::uint64_t{1} << (dropped - 1))) >> dropped;  // to the nearest
    if (size >= least + (std::uint64_t{1} << 39)) bits = (size - least) | (all & sign) >> (63 - 47);
  }
  constexpr explicit LongNarrow(std::uint64_t of) : bits(of) {}
  constexpr double value() const {
    const std::uint64_t size = bits & ((std::uint64_t{1} << 47) - 1);
    return std::bit_cast<double>(size == 0 ? 0 : (size + least) << dropped | (bits >> 47) << 63);
  }

 private:
  static constexpr int dropped = 52 - 39;
  static constexpr std::uint64_t sign = std::uint64_t{1} << 63, least = std::uint64_t{1023 - 127} << 39;
};

/// Is the lower part of a LongNarrow whose upper part is a float, rounded to the nearest. A number of both parts is
/// exact to 1.4e-12 of itself.
struct ShortRest {
  std::uint16_t bits = 0;

  constexpr ShortRest() = default;
  constexpr explicit ShortRest(double value) {
    const std::int64_t upper = std::int64_t{std::bit_cast<std::uint32_t>(static_cast<float>(value))} << 16,
                       apart = static_cast<std::int64_t>(LongNarrow(value).bits) - upper;
    if ((upper & ~(std::int64_t{1} << 47)) == 0) return;  // a float of zero has no rest
    bits = static_cast<std::uint16_t>(apart > 0x7fff ? 0x7fff : apart < -0x8000 ? -0x8000 : apart);
  }
  /// Returns the number.
  constexpr double with(float upper) const {
    return LongNarrow(std::uint64_t{std::bit_cast<std::uint32_t>(upper) - (bits >> 15)} << 16 | bits).value();
  }
};

/// Is the upper part of a LongNarrow, rounded: the range of a float and 8 binary digits.
struct Narrow {
  std::uint16_t bits = 0;

  constexpr Narrow() = default;
  constexpr explicit Narrow(double value)
      : bits(static_cast<std::uint16_t>((LongNarrow(value).bits + 0x80000000U) >> 32)) {}
  constexpr operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

/// Is the lower part of a LongNarrow. A number of both parts is exact to 9.1e-13 of itself.
struct NarrowRest {
  std::uint32_t bits = 0;

  constexpr NarrowRest() = default;
  constexpr explicit NarrowRest(double value) : bits(static_cast<std::uint32_t>(LongNarrow(value).bits)) {}
  /// Returns the number. The upper part was rounded up if the first digit of the lower one is set.
  constexpr double with(Narrow upper) const {
    return LongNarrow(std::uint64_t{upper.bits - (bits >> 31)} << 32 | bits).value();
  }
};

}  // namespace poisson
