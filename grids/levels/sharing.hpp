#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backends/processes/processes.hpp"
#include "grids/axes/block.hpp"

namespace poisson {

/// Is the number of parts into which each axis is cut.
using Parts = std::array<int, 3>;
inline constexpr Parts uncut_axes{1, 1, 1};
inline Parts parts_of(const Space& space) {
  const Cuts& cuts = space.part().cuts();
  return {cuts.count(0), cuts.count(1), cuts.count(2)};
}

/// Describes groups of processes, for example of the processes on the same machine, that share coarse levels as if each
/// group were one process. The members of a group all store the box that contains their parts, and perform the same
/// computations.
struct Groups {
  Parts parts;  ///< groups along axes
  /// Contains one process of each group, in the order of their boxes: the process with the same place in its group as
  /// this process. This process exchanges messages with these; the other members of the groups do the same among
  /// themselves.
  std::shared_ptr<const Processes> processes;

  int count() const { return parts[0] * parts[1] * parts[2]; }
};

/// Describes how several processes share the levels of a problem: the number of parts along each axis, and the coarsest
/// shared level.
struct Sharing {
  std::shared_ptr<const Processes> processes = one_process();
  Parts parts = uncut_axes;
  /// A coarser level with fewer unknowns is not shared: every process stores it entirely and computes redundantly,
  /// without messages.
  std::int64_t least_shared = std::int64_t{3} << 17;
  /// Groups, if there are any, share the coarser levels whose parts are too thin. If groups cut fewer axes than the
  /// parts, they also share levels with fewer than least_shared unknowns for each group: exchanges then need fewer
  /// steps.
  std::optional<Groups> groups = {};
  /// Contains the first values of the parts along each axis. If an axis has none, its parts are equal.
  std::array<std::vector<int>, 3> first = {};

  /// Returns this process's part of the block.
  Block part_of(const Block& whole) const;
  /// Returns the block on which this process works on a coarser level, given its part of that level: the part, the
  /// group's part, or the global block. Every process solves the coarsest level alone.
  Block below(const Block& part, bool coarsest) const;
};

/// Along an axis that is cut, each part of the finest level has at least this many values. The level below has half of
/// them before it is gathered, which is still enough for the halos.
inline constexpr int least_part = 4;
/// Levels with thinner parts are not shared by all processes, because exchanges would cost more time than sharing
/// saves.
inline constexpr int thick_part = 6;

/// Returns the groups of processes that run on the same machine; `machines[p]` is the machine of process p. Returns
/// nothing if machines do not own equal boxes of parts, if all processes run on one machine, or if each process has a
/// separate machine.
std::optional<Groups> groups_on(const std::vector<std::size_t>& machines,
                                const std::shared_ptr<const Processes>& processes, const Parts& parts);

/// Chooses the number of parts along each axis of a block. Slabs are preferred if they are thick enough: across the
/// last axis, unless another axis needs clearly less communication. Otherwise the blocks with the least surface are
/// chosen. `whole` marks axes that should not be cut if possible. Throws InputError if the block has too few values for
/// this number of processes.
Parts choose_parts(const Block& block, int processes, const std::array<bool, 3>& whole = {});

}  // namespace poisson
