#pragma once

#include <memory>
#include <vector>

#include "backends/space.hpp"

namespace poisson {

/// The tag of messages by which some processes gather; those of exchanges have the sides of halos.
inline constexpr int gathering_tag = 5;

/// Some of the processes by themselves, numbered as they are listed, with this one among them. They speak through the
/// messages of all, so that several lists at a time go on beside each other.
std::shared_ptr<const Processes> some_of(std::shared_ptr<const Processes> all, std::vector<int> ranks);

/// Some of the processes by their numbers, among them this one.
struct Members {
  std::shared_ptr<const Processes> processes;
  std::vector<int> ranks;

  std::size_t count() const { return ranks.size(); }
  /// Where this one stands among them.
  std::size_t own() const;
};

/// Sends part number m of `from` to member m, and takes what it sends as that of `to`, parts of so many bytes each;
/// this process's own stays where it is. The memory may be that of a device where messages may.
void swap_parts_of_others(const Members& members, const void* from, void* to, std::size_t bytes);

/// The patches of a grid that lie in a larger patch of it, or in the whole, and the processes that have them, in the
/// same order.
struct PatchesWithin {
  std::vector<int> patches;
  std::shared_ptr<const Processes> processes;

  PatchesWithin(const Space& part, const Space& larger);
};

}  // namespace poisson
