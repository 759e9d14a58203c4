#pragma once

#include <cstdint>

#include "grids/rows/cluster_search.hpp"

namespace poisson {

/// Builds the tables of strong clusters from lists of clusters, entry by entry, on any backend. `keys` contains the
/// values of all candidate clusters in ascending order. Tables by cluster have one entry more than there are clusters.
/// The caller replaces them by their prefix sums (backends/device/lists.hpp) between `sizes` and `bounds`.
struct StrongClusterBuild {
  enum class Step {
    heads,   ///< marks the first value of each cluster; the prefix sums number the clusters
    firsts,  ///< writes the first value of each cluster
    values,  ///< computes each value's energy and the number of entries of its row
    sizes,   ///< decides which clusters are strong, and counts their values and entries
    bounds,  ///< writes where each strong cluster begins in the tables, and 1/energy
    rows     ///< writes the entries of each value of a strong cluster
  };

  Step step = Step::heads;
  ClusterSearch search;
  double slow = 0;  ///< a cluster is strong if 1ᵀA1 < slow · 1ᵀD1
  const std::uint64_t* keys = nullptr;
  std::uint32_t count = 0, clusters = 0;
  std::uint32_t *before = nullptr, *entries = nullptr;                             // by value
  double *energy = nullptr, *diagonals = nullptr;                                  // by value
  std::uint32_t *first = nullptr, *kept = nullptr, *at = nullptr, *row = nullptr;  // by cluster
  std::uint32_t *cluster_first = nullptr, *cluster_row = nullptr;                  // by strong cluster
  double* inverse = nullptr;
  std::uint32_t *value_places = nullptr, *row_places = nullptr;
  float* weights = nullptr;
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
      case Step::sizes:
        return add_up_cluster(number);
      case Step::bounds:
        return set_bounds(number);
      case Step::rows:
        return write_row(number);
    }
  }

 private:
  constexpr bool is_head(std::uint32_t i) const {
    return i == 0 || ClusterSearch::root_of(keys[i]) != ClusterSearch::root_of(keys[i - 1]);
  }
  constexpr std::uint32_t cluster_of(std::uint32_t i) const { return before[i] - (is_head(i) ? 0 : 1); }

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
    std::uint32_t links = 1;  // counts the diagonal entry
    for_each_outer(i, [&](double a, const ClusterSearch::Neighbour& q) {
      sum += a;
      links += q.unknown ? 1 : 0;
    });
    energy[i] = sum;
    diagonals[i] = search.diagonal(p.p[0], p.p[1], p.p[2]);
    entries[i] = links;
  }

  constexpr void add_up_cluster(std::uint32_t c) const {
    double of_ones = 0, of_diagonals = 0;
    std::uint32_t links = 0;
    for (std::uint32_t i = first[c]; i < first[c + 1]; ++i) {
      of_ones += energy[i];
      of_diagonals += diagonals[i];
      links += entries[i];
    }
    const bool cluster = of_ones > 0 && of_ones < slow * of_diagonals;
    kept[c] = cluster ? 1 : 0;
    at[c] = cluster ? first[c + 1] - first[c] : 0;
    row[c] = cluster ? links : 0;
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
    double of_ones = 0;
    std::uint32_t begin = row[c];
    for (std::uint32_t i = first[c]; i < first[c + 1]; ++i) {
      of_ones += energy[i];
      const std::uint32_t own = entries[i];
      entries[i] = begin;
      begin += own;
    }
    inverse[kept[c]] = 1 / of_ones;
  }

  constexpr std::uint32_t place_in_field(const int (&p)[3]) const {
    return static_cast<std::uint32_t>(origin + p[0] + p[1] * pitch[1] + p[2] * pitch[2]);
  }
  constexpr void write_row(std::uint32_t i) const {
    const std::uint32_t c = cluster_of(i);
    if (!is_strong_cluster(c)) return;
    const ClusterSearch::Place p = search.place_of(ClusterSearch::value_of(keys[i]));
    value_places[at[c] + i - first[c]] = place_in_field(p.p);
    const std::uint32_t own = entries[i];
    std::uint32_t next = own + 1;
    for_each_outer(i, [&](double a, const ClusterSearch::Neighbour& q) {
      if (!q.unknown) return;
      row_places[next] = place_in_field(q.at);
      weights[next++] = static_cast<float>(-a);
    });
    row_places[own] = place_in_field(p.p);
    weights[own] = static_cast<float>(energy[i]);
  }
};

}  // namespace poisson
