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

/// The patches of a grid that lie in a larger patch of it, or in the whole, and the processes that have them, in the
/// same order.
struct PatchesWithin {
  std::vector<int> patches;
  std::shared_ptr<const Processes> processes;

  PatchesWithin(const Space& part, const Space& larger);
};

}  // namespace poisson
