#pragma once

#include "backends/reduce.hpp"

namespace poisson {

/// Free of the standard library's calls: every backend compiles these.
///
/// What a value, or a pair of them, adds to a reduction, and how two partial results become one.
namespace reduction {

constexpr double magnitude(double x) {
  return x < 0 ? -x : x;
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
  /// A NaN compares false with everything: on either side it wins.
  static constexpr double combine(double a, double b) { return b > a || b != b ? b : a; }
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
