#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "backends/memory/box.hpp"
#include "backends/memory/precision.hpp"
#include "backends/processes/processes.hpp"
#include "backends/spaces/exchange.hpp"

namespace poisson {

/// Describes the shape of a field: values per axis, periodic axes, and the width of the halo on axes of more than one
/// value.
struct Layout {
  std::array<int, 3> n{1, 1, 1};
  std::array<bool, 3> periodic{};
  std::array<int, 3> halo{1, 1, 1};

  std::int64_t size() const { return std::int64_t{1} * n[0] * n[1] * n[2]; }
  /// Returns the values from one line to the next; lines start on 128-byte boundaries.
  std::int64_t pitch(Precision) const;
  /// Returns the values in memory, including halo and padding.
  std::int64_t allocated(Precision) const;
  /// Returns the index of the value at (0, 0, 0) in the field's memory.
  std::int64_t origin(Precision) const;
  Box box() const { return {{0, 0, 0}, n}; }
  /// Returns whether this is the layout of a patch of a cut grid: its halo is wider where the grid is cut.
  bool cut() const { return halo != std::array{1, 1, 1}; }
  bool operator==(const Layout&) const = default;
};

/// Describes how a grid is distributed: each process owns the patch of its rank.
struct Share {
  Cuts cuts;
  std::shared_ptr<const Processes> processes;

  int patch() const { return processes->rank(); }
  bool operator==(const Share& other) const { return cuts == other.cuts && processes == other.processes; }
};

/// Describes the values of one level that this process owns, a patch of the grid: its unknowns, its position in the
/// global grid, and how its halo is filled. Fields share it.
///
/// Beyond an end of the patch lie the values of a neighbour, which may be the patch itself, or the grid ends there.
/// Past an end of the grid no exchange writes. The halo is zero there, except that solutions of cell-centred problems
/// store the boundary data of the faces in it.
class Space {
 public:
  /// Represents an uncut grid in which every value is an unknown.
  Space(const Layout& layout) : Space(layout, layout.box()) {}
  Space(const Layout& layout, const Box& unknowns);
  /// Represents a patch of a grid; `all_unknowns` are the unknowns of the global grid.
  Space(const Cuts& cuts, int patch, const Box& all_unknowns);
  /// Represents the patch that this process owns.
  Space(const Share& share, const Box& all_unknowns);

  const Layout& layout() const { return parts_->layout; }
  const Box& unknowns() const { return parts_->unknowns; }
  /// Returns the global index of value (0, 0, 0).
  const std::array<int, 3>& origin() const { return parts_->origin; }
  const Exchange& halo() const { return parts_->halo; }
  /// Returns the same space for fields whose halo is filled otherwise: no exchange writes it.
  Space without_exchange() const;
  /// Returns how the grid is cut.
  const Cuts& cuts() const { return parts_->cuts; }
  /// Returns the processes that own the other patches.
  const Processes& processes() const { return *parts_->processes; }
  /// Returns whether this process has the global grid.
  bool is_global() const { return cuts().patches() == 1; }
  /// Returns the values of the global grid per axis.
  const std::array<int, 3>& all() const { return cuts().n; }
  /// Returns the unknowns of the global grid, in global indices.
  const Box& all_unknowns() const { return parts_->all_unknowns; }
  std::int64_t unknown_count() const { return all_unknowns().size(); }
  std::int64_t size() const { return std::int64_t{1} * all()[0] * all()[1] * all()[2]; }
  /// Returns a patch in global indices, extended by one value past each end of the grid that it reaches.
  Box with_ends(int patch) const;
  /// Returns whether the patch reaches the lower (0) or upper (1) end of an axis.
  bool ends_here(std::size_t axis, std::size_t end) const {
    return end == 0 ? origin()[axis] == 0 : origin()[axis] + layout().n[axis] == all()[axis];
  }
  /// Returns which axes are periodic.
  const std::array<bool, 3>& closed() const { return cuts().periodic; }
  /// Returns the values of the largest patch along each axis.
  const std::array<int, 3>& most_values() const { return parts_->most; }

 private:
  struct Parts {
    Layout layout;
    Box unknowns;
    std::array<int, 3> origin;
    Exchange halo;
    std::shared_ptr<const Processes> processes;
    std::array<int, 3> most;
    Box all_unknowns;
    Cuts cuts;
  };
  static Parts of_patch(const Cuts& cuts, int patch, const Box& all_unknowns,
                        std::shared_ptr<const Processes> processes);

  std::shared_ptr<const Parts> parts_;
};

}  // namespace poisson
