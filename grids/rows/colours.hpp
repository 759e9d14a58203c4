#pragma once

#include <array>

namespace poisson {

/// Colours the points of a 5- or 7-point stencil such that no two neighbours have the same colour. The two colours are
/// the parities of i + j + k. If a periodic axis has an odd number of values, there are three: Σ c_d mod 3 with c_d =
/// i_d mod 2, but c_d = 2 at the last value of that axis.
struct Colours {
  std::array<int, 3> n{1, 1, 1};  ///< global size
  std::array<int, 3> origin{};    ///< is the global place of value (0, 0, 0)
  std::array<bool, 3> wraps_oddly{};

  constexpr Colours(const std::array<int, 3>& size, const std::array<bool, 3>& periodic,
                    const std::array<int, 3>& first = {})
      : n(size), origin(first) {
    for (int d = 0; d < 3; ++d) wraps_oddly[d] = periodic[d] && n[d] % 2 == 1 && n[d] > 1;
  }

  constexpr Colours with_y_and_z_swapped() const {
    Colours swapped = *this;
    for (int d = 1; d < 3; ++d) {
      swapped.n[d] = n[3 - d];
      swapped.origin[d] = origin[3 - d];
      swapped.wraps_oddly[d] = wraps_oddly[3 - d];
    }
    return swapped;
  }

  constexpr int count() const { return wraps_oddly[0] || wraps_oddly[1] || wraps_oddly[2] ? 3 : 2; }
  constexpr int of(int d, int i) const { return wraps_oddly[d] && last(d) == i ? 2 : (i + origin[d]) % 2; }
  constexpr int last(int d) const { return n[d] - 1 - origin[d]; }
  constexpr int of(int i, int j, int k) const { return (of(0, i) + of(1, j) + of(2, k)) % count(); }

  /// Describes the values of a colour on the line (j, k): every second value with `first` ≤ i < `last`.
  struct Stride {
    int first, last;
  };
  constexpr Stride on_line(int colour, int j, int k, int begin, int end) const {
    const int wanted = (colour - of(1, j) - of(2, k) + 6) % count();
    const int third = wraps_oddly[0] && last(0) < end ? last(0) : end;
    if (wanted == 2) return {third, end};
    return {begin + (wanted + begin + origin[0]) % 2, third};
  }
};

}  // namespace poisson
