#pragma once

#include <array>

namespace poisson {

/// A list is added in an order that depends on its length alone: first into running sums, then by halving their number.
/// Kernels add the same sums in parallel. These functions compile for every backend.
inline constexpr int running_sums = 256;

/// Returns running sum n of value(0) … value(count − 1).
template <class Value>
constexpr double running_sum(int n, int count, const Value& value) {
  double sum = 0;
  for (int i = n; i < count; i += running_sums) sum += value(i);
  return sum;
}

/// Returns the sum of the list.
template <class Value>
constexpr double ordered_sum(int count, const Value& value) {
  std::array<double, running_sums> sums{};
  for (int n = 0; n < running_sums; ++n) sums[static_cast<std::size_t>(n)] = running_sum(n, count, value);
  for (std::size_t half = running_sums / 2; half > 0; half /= 2)
    for (std::size_t n = 0; n < half; ++n) sums[n] += sums[n + half];
  return sums[0];
}

}  // namespace poisson
