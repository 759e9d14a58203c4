#include "grids/levels/shared_islands.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "backends/gather_lists.hpp"
#include "grids/levels/island_sums.hpp"

namespace poisson {
namespace {

// Of a cluster that goes on elsewhere, for all to know. Processes know it by its root there.
struct Part {
  int process;
  std::uint32_t root, state;
};
// From a value of a process, which is in this cluster, to one of another.
struct Tie {
  int process;
  std::uint32_t root;
  std::int64_t here, there;  // in the whole
};

// The islands that go through several processes: of this one's roots each; and how many there are.
struct Joined {
  std::map<std::uint32_t, std::int64_t> island;
  std::int64_t count = 0;
};

Joined join(const Processes& processes, std::uint32_t most_values, const std::vector<Part>& parts,
            const std::vector<Tie>& ties) {
  std::map<std::pair<int, std::uint32_t>, std::size_t> place;  // among the parts
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
    if (parts[i].process == processes.rank()) joined.island[parts[i].root] = number[t];
  }
  return joined;
}

// The clusters that go on elsewhere, joined.
Joined join_crossing(Clusters& clusters) {
  const Processes& processes = clusters.space().processes();
  std::vector<Part> parts;
  for (const ClusterRows::Value& root : clusters.read(clusters.pick(ClusterSearch::Wanted::crossing_roots)).values)
    parts.push_back({processes.rank(), root.root, root.state});
  std::vector<Tie> ties;
  for (const Clusters::RootedTie& t : clusters.ties()) {
    const Clusters::Place p = clusters.place_of(t.value);
    ties.push_back({processes.rank(), t.root, clusters.number_in_whole(p),
                    clusters.number_in_whole(clusters.neighbour(p, t.link))});
  }
  return join(processes, clusters.search().most_values, gather_lists(processes, parts), gather_lists(processes, ties));
}

void add_crossing(Clusters& clusters, const Joined& joined, double slow, IslandSets& sets) {
  const Processes& processes = clusters.space().processes();
  std::vector<std::uint32_t> roots;
  for (const auto& [root, island] : joined.island) roots.push_back(root);
  clusters.choose(roots);
  const ClusterRows rows = clusters.read(clusters.pick(ClusterSearch::Wanted::chosen));
  // Which island each value is in, those of the neighbours too.
  struct Member {
    std::int64_t value, island;
  };
  std::vector<Member> members;
  for (const ClusterRows::Value& v : rows.values)
    members.push_back({clusters.number_in_whole(clusters.place_of(v.number)), joined.island.at(v.root)});
  std::map<std::int64_t, std::int64_t> island_of;
  for (const Member& m : gather_lists(processes, members)) island_of[m.value] = m.island;

  struct Island {
    std::vector<std::int64_t> values;
    IslandSums sums;
  };
  std::vector<Island> islands(static_cast<std::size_t>(joined.count));
  for (const ClusterRows::Value& v : rows.values) {
    const std::int64_t number = joined.island.at(v.root);
    Island& island = islands[static_cast<std::size_t>(number)];
    island.values.push_back(clusters.number(clusters.place_of(v.number)));
    island.sums.add(clusters, rows, v, [&](const ClusterRows::Place& r) {
      const auto found = island_of.find(clusters.number_in_whole(r));
      return found != island_of.end() && found->second == number;
    });
  }
  // Energies are those of all parts.
  std::vector<double> sums;
  for (const Island& i : islands) sums.insert(sums.end(), {i.sums.energy, i.sums.diagonals});
  if (sums.empty()) return;
  std::vector<double> all(sums.size() * static_cast<std::size_t>(processes.count()));
  processes.gather(sums.data(), sums.size() * sizeof(double), all.data());
  std::ranges::fill(sums, 0.0);
  for (std::size_t i = 0; i < all.size(); ++i) sums[i % sums.size()] += all[i];
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const double energy = sums[2 * i], diagonals = sums[2 * i + 1];
    if (!(energy > 0 && energy < slow * diagonals)) continue;
    std::ranges::sort(islands[i].values);
    sets.add(islands[i].values, islands[i].sums.row, energy);
  }
}

}  // namespace

IslandSets find_crossing_islands(Clusters& clusters, double slow) {
  IslandSets sets;
  sets.margin = clusters.margin();
  add_crossing(clusters, join_crossing(clusters), slow, sets);
  return sets;
}

}  // namespace poisson
