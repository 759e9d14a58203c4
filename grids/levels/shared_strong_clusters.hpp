#pragma once

#include "grids/levels/strong_clusters.hpp"

namespace poisson {

/// The strong_clusters (StrongClusterRule::slow) that go through the parts of several processes, which call it
/// together: the same ones in the same order everywhere, each with the values that this process has and the energy of
/// all.
StrongClusterSets find_crossing_clusters(Clusters& clusters, double slow);

}  // namespace poisson
