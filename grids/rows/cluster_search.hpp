#pragma once

#include <cstdint>

#include "backends/memory/atomics.hpp"
#include "backends/memory/box.hpp"
#include "backends/memory/view.hpp"

namespace poisson {

/// Limits the number of values of a strong cluster. In space, larger clusters have values on many coarse grids. In the
/// plane, clusters of any size float if half of the plane conducts, and coarse grids tie them to others.
inline constexpr std::uint32_t most_cluster_values = 1024, most_cluster_values_in_plane = 1 << 20;

/// Records a strong coupling to a value of another process: the root of the cluster, the value, and the number of the
/// link.
struct ClusterTie {
  std::uint32_t root, value, link;
};

/// Searches for clusters of a symmetric matrix with reach 1, value by value, on any backend. A cluster is a set of
/// values that are connected by couplings above a given share of the larger diagonal entry. Every value points to an
/// earlier value of its cluster; the first value, the root, points to itself (Jaiganesh, Burtscher: A high-performance
/// connected components implementation for GPUs, HPDC 2018). Values are numbered x + nx (y + ny z).
struct ClusterSearch {
  enum class Step {
    diagonal,  ///< computes the diagonal entry of every value
    begin,     ///< makes every value a cluster
    join,
    count,   ///< points every value to its root and counts the cluster
    pick,    ///< lists the values of the clusters that `wanted` selects
    tie,     ///< writes the couplings to unknowns of other processes into `ties`
    choose,  ///< marks the root in list[i] as chosen
    read     ///< copies the row of the value in list[i] into record i
  };
  /// Encodes the state of a cluster: its number of values, up to the limit, and marks.
  static constexpr std::uint32_t counted = (1u << 28) - 1, given = 1u << 29, crossing = 1u << 30, chosen = 1u << 31;
  /// Selects which values are picked: values of small clusters that lie entirely on this process, roots of clusters
  /// that continue on other processes, or values of chosen clusters.
  enum class Wanted { small, crossing_roots, chosen };

  Step step = Step::diagonal;
  Wanted wanted = Wanted::small;
  double strong_share = 0;  ///< couplings above this share of the larger diagonal entry are strong
  std::uint32_t most_values = most_cluster_values;
  int n[3] = {}, origin[3] = {}, all[3] = {};
  bool periodic[3] = {}, closed[3] = {};  ///< axes that are periodic on this process, and in the global grid
  Box all_unknowns;                       ///< in global indices
  Box inner;                              ///< values whose neighbours are all unknowns of this process
  int bands = 0, offset[13][3] = {};      ///< the forward couplings that exist
  View<const double> band[13], sum;
  View<double> diagonal;
  std::uint32_t *parent = nullptr, *state = nullptr;
  std::uint32_t* found = nullptr;  ///< counts the values or ties found
  std::uint32_t room = 0;          ///< list capacity
  std::uint64_t* list = nullptr;   ///< the low half is a value, the high half its root
  ClusterTie* ties = nullptr;
  double* record = nullptr;  ///< stores for each value: root, state, row sum, diagonal entry, couplings

  /// Returns the number of couplings of a row: forward couplings first, then backward.
  constexpr int links() const { return 2 * bands; }
  constexpr int offset_along(int d, int link) const {
    return link < bands ? offset[link][d] : -offset[link - bands][d];
  }
  constexpr int record_size() const { return 4 + links(); }
  static constexpr std::uint32_t value_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }
  static constexpr std::uint32_t root_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
  constexpr std::uint32_t number(const int (&p)[3]) const {
    return static_cast<std::uint32_t>(p[0]) +
           static_cast<std::uint32_t>(n[0]) *
               (static_cast<std::uint32_t>(p[1]) + static_cast<std::uint32_t>(n[1]) * static_cast<std::uint32_t>(p[2]));
  }

  struct Place {
    int p[3];
  };
  constexpr Place place_of(std::uint32_t value) const {
    const auto nx = static_cast<std::uint32_t>(n[0]), ny = static_cast<std::uint32_t>(n[1]);
    return {{static_cast<int>(value % nx), static_cast<int>(value / nx % ny), static_cast<int>(value / nx / ny)}};
  }
  constexpr double coupling(const int (&p)[3], int link) const {
    if (link < bands) return band[link](p[0], p[1], p[2]);
    const int b = link - bands;  // the neighbour stores the entry
    return band[b](p[0] - offset[b][0], p[1] - offset[b][1], p[2] - offset[b][2]);
  }
  constexpr bool is_inner(const int (&p)[3]) const {
    return p[0] >= inner.first[0] && p[0] < inner.last[0] && p[1] >= inner.first[1] && p[1] < inner.last[1] &&
           p[2] >= inner.first[2] && p[2] < inner.last[2];
  }
  struct Neighbour {
    int at[3];
    bool own, unknown;
  };
  constexpr Neighbour neighbour(const int (&p)[3], int link) const {
    Neighbour q{{}, true, true};
    if (is_inner(p)) {
      for (int d = 0; d < 3; ++d) q.at[d] = p[d] + offset_along(d, link);
      return q;
    }
    for (int d = 0; d < 3; ++d) {
      int at = p[d] + offset_along(d, link);
      if (periodic[d]) at = at < 0 ? at + n[d] : at >= n[d] ? at - n[d] : at;
      q.at[d] = at;
      q.own = q.own && at >= 0 && at < n[d];
      int whole = at + origin[d];
      if (closed[d]) whole = whole < 0 ? whole + all[d] : whole >= all[d] ? whole - all[d] : whole;
      const auto axis = static_cast<std::size_t>(d);
      q.unknown = q.unknown && whole >= all_unknowns.first[axis] && whole < all_unknowns.last[axis];
    }
    return q;
  }

  constexpr void operator()(int i, int j, int k) const {
    switch (step) {
      case Step::diagonal:
        return take<Step::diagonal>(i, j, k);
      case Step::begin:
        return take<Step::begin>(i, j, k);
      case Step::join:
        return take<Step::join>(i, j, k);
      case Step::count:
        return take<Step::count>(i, j, k);
      case Step::pick:
        return take<Step::pick>(i, j, k);
      case Step::tie:
        return take<Step::tie>(i, j, k);
      case Step::choose:
        return take<Step::choose>(i, j, k);
      case Step::read:
        return take<Step::read>(i, j, k);
    }
  }
  /// Does the same for a step that is known to the compiler, so that a kernel of one step needs few registers.
  template <Step of>
  constexpr void take(int i, int j, int k) const {
    const int p[3] = {i, j, k};
    if constexpr (of == Step::diagonal) {
      add_up_row(p);
    } else if constexpr (of == Step::begin) {
      parent[number(p)] = number(p);
      state[number(p)] = 0;
    } else if constexpr (of == Step::join) {
      join_forward(p);
    } else if constexpr (of == Step::count) {
      count(p);
    } else if constexpr (of == Step::pick) {
      pick(p);
    } else if constexpr (of == Step::tie) {
      add_ties(p);
    } else if constexpr (of == Step::choose) {
      or_shared(state + value_of(list[i]), chosen);
    } else {
      read(i);
    }
  }

 private:
  constexpr void add_up_row(const int (&p)[3]) const {
    double row = sum(p[0], p[1], p[2]);
    for (int l = 0; l < links(); ++l) row += coupling(p, l);
    diagonal(p[0], p[1], p[2]) = row;
  }
  constexpr bool is_strong(const int (&p)[3], int link) const {
    const double a = coupling(p, link);
    if (a == 0) return false;  // the neighbour may not exist
    const double here = diagonal(p[0], p[1], p[2]),
                 there =
                     diagonal(p[0] + offset_along(0, link), p[1] + offset_along(1, link), p[2] + offset_along(2, link));
    return (a < 0 ? -a : a) > strong_share * (here < there ? there : here);
  }

  // The search shortens the paths that it follows. While each value writes its root, no other thread may write there;
  // root_above therefore only reads.
  constexpr std::uint32_t root_above(std::uint32_t at) const {
    for (std::uint32_t up = read_shared(parent + at); up != at; up = read_shared(parent + at)) at = up;
    return at;
  }
  constexpr std::uint32_t find_root(std::uint32_t at) const {
    std::uint32_t up = read_shared(parent + at);
    while (up != at) {
      const std::uint32_t further = read_shared(parent + up);
      if (further != up) write_shared(parent + at, further);
      at = up;
      up = further;
    }
    return at;
  }

  constexpr void join_forward(const int (&p)[3]) const {
    for (int l = 0; l < bands; ++l) {
      if (!is_strong(p, l)) continue;
      const Neighbour q = neighbour(p, l);
      if (!q.own || !q.unknown) continue;
      std::uint32_t a = find_root(number(p)), b = find_root(number(q.at));
      while (a != b) {
        const std::uint32_t later = a < b ? b : a, earlier = a < b ? a : b;
        const std::uint32_t before = swap_shared(parent + later, later, earlier);
        if (before == later) break;
        a = find_root(before);
        b = find_root(earlier);
      }
    }
  }

  constexpr void count(const int (&p)[3]) const {
    const std::uint32_t root = root_above(number(p));
    write_shared(parent + number(p), root);
    std::uint32_t marks = 0;
    for (int l = 0; l < links() && !is_inner(p); ++l) {
      if (!is_strong(p, l)) continue;
      const Neighbour q = neighbour(p, l);
      marks |= !q.unknown ? given : !q.own ? crossing : 0;
    }
    if (marks != 0) or_shared(state + root, marks);
    // A root may have millions of values, so counting stops at the limit.
    if ((read_shared(state + root) & counted) <= most_values) add_shared(state + root, 1u);
  }

  constexpr bool is_wanted(std::uint32_t value) const {
    const std::uint32_t s = state[parent[value]], values = s & counted;
    if (wanted == Wanted::chosen) return (s & chosen) != 0;
    if (wanted == Wanted::crossing_roots) return parent[value] == value && (s & crossing) != 0;
    return (s & (given | crossing)) == 0 && values > 1 && values <= most_values;
  }
  constexpr void pick(const int (&p)[3]) const {
    const std::uint32_t value = number(p);
    if (!is_wanted(value)) return;
    const std::uint32_t at = count_shared(found);
    if (at < room) list[at] = std::uint64_t{parent[value]} << 32 | value;
  }
  constexpr void add_ties(const int (&p)[3]) const {
    for (int l = 0; l < links(); ++l) {
      if (!is_strong(p, l)) continue;
      const Neighbour q = neighbour(p, l);
      if (q.own || !q.unknown) continue;
      const std::uint32_t at = count_shared(found);
      if (at < room) ties[at] = {parent[number(p)], number(p), static_cast<std::uint32_t>(l)};
    }
  }
  constexpr void read(int i) const {
    const std::uint32_t value = value_of(list[i]);
    const Place at = place_of(value);
    const int(&p)[3] = at.p;
    double* const to = record + static_cast<std::int64_t>(i) * record_size();
    to[0] = parent[value];
    to[1] = state[parent[value]];
    to[2] = sum(p[0], p[1], p[2]);
    to[3] = diagonal(p[0], p[1], p[2]);
    for (int l = 0; l < links(); ++l) to[4 + l] = coupling(p, l);
  }
};

}  // namespace poisson
