#pragma once

#include "grids/levels/islands.hpp"

namespace poisson {

/// What a process has of the islands of a level that several share, all of them called together: those within its part,
/// and its values of those that go through several, the same ones in the same order everywhere, with their whole
/// energy.
struct SharedIslandSets {
  IslandSets own, crossing;

  std::size_t size() const { return own.size() + crossing.size(); }
};
SharedIslandSets find_shared_islands(const Bands& bands);

}  // namespace poisson
