#include "grids/levels/island_sums.hpp"

#include <algorithm>

namespace poisson {

std::vector<IslandSets::Entry> IslandSums::row() const {
  std::vector<IslandSets::Entry> sorted = row_, merged;
  std::ranges::stable_sort(sorted, {}, &IslandSets::Entry::value);
  for (const IslandSets::Entry& e : sorted)
    if (!merged.empty() && merged.back().value == e.value)
      merged.back().weight += e.weight;
    else
      merged.push_back(e);
  return merged;
}

std::vector<std::span<const ClusterRows::Value>> by_cluster(const ClusterRows& rows) {
  std::vector<std::span<const ClusterRows::Value>> clusters;
  for (auto first = rows.values.begin(); first != rows.values.end();) {
    const auto last =
        std::find_if(first, rows.values.end(), [&](const ClusterRows::Value& v) { return v.root != first->root; });
    clusters.emplace_back(first, last);
    first = last;
  }
  return clusters;
}

void add_islands(const Clusters& clusters, const ClusterRows& rows, IslandSets& sets) {
  for (const std::span<const ClusterRows::Value> cluster : by_cluster(rows)) {
    IslandSums sums;
    for (const ClusterRows::Value& v : cluster)
      sums.add(clusters, rows, v, [&](const ClusterRows::Place& r) {
        return clusters.is_own(r) &&
               std::ranges::binary_search(cluster, clusters.own_number(r), {}, &ClusterRows::Value::number);
      });
    if (!sums.is_slow()) continue;
    std::vector<std::int64_t> values;
    for (const ClusterRows::Value& v : cluster) values.push_back(clusters.number(clusters.place_of(v.number)));
    sets.add(values, sums.row(), sums.energy);
  }
}

}  // namespace poisson
