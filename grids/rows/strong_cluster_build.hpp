#pragma once

#include <cstdint>

#include "backends/memory/round_up.hpp"
#include "grids/rows/cluster_search.hpp"
#include "grids/rows/strong_cluster_tables.hpp"

namespace poisson {

/// Builds the tables of strong clusters from lists of clusters, entry by entry, on any backend. `keys` contains the
/// values of all candidate clusters in ascending order. Tables by cluster have one entry more than there are clusters.
/// The caller replaces `entries` by their prefix sums (backends/device/lists.hpp) after `values`, tables by cluster
/// after `sizes`, and `piece_first` after `pieces`.
struct StrongClusterBuild {
  enum class Step {
    heads,        ///< marks the first value of each cluster; the prefix sums number the clusters
    firsts,       ///< writes the first value of each cluster
    values,       ///< computes each value's energy and the number of entries of its row
    groups,       ///< adds up the energies of every `values_of_group` values
    sizes,        ///< decides which clusters are strong, and counts their values and entries
    bounds,       ///< writes where each strong cluster begins in the tables, and 1/energy
    rows,         ///< writes the entries of each value of a strong cluster
    mark,         ///< writes the size of each strong cluster into `taken`
    pieces,       ///< counts the pieces of each strong cluster
    list_pieces,  ///< writes the cluster of each piece
    forget        ///< clears `taken`
  };
  /// Energies of a cluster are added up by groups, so that one thread does not visit all values of a large cluster.
  static constexpr std::uint32_t values_of_group = 256;

  Step step = Step::heads;
  ClusterSearch search;
  double slow = 0;  ///< a cluster is strong if 1ᵀA1 < slow · 1ᵀD1
  const std::uint64_t* keys = nullptr;
  std::uint32_t count = 0, clusters = 0;
  std::uint32_t *before = nullptr, *entries = nullptr;                             // by value
  double *energy = nullptr, *diagonals = nullptr;                                  // by value
  double *group_energy = nullptr, *group_diagonals = nullptr;                      // by group of values
  std::uint32_t *first = nullptr, *kept = nullptr, *at = nullptr, *row = nullptr;  // by cluster
  double* cluster_energy = nullptr;                                                // by cluster
  std::uint32_t *cluster_first = nullptr, *cluster_row = nullptr;                  // by strong cluster
  std::uint32_t *piece_first = nullptr, *piece_cluster = nullptr;                  // by strong cluster; by piece
  double* inverse = nullptr;
  std::uint32_t *value_places = nullptr, *value_cluster = nullptr, *row_places = nullptr;
  float* weights = nullptr;
  /// Contains, at the root of each strong cluster of earlier rules, the number of its values. The clusters of a later
  /// rule are parts of those of an earlier one, so a cluster with the same root and size is the same.
  std::uint32_t* taken = nullptr;
  std::int64_t pitch[3] = {}, origin = 0;  ///< describe the fields that the tables index

  constexpr void operator()(int i, int, int) const {
    const auto number = static_cast<std::uint32_t>(i);
    switch (step) {
      case Step::heads:
        before[number] = is_head(number) ? 1 : 0;
        return;
      case Step::firsts:
        if (is_head(number)) first[cluster_of(number)] = number;
        if (number == 0) first[clusters] = count;
        return;
      case Step::values:
        return add_up_value(number);
      case Step::groups:
        return add_up_group(number);
      case Step::sizes:
        return add_up_cluster(number);
      case Step::bounds:
        return set_bounds(number);
      case Step::rows:
        return write_row(number);
      case Step::mark:
        if (is_strong_cluster(number)) taken[root_of(number)] = size_of(number);
        return;
      case Step::pieces:
        piece_first[number] = StrongClusterTables::pieces_of(cluster_first[number + 1] - cluster_first[number],
                                                             cluster_row[number + 1] - cluster_row[number]);
        return;
      case Step::list_pieces:
        for (std::uint32_t p = piece_first[number]; p < piece_first[number + 1]; ++p) piece_cluster[p] = number;
        return;
      case Step::forget:
        taken[number] = 0;
        return;
    }
  }

 private:
  constexpr bool is_head(std::uint32_t i) const {
    return i == 0 || ClusterSearch::root_of(keys[i]) != ClusterSearch::root_of(keys[i - 1]);
  }
  constexpr std::uint32_t cluster_of(std::uint32_t i) const { return before[i] - (is_head(i) ? 0 : 1); }
  constexpr std::uint32_t root_of(std::uint32_t c) const { return ClusterSearch::root_of(keys[first[c]]); }
  constexpr std::uint32_t size_of(std::uint32_t c) const { return first[c + 1] - first[c]; }

  // Calls f(coupling, neighbour) for each coupling to a value outside the cluster.
  template <class F>
  constexpr void for_each_outer(std::uint32_t i, const F& f) const {
    const ClusterSearch::Place place = search.place_of(ClusterSearch::value_of(keys[i]));
    for (int l = 0; l < search.links(); ++l) {
      const double a = search.coupling(place.p, l);
      if (a == 0) continue;
      const ClusterSearch::Neighbour q = search.neighbour(place.p, l);
      const bool inside = q.own && q.unknown && search.parent[search.number(q.at)] == ClusterSearch::root_of(keys[i]);
      if (!inside) f(a, q);
    }
  }

  constexpr void add_up_value(std::uint32_t i) const {
    const ClusterSearch::Place p = search.place_of(ClusterSearch::value_of(keys[i]));
    double sum = search.sum(p.p[0], p.p[1], p.p[2]);
    std::uint32_t links = 0;
    for_each_outer(i, [&](double a, const ClusterSearch::Neighbour& q) {
      sum += a;
      links += q.unknown ? 1 : 0;
    });
    energy[i] = sum;
    diagonals[i] = search.diagonal(p.p[0], p.p[1], p.p[2]);
    entries[i] = links + (sum != 0 ? 1 : 0);
  }

  struct Sums {
    double of_ones = 0, of_diagonals = 0;
  };
  // Adds the values from `begin` to `end` of the list.
  constexpr void add_values(std::uint32_t begin, std::uint32_t end, Sums& sums) const {
    for (std::uint32_t i = begin; i < end; ++i) {
      sums.of_ones += energy[i];
      sums.of_diagonals += diagonals[i];
    }
  }
  constexpr void add_up_group(std::uint32_t group) const {
    const std::uint32_t begin = group * values_of_group, end = begin + values_of_group;
    Sums sums;
    add_values(begin, end < count ? end : count, sums);
    group_energy[group] = sums.of_ones;
    group_diagonals[group] = sums.of_diagonals;
  }

  constexpr void add_up_cluster(std::uint32_t c) const {
    const std::uint32_t begin = first[c], end = first[c + 1];
    const std::uint32_t from = divide_up(begin, values_of_group), to = end / values_of_group;
    Sums sums;
    if (from < to) {
      add_values(begin, from * values_of_group, sums);
      for (std::uint32_t group = from; group < to; ++group) {
        sums.of_ones += group_energy[group];
        sums.of_diagonals += group_diagonals[group];
      }
      add_values(to * values_of_group, end, sums);
    } else {
      add_values(begin, end, sums);
    }
    const bool known = taken[root_of(c)] == size_of(c);
    const bool cluster = sums.of_ones > 0 && sums.of_ones < slow * sums.of_diagonals && !known;
    cluster_energy[c] = sums.of_ones;
    kept[c] = cluster ? 1 : 0;
    at[c] = cluster ? size_of(c) : 0;
    row[c] = cluster ? entries[end] - entries[begin] : 0;
  }

  constexpr bool is_strong_cluster(std::uint32_t c) const { return kept[c + 1] != kept[c]; }
  constexpr void set_bounds(std::uint32_t c) const {
    if (c == 0) {
      cluster_first[kept[clusters]] = at[clusters];
      cluster_row[kept[clusters]] = row[clusters];
    }
    if (!is_strong_cluster(c)) return;
    cluster_first[kept[c]] = at[c];
    cluster_row[kept[c]] = row[c];
    inverse[kept[c]] = 1 / cluster_energy[c];
  }

  constexpr std::uint32_t place_in_field(const int (&p)[3]) const {
    return static_cast<std::uint32_t>(origin + p[0] + p[1] * pitch[1] + p[2] * pitch[2]);
  }
  constexpr void write_row(std::uint32_t i) const {
    const std::uint32_t c = cluster_of(i);
    if (!is_strong_cluster(c)) return;
    const ClusterSearch::Place p = search.place_of(ClusterSearch::value_of(keys[i]));
    const std::uint32_t number = at[c] + i - first[c];
    value_places[number] = place_in_field(p.p);
    value_cluster[number] = kept[c];
    const std::uint32_t own = row[c] + entries[i] - entries[first[c]];
    std::uint32_t next = own;
    if (energy[i] != 0) {
      row_places[next] = place_in_field(p.p);
      weights[next++] = static_cast<float>(energy[i]);
    }
    for_each_outer(i, [&](double a, const ClusterSearch::Neighbour& q) {
      if (!q.unknown) return;
      row_places[next] = place_in_field(q.at);
      weights[next++] = static_cast<float>(-a);
    });
  }
};

}  // namespace poisson
