#pragma once

#include <array>
#include <span>
#include <vector>

#include "backends/memory/box.hpp"
#include "backends/spaces/exchange_program.hpp"

namespace poisson {

struct Layout;

/// Is the width of the halo where a grid is cut. Interpolation reads that far, and bands may. Stencils read one value.
inline constexpr int cut_halo = 2;

/// Describes how a grid is cut into patches: `first` lists the first values of the parts along each axis. Patch numbers
/// increase along x first.
struct Cuts {
  std::array<std::vector<int>, 3> first{{{0}, {0}, {0}}};
  std::array<int, 3> n{1, 1, 1};   ///< values of the global grid
  std::array<bool, 3> periodic{};  ///< periodic axes

  int count(std::size_t axis) const { return static_cast<int>(first[axis].size()); }
  int patches() const { return count(0) * count(1) * count(2); }
  /// Returns the position of a patch among the parts of each axis.
  std::array<int, 3> place(int number) const;
  /// Returns the values of a patch in global indices.
  Box patch(int number) const;
  /// Returns the layout of a field on a patch.
  Layout layout(int number) const;
  bool operator==(const Cuts&) const = default;
};

/// Describes how values reach other patches: a program of moves within this process and over channels to others.
///
/// On a box, it fills the halo of a patch: boxes are copied in turns, axis after axis. Each step includes the halos of
/// earlier axes, so edges and corners are correct as well. Along an axis that is not cut, a patch is its own neighbour,
/// and the halo is one value wide whatever width is requested.
///
/// An exchange has two halves, and work can be done in between. The first half starts the last step with other patches;
/// the second half finishes it and the turns that follow.
class Exchange {
 public:
  struct Piece {
    int patch;  ///< owner of the values; for sent pieces, owner of the halo
    int side;   ///< side of the halo: −1 or 1
    Box from;   ///< in indices of their owner
    Box to;     ///< in indices of the patch that has the halo
  };
  using Step = std::vector<Piece>;

  /// Describes an exchange of nothing.
  Exchange() = default;
  Exchange(const Cuts& cuts, int patch);
  /// Describes the exchange of other families of patches, for every width.
  explicit Exchange(ExchangeProgram program);
  /// Describes the exchange of a space of rows: one message to each process listed, and one from it.
  static Exchange of_lists(std::span<const RowList> lists);
  /// Returns Eᵗ: values that this exchange copies are added to their origin instead, step by step backwards. For fields
  /// u and v of one space, halos included, ⟨Eu, v⟩ = ⟨u, Eᵗv⟩.
  Exchange transposed() const;

  /// Returns the program that fills a halo of this width where a grid is cut. Backends run it.
  const ExchangeProgram& program(int width = 1) const { return programs_[static_cast<std::size_t>(width - 1)]; }
  bool empty() const { return programs_[0].empty(); }

  /// Returns the turns of a box that fill a halo of this width where the grid is cut, at most cut_halo.
  const std::vector<Step>& steps(int width = 1) const { return steps_[static_cast<std::size_t>(width - 1)]; }
  /// Returns the turns reduced to pieces whose values this patch owns.
  const std::vector<Step>& own_steps() const { return own_steps_; }
  /// Returns the pieces that other patches receive from this one, step by step in the order of turns().
  const std::vector<Step>& sent(int width = 1) const { return sent_[static_cast<std::size_t>(width - 1)]; }
  bool with_others() const { return with_others_; }
  /// Returns the index of the step in flight between start and finish: the last one with other patches. Without other
  /// patches all turns precede it.
  std::size_t in_flight() const { return in_flight_; }
  /// Returns the part of a box of the patch whose values have no neighbour in a halo that arrives with that step or
  /// later.
  Box inner(const Box& box) const;

 private:
  void add_programs();
  void set_in_flight();

  std::array<ExchangeProgram, cut_halo> programs_;
  std::array<std::vector<Step>, cut_halo> steps_, sent_;
  std::vector<Step> own_steps_;
  bool with_others_ = false;
  std::size_t in_flight_ = 0;
  std::array<int, 3> n_{};                     // values per axis
  std::array<std::array<bool, 2>, 3> late_{};  // ends whose halo arrives with that step or later
};

/// Returns the values of a box outside of an inner box, as boxes: below and above along z, then along y, then along x.
std::vector<Box> around(const Box& box, const Box& inner);

}  // namespace poisson
