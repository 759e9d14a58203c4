#pragma once

namespace poisson {

/// Contains the first columns of a row and their values. Loops over all places stay in registers.
template <int places>
struct ShortEntries {
  static constexpr int most = places;
  int column[most] = {};
  double value[most] = {};
  int n = 0;

  /// Returns false if a new column finds no place.
  constexpr bool add(int to, double v) {
    bool known = false;
    for (int m = 0; m < most; ++m)
      if (m < n && column[m] == to) {
        value[m] += v;
        known = true;
      }
    if (known) return true;
    if (n == most) return false;
    for (int m = 0; m < most; ++m)
      if (m == n) {
        column[m] = to;
        value[m] = v;
      }
    ++n;
    return true;
  }
};

}  // namespace poisson
