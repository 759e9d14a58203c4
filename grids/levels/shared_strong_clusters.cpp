#include "grids/levels/shared_strong_clusters.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "backends/spaces/gather_lists.hpp"
#include "grids/levels/strong_cluster_sums.hpp"

namespace poisson {
namespace {

// `Part` is one process's part of a cluster that extends over several processes, identified by its root there. All
// processes get all parts.
struct Part {
  int process;
  std::uint32_t root, state;
};
// `Tie` is a strong coupling from a value of a process, in the cluster of `root`, to a value of another process.
struct Tie {
  int process;
  std::uint32_t root;
  std::int64_t here, there;  // global numbers
};

// `Joined` maps the roots of this process to the numbers of clusters that extend over several processes, and counts
// these clusters.
struct Joined {
  std::map<std::uint32_t, std::int64_t> cluster;
  std::int64_t count = 0;
};

Joined join(const Processes& processes, std::uint32_t most_values, const std::vector<Part>& parts,
            const std::vector<Tie>& ties) {
  std::map<std::pair<int, std::uint32_t>, std::size_t> place;  // index in `parts`
  for (std::size_t i = 0; i < parts.size(); ++i) place[{parts[i].process, parts[i].root}] = i;
  std::map<std::int64_t, std::size_t> part_at;
  for (const Tie& t : ties) part_at[t.here] = place.at({t.process, t.root});
  std::vector<std::size_t> above(parts.size());
  std::iota(above.begin(), above.end(), std::size_t{0});
  const auto top = [&](std::size_t i) {
    while (above[i] != i) i = above[i] = above[above[i]];
    return i;
  };
  for (const Tie& t : ties)
    if (const auto there = part_at.find(t.there); there != part_at.end()) {
      const std::size_t a = top(part_at.at(t.here)), b = top(there->second);
      above[std::max(a, b)] = std::min(a, b);
    }
  std::vector<std::int64_t> size(parts.size()), number(parts.size(), -1);
  std::vector<char> given(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    size[top(i)] += parts[i].state & ClusterSearch::counted;
    if ((parts[i].state & ClusterSearch::given) != 0) given[top(i)] = 1;
  }
  Joined joined;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t t = top(i);
    if (given[t] || size[t] > std::int64_t{most_values}) continue;
    if (number[t] < 0) number[t] = joined.count++;
    if (parts[i].process == processes.rank()) joined.cluster[parts[i].root] = number[t];
  }
  return joined;
}

// Joins the parts of clusters that extend over several processes.
Joined join_crossing(Clusters& clusters) {
  const Processes& processes = clusters.space().processes();
  std::vector<Part> parts;
  for (const ClusterRows::Value& root : clusters.read(clusters.pick(ClusterSearch::Wanted::crossing_roots)).values)
    parts.push_back({processes.rank(), root.root, root.state});
  std::vector<Tie> ties;
  for (const Clusters::RootedTie& t : clusters.ties()) {
    const Clusters::Place p = clusters.place_of(t.value);
    ties.push_back(
        {processes.rank(), t.root, clusters.global_number(p), clusters.global_number(clusters.neighbour(p, t.link))});
  }
  return join(processes, clusters.search().most_values, gather_lists(processes, parts), gather_lists(processes, ties));
}

void add_crossing(Clusters& clusters, const Joined& joined, double slow, TakenCrossing& taken,
                  StrongClusterSets& sets) {
  const Processes& processes = clusters.space().processes();
  std::vector<std::uint32_t> roots;
  for (const auto& [root, cluster] : joined.cluster) roots.push_back(root);
  clusters.choose(roots);
  const ClusterRows rows = clusters.read(clusters.pick(ClusterSearch::Wanted::chosen));
  // `cluster_of` maps each value in these clusters, of any process, to its cluster.
  struct Member {
    std::int64_t value, cluster;
  };
  std::vector<Member> members;
  for (const ClusterRows::Value& v : rows.values)
    members.push_back({clusters.global_number(clusters.place_of(v.number)), joined.cluster.at(v.root)});
  std::map<std::int64_t, std::int64_t> cluster_of;
  std::vector<CrossingSet> set_of(static_cast<std::size_t>(joined.count));
  for (const Member& m : gather_lists(processes, members)) {
    cluster_of[m.value] = m.cluster;
    CrossingSet& set = set_of[static_cast<std::size_t>(m.cluster)];
    set.first = set.size == 0 ? m.value : std::min(set.first, m.value);
    ++set.size;
  }

  struct StrongCluster {
    std::vector<std::int64_t> values;
    StrongClusterSums sums;
  };
  std::vector<StrongCluster> strong_clusters(static_cast<std::size_t>(joined.count));
  for (const ClusterRows::Value& v : rows.values) {
    const std::int64_t number = joined.cluster.at(v.root);
    StrongCluster& cluster = strong_clusters[static_cast<std::size_t>(number)];
    cluster.values.push_back(clusters.number(clusters.place_of(v.number)));
    cluster.sums.add(clusters, rows, v, [&](const ClusterRows::Place& r) {
      const auto found = cluster_of.find(clusters.global_number(r));
      return found != cluster_of.end() && found->second == number;
    });
  }
  // The energy of a cluster is the sum over its parts.
  std::vector<double> sums;
  for (const StrongCluster& i : strong_clusters) sums.insert(sums.end(), {i.sums.energy, i.sums.diagonals});
  if (sums.empty()) return;
  std::vector<double> all(sums.size() * static_cast<std::size_t>(processes.count()));
  processes.gather(sums.data(), sums.size() * sizeof(double), all.data());
  std::ranges::fill(sums, 0.0);
  for (std::size_t i = 0; i < all.size(); ++i) sums[i % sums.size()] += all[i];
  for (std::size_t i = 0; i < strong_clusters.size(); ++i) {
    const double energy = sums[2 * i], diagonals = sums[2 * i + 1];
    if (!(energy > 0 && energy < slow * diagonals) || !taken.insert(set_of[i]).second) continue;
    std::ranges::sort(strong_clusters[i].values);
    sets.add(strong_clusters[i].values, strong_clusters[i].sums.row, energy);
  }
}

}  // namespace

StrongClusterSets find_crossing_clusters(Clusters& clusters, double slow, TakenCrossing& taken) {
  StrongClusterSets sets;
  sets.margin = clusters.margin();
  add_crossing(clusters, join_crossing(clusters), slow, taken, sets);
  return sets;
}

}  // namespace poisson
