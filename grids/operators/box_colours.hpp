#pragma once

#include <array>
#include <cstddef>

namespace poisson {

/// Colours the points of a 9- or 27-point stencil such that no two values in a box of ±1 have the same colour. Each
/// axis has two colours, the parities of the index. A periodic axis with an odd number of values has three: its last
/// value has colour 2. A colour of the grid combines the colours of the axes, x fastest.
struct BoxColours {
  std::array<int, 3> n{1, 1, 1};  ///< global size
  std::array<int, 3> origin{};    ///< is the global place of value (0, 0, 0)
  std::array<int, 3> colours{1, 1, 1};

  constexpr BoxColours(const std::array<int, 3>& size, const std::array<bool, 3>& periodic,
                       const std::array<int, 3>& first = {})
      : n(size), origin(first) {
    for (std::size_t d = 0; d < 3; ++d) colours[d] = n[d] == 1 ? 1 : periodic[d] && n[d] % 2 == 1 ? 3 : 2;
  }

  constexpr int count() const { return colours[0] * colours[1] * colours[2]; }

  /// Describes the values of one colour along an axis: every second value with `first` ≤ i < `last`.
  struct Stride {
    int first, last;
    constexpr int count() const { return last > first ? (last - first + 1) / 2 : 0; }
    constexpr bool holds(int i) const { return i >= first && i < last && (i - first) % 2 == 0; }
  };
  constexpr Stride along(std::size_t d, int colour, int begin, int end) const {
    const int own = (d == 0 ? colour : d == 1 ? colour / colours[0] : colour / (colours[0] * colours[1])) % colours[d];
    if (colours[d] == 1) return {begin, end};
    const int last = n[d] - 1 - origin[d];  // the last value alone has the third colour
    const int third = colours[d] == 3 && end > last ? last : end;
    if (own == 2) return {third, end};
    return {begin + (own + begin + origin[d]) % 2, third};
  }
  /// Returns the values of a colour on the line (j, k). The colours of the other axes select the line.
  constexpr Stride on_line(int colour, int j, int k, int begin, int end) const {
    const bool here = along(1, colour, 0, n[1] - origin[1]).holds(j) && along(2, colour, 0, n[2] - origin[2]).holds(k);
    return here ? along(0, colour, begin, end) : Stride{end, end};
  }
};

}  // namespace poisson
