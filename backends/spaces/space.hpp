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
#include "backends/spaces/part.hpp"
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
/// A box is one group of one patch, a sub-block of a grid, which `part` describes. No exchange writes past an end of
/// the grid: the halo is zero there, except that solutions of cell-centred problems store the boundary data of the
/// faces in it.
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
  /// Returns the unknowns that this process counts.
  std::int64_t own_unknowns() const { return parts_->own_unknowns; }
  /// Returns the sub-block of a grid that a box is. For other families it describes the first patch alone.
  const GridPart& part() const { return parts_->part; }
  /// Returns whether two spaces have the same patches at the same places among all.
  bool has_patches_of(const Space& other) const;
  /// Returns whether fields of two spaces have the same shape in memory.
  bool has_layouts_of(const Space& other) const;
  const Exchange& halo() const { return parts_->halo; }
  /// Returns the same space for fields whose halo is filled otherwise: no exchange writes it.
  Space without_exchange() const;
  /// Returns the processes that own the other patches.
  const Processes& processes() const { return *parts_->processes; }
  /// Returns whether this process has the global grid.
  bool is_global() const { return parts_->global; }
  /// Return the unknowns and the values of all processes.
  std::int64_t unknown_count() const { return parts_->unknown_count; }
  std::int64_t size() const { return parts_->size; }

 private:
  struct Parts {
    GridPart part;
    Exchange halo;
    std::shared_ptr<const Processes> processes;
    std::vector<PatchGroup> groups;
    bool flat, global;
    int most_planes;
    std::int64_t unknown_count, own_unknowns, size;
  };
  static Parts of_patch(const Cuts& cuts, int patch, const Box& all_unknowns,
                        std::shared_ptr<const Processes> processes);

  std::shared_ptr<const Parts> parts_;
};

}  // namespace poisson
