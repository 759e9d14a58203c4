#pragma once

#include <compare>
#include <cstdint>
#include <set>

#include "grids/levels/strong_clusters.hpp"

namespace poisson {

/// Identifies a cluster among those that the rules find. The clusters of a later rule are parts of those of an earlier
/// one, so the first value and the number of values identify them.
struct CrossingSet {
  std::int64_t first = 0, size = 0;  ///< least global number, and number of values on all processes
  auto operator<=>(const CrossingSet&) const = default;
};
using TakenCrossing = std::set<CrossingSet>;

/// Returns the strong clusters (StrongClusterRule::slow) that extend over several processes, except those in `taken`,
/// to which it adds them. Collective. Every process gets the same clusters in the same order, each with this process's
/// values and the energy of all parts.
StrongClusterSets find_crossing_clusters(Clusters& clusters, double slow, TakenCrossing& taken);

}  // namespace poisson
