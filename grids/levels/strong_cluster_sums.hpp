#pragma once

#include <vector>

#include "grids/levels/clusters.hpp"
#include "grids/levels/strong_clusters.hpp"

namespace poisson {

/// Sums up the values of a strong cluster.
struct StrongClusterSums {
  double energy = 0, diagonals = 0;           ///< 1ᵀA1 and 1ᵀD1
  std::vector<StrongClusterSets::Entry> row;  ///< 1ᵀA by the numbers of values; a number may occur several times

  /// Adds a value. inside(r) returns whether another value belongs to the cluster.
  template <class Inside>
  void add(const Clusters& clusters, const ClusterRows& rows, const ClusterRows::Value& value, const Inside& inside) {
    const ClusterRows::Place p = clusters.place_of(value.number);
    double sum = value.row_sum;
    for (std::size_t l = 0; l < clusters.links(); ++l) {
      const double a = rows.couplings[value.couplings + l];
      if (a == 0) continue;
      const ClusterRows::Place r = clusters.neighbour(p, l);
      if (inside(r)) continue;
      sum += a;
      if (clusters.is_unknown(r)) row.push_back({clusters.number(r), -a});
    }
    row.push_back({clusters.number(p), sum});
    energy += sum;
    diagonals += value.diagonal;
  }
};

}  // namespace poisson
