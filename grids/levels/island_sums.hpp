#pragma once

#include <span>
#include <vector>

#include "grids/levels/clusters.hpp"
#include "grids/levels/islands.hpp"

namespace poisson {

/// What the values of an island add up to.
class IslandSums {
 public:
  double energy = 0, diagonals = 0;  ///< 1ᵀA1 and 1ᵀD1

  /// One more value; inside(r): whether another one is of the island, too.
  template <class Inside>
  void add(const Clusters& clusters, const ClusterRows& rows, const ClusterRows::Value& value, const Inside& inside) {
    const ClusterRows::Place p = clusters.place_of(value.number);
    const std::int64_t number = clusters.number(p);
    if (value.row_sum != 0) row_.push_back({number, value.row_sum});
    energy += value.row_sum;
    diagonals += value.diagonal;
    for (std::size_t l = 0; l < clusters.links(); ++l) {
      const double a = rows.couplings[value.couplings + l];
      if (a == 0) continue;
      const ClusterRows::Place r = clusters.neighbour(p, l);
      if (inside(r)) continue;
      row_.push_back({number, a});
      if (clusters.is_unknown(r)) row_.push_back({clusters.number(r), -a});
      energy += a;
    }
  }
  /// A sweep takes about the ratio of both off the error.
  bool is_slow() const {
    constexpr double slow = 1e-2;
    return energy > 0 && energy < slow * diagonals;
  }
  /// 1ᵀA, by the numbers of values.
  std::vector<IslandSets::Entry> row() const;

 private:
  std::vector<IslandSets::Entry> row_;  // a value may stand in it several times
};

/// The values of each cluster.
std::vector<std::span<const ClusterRows::Value>> by_cluster(const ClusterRows& rows);

/// The islands among clusters that have no part elsewhere.
void add_islands(const Clusters& clusters, const ClusterRows& rows, IslandSets& sets);

}  // namespace poisson
