#pragma once

#include <array>
#include <vector>

#include "backends/box.hpp"

namespace poisson {

struct Layout;

/// How wide the halo is where a grid is cut: what interpolation reaches for, and bands may. Stencils reach for one.
inline constexpr int cut_halo = 2;

/// How the values of a grid are cut into patches: along each axis at the first values of its parts. Patches are
/// numbered with those along x together.
struct Cuts {
  std::array<std::vector<int>, 3> first{{{0}, {0}, {0}}};
  std::array<int, 3> n{1, 1, 1};   ///< values of the whole
  std::array<bool, 3> periodic{};  ///< axes that close on themselves

  int count(std::size_t axis) const { return static_cast<int>(first[axis].size()); }
  int patches() const { return count(0) * count(1) * count(2); }
  /// Where a patch lies among the parts of each axis.
  std::array<int, 3> place(int number) const;
  /// The values of a patch, in the whole.
  Box patch(int number) const;
  /// Of a field of these.
  Layout layout(int number) const;
  bool operator==(const Cuts&) const = default;
};

/// How the halo of a patch gets its values: boxes copied in turns, axis after axis, each turn with the halo of the axes
/// before it, so that edges and corners are right too. Where an axis is not cut, a patch is its own neighbour, and the
/// halo one value wide whatever is asked for.
///
/// It is made in two halves, between which work goes on: the last turn with other patches is started, and it is
/// finished with the turns that follow it.
class Exchange {
 public:
  struct Piece {
    int patch;  ///< whose values they are; of sent ones whose halo
    int side;   ///< of the halo: −1 or 1
    Box from;   ///< in its indices
    Box to;     ///< in those of the patch whose halo it is
  };
  using Turn = std::vector<Piece>;

  /// Of nothing.
  Exchange() = default;
  Exchange(const Cuts& cuts, int patch);

  /// Of a halo so wide where the grid is cut, up to cut_halo.
  const std::vector<Turn>& turns(int width = 1) const { return turns_[static_cast<std::size_t>(width - 1)]; }
  /// The same with those pieces alone whose values the patch has itself.
  const std::vector<Turn>& own_turns() const { return own_turns_; }
  /// What other patches take of this one, turn by turn as turns() has them.
  const std::vector<Turn>& sent(int width = 1) const { return sent_[static_cast<std::size_t>(width - 1)]; }
  bool with_others() const { return with_others_; }
  /// The turn that is under way between start and finish: the last one with others; without any all turns come before.
  std::size_t under_way() const { return under_way_; }
  /// Those values of a box of the patch of which nothing one value away comes with that turn or later.
  Box inner(const Box& box) const;

 private:
  std::array<std::vector<Turn>, cut_halo> turns_, sent_;
  std::vector<Turn> own_turns_;
  bool with_others_ = false;
  std::size_t under_way_ = 0;
  std::array<int, 3> n_{};                     // values of the patch
  std::array<std::array<bool, 2>, 3> late_{};  // ends of axes whose halo comes with that turn or later
};

/// The values of a box outside of one that lies in it, in boxes: below and above along z, then along y, then along x.
std::vector<Box> around(const Box& box, const Box& inner);

}  // namespace poisson
