#pragma once

namespace poisson {

/// The two values of a pair that lie at mirrored places of an axis, and those of its even and odd halves. Free of the
/// standard library: it compiles for every backend.
template <bool back, class T>
constexpr void fold_pair(T& lower, T& upper) {
  constexpr T root = T(0.70710678118654752440);
  const T a = root * lower, b = root * upper;
  lower = back ? a - b : a + b;
  upper = back ? a + b : b - a;
}

/// A value in the middle, which is its own mirror image.
template <class T>
constexpr void fold_middle(T& value) {
  value *= T(0.70710678118654752440);
}

}  // namespace poisson
