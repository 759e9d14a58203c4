#pragma once

#include <array>
#include <vector>

#include "backends/box.hpp"

namespace poisson {

/// How the values of a grid are cut into patches: along each axis at the first values of its parts. Patches are
/// numbered with those along x together.
struct Cuts {
  std::array<std::vector<int>, 3> first{{{0}, {0}, {0}}};
  std::array<int, 3> n{1, 1, 1};   ///< values of the whole
  std::array<bool, 3> periodic{};  ///< axes that close on themselves

  int count(std::size_t axis) const { return static_cast<int>(first[axis].size()); }
  int patches() const { return count(0) * count(1) * count(2); }
  /// The values of a patch, in the whole.
  Box patch(int number) const;
};

/// How the halo of a patch gets its values: boxes copied in turns, axis after axis, each turn with the halo of the axes
/// before it, so that edges and corners are right too. Where an axis is not cut, a patch is its own neighbour.
class Exchange {
 public:
  struct Piece {
    int patch;  ///< whose values they are
    Box from;   ///< in its indices
    Box to;     ///< in those of the patch whose halo it is
  };
  using Turn = std::vector<Piece>;

  Exchange(const Cuts& cuts, int patch);

  const std::vector<Turn>& turns() const { return turns_; }
  /// The same with those pieces alone whose values the patch has itself.
  const std::vector<Turn>& own_turns() const { return own_turns_; }

 private:
  std::vector<Turn> turns_, own_turns_;
};

}  // namespace poisson
