#pragma once

#include "backends/spaces/space.hpp"

namespace poisson {

/// Returns whether an exchange is a program of moves, not the exchange of a box axis after axis.
inline bool is_program(const Exchange& halo) {
  return !halo.empty() && halo.steps().empty();
}

/// Returns whether a space is the sub-block of a grid, with halos filled axis after axis or not at all. All processes
/// that share it get the same answer.
inline bool is_box(const Space& space) {
  if (space.groups().size() != 1 || space.groups().front().patches.size() != 1) return false;
  if (!space.is_global()) return space.part().cuts().patches() > 1;
  const PatchGroup::Patch& patch = space.groups().front().patches.front();
  return !is_program(space.halo()) && patch.counted.size() == space.part().layout().size();
}

}  // namespace poisson
