#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backends/processes.hpp"
#include "grids/axes/block.hpp"

namespace poisson {

/// Into how many parts each axis is cut.
using Parts = std::array<int, 3>;
inline constexpr Parts uncut_axes{1, 1, 1};
inline Parts parts_of(const Space& space) {
  const Cuts& cuts = space.cuts();
  return {cuts.count(0), cuts.count(1), cuts.count(2)};
}

/// Groups of processes, as those of a machine, that share coarse levels as if each group were one process: its members
/// all have what lies in the parts of any of them, a box, and compute the same.
struct Groups {
  Parts parts;  ///< into how many the groups cut each axis
  /// Of each group the process that has the place of this one there, in the order of their boxes: what it sends to
  /// these, and gets from them, each other member sends and gets likewise.
  std::shared_ptr<const Processes> processes;

  int count() const { return parts[0] * parts[1] * parts[2]; }
};

/// How several processes share the levels of a problem: into how many parts each axis is cut, and down to which levels.
struct Sharing {
  std::shared_ptr<const Processes> processes = one_process();
  Parts parts = uncut_axes;
  /// A coarser level of fewer unknowns than this is not shared: every process has all of it and computes what all
  /// others compute, without messages.
  std::int64_t least_shared = std::int64_t{3} << 17;
  /// Where there are groups, they share the coarser levels that are too thin for the parts, and, where they cut fewer
  /// axes, those as well of which each has fewer unknowns than that: exchanges then have fewer turns.
  std::optional<Groups> groups = {};

  /// What of the block this process has.
  Block part_of(const Block& whole) const;
  /// What this process has of a coarser level, parts of which come from those of the finer one: its part, its group's,
  /// or the whole.
  Block below(const Block& part) const;
};

/// Along an axis that is cut each part of the finest level has at least so many values: half as many, which the level
/// below has before it is gathered, still have what halos reach for.
inline constexpr int least_part = 4;
/// Levels whose parts are thinner are not shared by all: exchanges would take longer than what they share out.
inline constexpr int thick_part = 6;

/// The groups of those processes that run on the same machine, `machines[p]` for process p. None where these have no
/// equal boxes of parts, or where all have the same machine, or each its own.
std::optional<Groups> groups_on(const std::vector<std::size_t>& machines,
                                const std::shared_ptr<const Processes>& processes, const Parts& parts);

/// Into how many parts each axis of a block is cut for so many processes: slabs where they are thick enough, across the
/// last axis unless another one has clearly less to exchange, else blocks with the least surface. `whole`: axes that
/// are not to be cut, where that can be. Throws InputError where the block has too few values for so many processes.
Parts choose_parts(const Block& block, int processes, const std::array<bool, 3>& whole = {});

}  // namespace poisson
