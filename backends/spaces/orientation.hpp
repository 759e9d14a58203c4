#pragma once

#include <array>
#include <cstddef>

namespace poisson {

/// Is one of the 48 ways in which the axes of a patch meet those of its neighbour: axis d of the receiving patch runs
/// along axis `axis[d]` of the patch that owns the values, backwards if `flipped[d]`.
struct Orientation {
  std::array<int, 3> axis{0, 1, 2};
  std::array<bool, 3> flipped{};

  static constexpr int count = 48;
  /// Returns orientation `number` of all; number 0 is the identity.
  static constexpr Orientation number(int number) {
    Orientation turn;
    for (std::size_t d = 0; d < 3; ++d) turn.flipped[d] = (number >> d & 1) != 0;
    const int order = number / 8, first = order / 2;
    turn.axis = {first, (first + 1 + order % 2) % 3, (first + 2 - order % 2) % 3};
    return turn;
  }
  /// Returns the orientation of the values on their way back.
  constexpr Orientation inverse() const {
    Orientation back;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto a = static_cast<std::size_t>(axis[d]);
      back.axis[a] = static_cast<int>(d);
      back.flipped[a] = flipped[d];
    }
    return back;
  }
  bool operator==(const Orientation&) const = default;
};

}  // namespace poisson
