#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/memory/box.hpp"
#include "backends/memory/precision.hpp"
#include "backends/processes/processes.hpp"
#include "backends/spaces/exchange.hpp"
#include "backends/spaces/layout.hpp"
#include "backends/spaces/patches.hpp"

namespace poisson {

/// Describes how a grid is distributed: each process owns the patch of its rank.
struct Share {
  Cuts cuts;
  std::shared_ptr<const Processes> processes;

  int patch() const { return processes->rank(); }
  bool operator==(const Share& other) const { return cuts == other.cuts && processes == other.processes; }
};

/// Describes the values of one level that this process owns: patches in groups of one layout, their unknowns, and the
/// exchange between them. Fields share it.
///
/// A box is one group of one patch, a sub-block of a grid. The functions that name a layout, an origin, cuts or ends
/// describe it; of other spaces they describe the first patch alone. Beyond an end of the patch lie the values of a
/// neighbour, which may be the patch itself, or the grid ends there. Past an end of the grid no exchange writes. The
/// halo is zero there, except that solutions of cell-centred problems store the boundary data of the faces in it.
class Space {
 public:
  /// Represents an uncut grid in which every value is an unknown.
  Space(const Layout& layout) : Space(layout, layout.box()) {}
  Space(const Layout& layout, const Box& unknowns);
  /// Represents a patch of a grid; `all_unknowns` are the unknowns of the global grid.
  Space(const Cuts& cuts, int patch, const Box& all_unknowns);
  /// Represents the patch that this process owns.
  Space(const Share& share, const Box& all_unknowns);
  /// Represents patches of any family. Collective.
  Space(std::vector<PatchGroup> groups, Exchange halo, std::shared_ptr<const Processes> processes);
  /// Represents the patches of this process among all patches, and their exchange (program_of). Collective.
  Space(const std::vector<PatchOfAll>& all, const std::vector<std::vector<Move>>& steps,
        std::shared_ptr<const Processes> processes);

  /// Returns the patches of this process, one group after another; patch numbers count on from group to group.
  std::span<const PatchGroup> groups() const { return parts_->groups; }
  /// Returns whether memory lines count as planes in sums, because patches have only one plane.
  bool is_flat() const { return parts_->flat; }
  /// Returns the largest number of planes that a process counts.
  int most_planes() const { return parts_->most_planes; }
  /// Returns the values that this process counts.
  std::int64_t own_size() const;
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
  bool is_global() const { return parts_->global; }
  /// Returns the values of the global grid per axis.
  const std::array<int, 3>& all() const { return cuts().n; }
  /// Returns the unknowns of the global grid, in global indices.
  const Box& all_unknowns() const { return parts_->all_unknowns; }
  /// Return the unknowns and the values of all processes.
  std::int64_t unknown_count() const { return parts_->unknown_count; }
  std::int64_t size() const { return parts_->size; }
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
    std::vector<PatchGroup> groups;
    bool flat, global;
    int most_planes;
    std::int64_t unknown_count, size;
  };
  static Parts of_patch(const Cuts& cuts, int patch, const Box& all_unknowns,
                        std::shared_ptr<const Processes> processes);

  std::shared_ptr<const Parts> parts_;
};

}  // namespace poisson
