#pragma once

#include "grids/levels/strong_clusters.hpp"

namespace poisson {

/// Returns the strong clusters (StrongClusterRule::slow) that extend over several processes. Collective. Every process
/// gets the same clusters in the same order, each with this process's values and the energy of all parts.
StrongClusterSets find_crossing_clusters(Clusters& clusters, double slow);

}  // namespace poisson
