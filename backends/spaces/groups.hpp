#pragma once

#include <memory>
#include <vector>

#include "backends/spaces/space.hpp"

namespace poisson {

/// Tags messages of gathers between some processes; tags of exchanges are the sides of halos.
inline constexpr int gathering_tag = 5;

/// Returns a group of some processes, numbered in the order of `ranks`; this process must be among them. The group
/// sends through `all`, so several groups can communicate at the same time.
std::shared_ptr<const Processes> some_of(std::shared_ptr<const Processes> all, std::vector<int> ranks);

/// Lists some of the processes by rank, including this one.
struct Members {
  std::shared_ptr<const Processes> processes;
  std::vector<int> ranks;

  std::size_t count() const { return ranks.size(); }
  /// Returns the position of this process in the list.
  std::size_t own() const;
};

/// Sends part m of `from` to member m, and receives that member's part into part m of `to`. Parts have `bytes` bytes.
/// This process's own part is not copied. The memory may be on a device if messages may.
void swap_parts_of_others(const Members& members, const void* from, void* to, std::size_t bytes);

/// Lists the patches of a grid that lie in a larger patch or in the global grid. The processes that own them are listed
/// in the same order.
struct PatchesWithin {
  std::vector<int> patches;
  std::shared_ptr<const Processes> processes;

  PatchesWithin(const Space& part, const Space& larger);
};

}  // namespace poisson
