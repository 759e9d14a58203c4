#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

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

/// How several processes share the levels of a problem: into how many parts each axis is cut, and down to which levels.
struct Sharing {
  std::shared_ptr<const Processes> processes = one_process();
  Parts parts = uncut_axes;
  /// A coarser level of fewer unknowns than this is not shared: every process has all of it and computes what all
  /// others compute, without messages.
  std::int64_t least_shared = std::int64_t{1} << 18;

  /// What of the block this process has.
  Block part_of(const Block& whole) const;
  /// Whether a coarser level of parts is shared as well: every part has enough values, of enough in all.
  bool keeps(const Block& coarse) const;
};

/// Along an axis that is cut each part has at least so many values: half as many still have what halos reach for.
inline constexpr int least_part = 6;

/// Into how many parts each axis of a block is cut for so many processes: slabs where they are thick enough, across the
/// last axis unless another one has clearly less to exchange, else blocks with the least surface. `whole`: axes that
/// are not to be cut, where that can be. Throws InputError where the block has too few values for so many processes.
Parts choose_parts(const Block& block, int processes, const std::array<bool, 3>& whole = {});

}  // namespace poisson
