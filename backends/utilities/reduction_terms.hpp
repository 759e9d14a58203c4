#pragma once

#include <bit>
#include <cstdint>

#include "backends/utilities/reduce.hpp"

namespace poisson {

/// These classes define the term that a value, or a pair of values, adds to a reduction, and how two partial results
/// combine. They call nothing of the standard library, so every backend compiles them.
namespace reduction {

constexpr std::uint64_t magnitude_bits(double x) {
  return std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63);
}
constexpr double magnitude(double x) {
  return std::bit_cast<double>(magnitude_bits(x));
}

struct Added {
  static constexpr bool pairs = false;
  static constexpr double combine(double a, double b) { return a + b; }
};
struct Sum : Added {
  static constexpr double term(double x) { return x; }
};
struct OneNorm : Added {
  static constexpr double term(double x) { return magnitude(x); }
};
struct SquareNorm : Added {
  static constexpr double term(double x) { return x * x; }
};
struct Dot : Added {
  static constexpr bool pairs = true;
  static constexpr double term(double x, double y) { return x * y; }
};
struct MaxNorm {
  static constexpr bool pairs = false;
  static constexpr double term(double x) { return magnitude(x); }
  /// The bits of magnitudes are ordered like the magnitudes, and a NaN has larger bits than infinity. A NaN therefore
  /// wins.
  static constexpr double combine(double a, double b) { return magnitude_bits(b) > magnitude_bits(a) ? b : a; }
};

/// Calls f with the terms of the reduction. Every reduction starts from 0.
template <class F>
decltype(auto) dispatch(Reduction kind, F&& f) {
  switch (kind) {
    case Reduction::dot:
      return f(Dot{});
    case Reduction::one_norm:
      return f(OneNorm{});
    case Reduction::square_norm:
      return f(SquareNorm{});
    case Reduction::max_norm:
      return f(MaxNorm{});
    default:
      return f(Sum{});
  }
}

}  // namespace reduction
}  // namespace poisson
