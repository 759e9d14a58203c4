#pragma once

#include <bit>
#include <cstdint>

#include "backends/utilities/reduce.hpp"

namespace poisson {

/// Free of the standard library's calls: every backend compiles these.
///
/// What a value, or a pair of them, adds to a reduction, and how two partial results become one.
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
  /// The bits of magnitudes are ordered as the magnitudes are, and those of a NaN lie above infinity's: it wins.
  static constexpr double combine(double a, double b) { return magnitude_bits(b) > magnitude_bits(a) ? b : a; }
};

/// Calls f with the terms of the reduction; all begin at 0.
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
