#include "grids/levels/shared_islands.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "backends/backend.hpp"
#include "backends/gather_lists.hpp"
#include "grids/levels/island_couplings.hpp"

namespace poisson {
namespace {

using Place = std::array<int, 3>;

// A set of values of one process that strong couplings tie to one another.
struct Cluster {
  std::vector<Place> values;
  bool given = false;     // strongly tied to a value that is no unknown
  bool crossing = false;  // tied to values of another process
};

// Of a cluster that goes on elsewhere, for all to know.
struct Part {
  int process, number;
  std::int64_t values;
  bool given;
};
// From a value of a process, which is in this cluster, to one of another.
struct Tie {
  int process, number;
  std::int64_t here, there;  // in the whole
};

class Search {
 public:
  explicit Search(const Bands& bands) : space_(bands.space), A_(bands), box_(bands.unknowns()) {}

  SharedIslandSets run() {
    find_clusters();
    const auto [islands, count] = join();
    // Which island each value is in, those of the neighbours too: 0 none that goes on.
    const auto host = make_cpu_backend();
    Field numbers(*host, space_, Precision::fp64);
    const auto number_at = numbers.view<double>();
    for (std::size_t c = 0; c < clusters_.size(); ++c)
      for (const Place& p : clusters_[c].values)
        number_at(p[0], p[1], p[2]) = islands[c] >= 0 ? static_cast<double>(islands[c]) + 1 : 0;
    host->exchange(numbers);

    SharedIslandSets sets;
    sets.own.margin = sets.crossing.margin = A_.margin();
    std::vector<Found> crossing(static_cast<std::size_t>(count));
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
      const Cluster& cluster = clusters_[c];
      if (islands[c] >= 0) {
        const double number = static_cast<double>(islands[c]) + 1;
        add(cluster, crossing[static_cast<std::size_t>(islands[c])],
            [&](const Place& r) { return number_at(r[0], r[1], r[2]) == number; });
      } else if (!cluster.crossing && !cluster.given && cluster.values.size() > 1 &&
                 cluster.values.size() <= most_island_values) {
        Found island;
        add(cluster, island, [&](const Place& r) {
          return A_.is_own(r) && cluster_of_[A_.own_number(r)] == static_cast<std::int64_t>(c);
        });
        put(island, sets.own);
      }
    }
    // Energies are those of all parts.
    std::vector<double> sums;
    for (const Found& f : crossing) sums.insert(sums.end(), {f.sums.energy, f.sums.diagonals});
    if (!sums.empty()) {
      const Processes& processes = space_.processes();
      std::vector<double> all(sums.size() * static_cast<std::size_t>(processes.count()));
      processes.gather(sums.data(), sums.size() * sizeof(double), all.data());
      std::ranges::fill(sums, 0.0);
      for (std::size_t i = 0; i < all.size(); ++i) sums[i % sums.size()] += all[i];
    }
    for (std::size_t s = 0; s < crossing.size(); ++s) {
      crossing[s].sums.energy = sums[2 * s];
      crossing[s].sums.diagonals = sums[2 * s + 1];
      put(crossing[s], sets.crossing);
    }
    return sets;
  }

 private:
  struct Found {
    std::vector<std::int64_t> values;
    IslandSums sums;
  };

  void find_clusters() {
    cluster_of_.assign(static_cast<std::size_t>(space_.layout().size()), -1);
    Place p{};
    for (p[2] = box_.first[2]; p[2] < box_.last[2]; ++p[2])
      for (p[1] = box_.first[1]; p[1] < box_.last[1]; ++p[1])
        for (p[0] = box_.first[0]; p[0] < box_.last[0]; ++p[0])
          if (cluster_of_[A_.own_number(p)] < 0) find_cluster(p);
  }

  void find_cluster(const Place& p) {
    const auto number = static_cast<std::int64_t>(clusters_.size());
    Cluster& cluster = clusters_.emplace_back();
    cluster.values.push_back(p);
    cluster_of_[A_.own_number(p)] = number;
    for (std::size_t next = 0; next < cluster.values.size(); ++next) {
      const Place q = cluster.values[next];
      A_.for_each_strong(q, [&](const Place& r) {
        if (!A_.is_unknown(r)) {
          cluster.given = true;
        } else if (!A_.is_own(r)) {
          cluster.crossing = true;
          ties_.push_back(
              {space_.processes().rank(), static_cast<int>(number), A_.number_in_whole(q), A_.number_in_whole(r)});
        } else if (cluster_of_[A_.own_number(r)] < 0) {
          cluster_of_[A_.own_number(r)] = number;
          cluster.values.push_back(r);
        }
      });
    }
  }

  // The island of each cluster that is part of one that goes on, else −1; and how many of these there are.
  std::pair<std::vector<std::int64_t>, std::int64_t> join() const {
    const Processes& processes = space_.processes();
    std::vector<Part> own_parts;
    for (std::size_t c = 0; c < clusters_.size(); ++c)
      if (clusters_[c].crossing)
        own_parts.push_back(
            {processes.rank(), static_cast<int>(c), std::ssize(clusters_[c].values), clusters_[c].given});
    const std::vector<Part> parts = gather_lists(processes, own_parts);
    const std::vector<Tie> ties = gather_lists(processes, ties_);
    std::map<std::pair<int, int>, std::size_t> place;  // among the parts
    for (std::size_t i = 0; i < parts.size(); ++i) place[{parts[i].process, parts[i].number}] = i;
    std::map<std::int64_t, std::size_t> part_at;
    for (const Tie& t : ties) part_at[t.here] = place.at({t.process, t.number});
    std::vector<std::size_t> root(parts.size());
    std::iota(root.begin(), root.end(), std::size_t{0});
    const auto top = [&](std::size_t i) {
      while (root[i] != i) i = root[i] = root[root[i]];
      return i;
    };
    for (const Tie& t : ties)
      if (const auto there = part_at.find(t.there); there != part_at.end()) {
        const std::size_t a = top(part_at.at(t.here)), b = top(there->second);
        root[std::max(a, b)] = std::min(a, b);
      }
    std::vector<std::int64_t> size(parts.size()), number(parts.size(), -1);
    std::vector<char> given(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      size[top(i)] += parts[i].values;
      if (parts[i].given) given[top(i)] = 1;
    }
    std::int64_t count = 0;
    std::vector<std::int64_t> islands(clusters_.size(), -1);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::size_t t = top(i);
      if (given[t] || size[t] > static_cast<std::int64_t>(most_island_values)) continue;
      if (number[t] < 0) number[t] = count++;
      if (parts[i].process == processes.rank()) islands[static_cast<std::size_t>(parts[i].number)] = number[t];
    }
    return {islands, count};
  }

  // What a cluster adds to an island: inside(r) says whether a value is of it.
  template <class Inside>
  void add(const Cluster& cluster, Found& island, const Inside& inside) const {
    for (const Place& q : cluster.values) {
      island.values.push_back(A_.number(q));
      island.sums.add(A_, q, inside);
    }
  }

  // Into the sets, if it is an island.
  static void put(Found& found, IslandSets& sets) {
    if (!found.sums.is_slow()) return;
    std::ranges::sort(found.values);
    sets.add(found.values, found.sums.row, found.sums.energy);
  }

  const Space& space_;
  IslandCouplings A_;
  Box box_;
  std::vector<std::int64_t> cluster_of_;  // by value of this process; −1: none yet
  std::vector<Cluster> clusters_;
  std::vector<Tie> ties_;
};

}  // namespace

SharedIslandSets find_shared_islands(const Bands& bands) {
  return Search(bands).run();
}

}  // namespace poisson
