#pragma once

namespace poisson {

/// Converts two values at mirrored places of an axis to values of its even and odd halves, or back. Uses nothing of the
/// standard library, so it compiles for every backend.
template <bool back, class T>
constexpr void fold_pair(T& lower, T& upper) {
  constexpr T root = T(0.70710678118654752440);
  const T a = root * lower, b = root * upper;
  lower = back ? a - b : a + b;
  upper = back ? a + b : b - a;
}

/// Folds or unfolds a middle value, which is its own mirror image.
template <class T>
constexpr void fold_middle(T& value) {
  value *= T(0.70710678118654752440);
}

}  // namespace poisson
