#pragma once

#include "grids/levels/islands.hpp"

namespace poisson {

/// The islands (IslandRule::slow) that go through the parts of several processes, which call it together: the same ones
/// in the same order everywhere, each with the values that this process has and the energy of all.
IslandSets find_crossing_islands(Clusters& clusters, double slow);

}  // namespace poisson
