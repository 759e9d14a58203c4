#pragma once

#include <bit>
#include <cstdint>

namespace poisson {

/// Is a number with the range of a float and `digits` binary digits behind the point. Numbers below that range are
/// zero.
template <int digits>
struct LongNarrow {
  std::uint64_t bits = 0;  ///< sign, 8 digits of the exponent, those of the mantissa

  constexpr explicit LongNarrow(double value) {
    const auto all = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t size = ((all & ~sign) + (std::uint64_t{1} << (dropped - 1))) >> dropped;  // to the nearest
    if (size >= least + (std::uint64_t{1} << digits)) bits = (size - least) | (all & sign) >> (63 - of_size);
  }
  constexpr explicit LongNarrow(std::uint64_t of) : bits(of) {}
  constexpr double value() const {
    const std::uint64_t size = bits & ((std::uint64_t{1} << of_size) - 1);
    return std::bit_cast<double>(size == 0 ? 0 : (size + least) << dropped | (bits >> of_size) << 63);
  }

 private:
  static constexpr int of_size = digits + 8, dropped = 52 - digits;
  static constexpr std::uint64_t sign = std::uint64_t{1} << 63, least = std::uint64_t{1023 - 127} << digits;
};

/// Is the lower part of a LongNarrow whose upper part is a float, rounded to the nearest. A number of both parts is
/// exact to 1.4e-12 of itself.
struct ShortRest {
  std::uint16_t bits = 0;

  constexpr ShortRest() = default;
  constexpr explicit ShortRest(double value) {
    const std::int64_t upper = std::int64_t{std::bit_cast<std::uint32_t>(static_cast<float>(value))} << 16,
                       apart = static_cast<std::int64_t>(LongNarrow<39>(value).bits) - upper;
    if ((upper & ~(std::int64_t{1} << 47)) == 0) return;  // a float of zero has no rest
    bits = static_cast<std::uint16_t>(apart > 0x7fff ? 0x7fff : apart < -0x8000 ? -0x8000 : apart);
  }
  /// Returns the number.
  static constexpr double join(float upper, std::uint32_t bits) {
    return LongNarrow<39>(std::uint64_t{std::bit_cast<std::uint32_t>(upper) - (bits >> 15)} << 16 | bits).value();
  }
  constexpr double with(float upper) const { return join(upper, bits); }
};

/// Is the upper part of a LongNarrow, rounded: the range of a float and 8 binary digits.
struct Narrow {
  std::uint16_t bits = 0;

  constexpr Narrow() = default;
  constexpr explicit Narrow(double value)
      : bits(static_cast<std::uint16_t>((LongNarrow<31>(value).bits + 0x800000U) >> 24)) {}
  constexpr operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

/// Is the lower part of a LongNarrow, in three bytes. A number of both parts is exact to 2.4e-10 of itself.
struct NarrowRest {
  std::uint8_t byte[3] = {};

  constexpr NarrowRest() = default;
  constexpr explicit NarrowRest(double value) {
    const std::uint64_t bits = LongNarrow<31>(value).bits;
    for (int b = 0; b < 3; ++b) byte[b] = static_cast<std::uint8_t>(bits >> (8 * b));
  }
  constexpr std::uint32_t bits() const {
    return std::uint32_t{byte[0]} | std::uint32_t{byte[1]} << 8 | std::uint32_t{byte[2]} << 16;
  }
  /// Returns the number. The upper part was rounded up if the first digit of the lower one is set.
  static constexpr double join(Narrow upper, std::uint32_t bits) {
    return LongNarrow<31>(std::uint64_t{upper.bits - (bits >> 23)} << 24 | bits).value();
  }
  constexpr double with(Narrow upper) const { return join(upper, bits()); }
};

/// Contains the bits of four lower parts.
struct FourRests {
  std::uint32_t bits[4];
};
/// Loads four lower parts, of which the first one begins at a multiple of four bytes, as three words.
template <class Word = std::uint32_t>
constexpr FourRests load_rests(const NarrowRest* from) {
  const Word* const words = reinterpret_cast<const Word*>(from);
  const Word a = words[0], b = words[1], c = words[2];
  return {{a & 0xFFFFFFU, a >> 24 | (b & 0xFFFFU) << 8, b >> 16 | (c & 0xFFU) << 16, c >> 8}};
}

}  // namespace poisson
