#include "grids/compact/aggregates.hpp"

#include <algorithm>
#include <limits>

namespace poisson {
namespace {

using Rank = std::uint64_t;
constexpr Rank inside = 0, outside = std::numeric_limits<Rank>::max();

// Mixes bits (splitmix64, Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Returns the rank of a row in a round: hashed bits above its number, neither `inside` nor `outside`.
Rank rank_of(std::int64_t row, std::uint64_t round) {
  const auto number = static_cast<std::uint64_t>(row) + 1;
  return ((mixed(number * 0x9e3779b97f4a7c15ULL + round) >> 33) << 32) + number;
}

// Couplings below this share of a row's largest one do not matter to the row.
constexpr double negligible = 1.0 / 64;

// Returns whether coupling k of a row matters to the row, and whether it matters to both of its rows.
bool matters(const StrongCouplings& S, std::size_t row, std::int64_t k) {
  return -S.value[static_cast<std::size_t>(k)] >= negligible * S.largest[row];
}
bool matters_to_both(const StrongCouplings& S, std::size_t row, std::int64_t k) {
  return matters(S, row, k) && matters(S, static_cast<std::size_t>(S.column[static_cast<std::size_t>(k)]), k);
}

// Returns whether no coupling of a row matters to both of its rows.
bool stands_alone(const StrongCouplings& S, std::int64_t row) {
  const auto at = static_cast<std::size_t>(row);
  for (std::int64_t k = S.start[at]; k < S.start[at + 1]; ++k)
    if (matters_to_both(S, at, k)) return false;
  return true;
}

// Keeps the rows of a list that satisfy a condition, in order.
template <class Condition>
void keep_rows(std::vector<int>& list, const Condition& keep) {
  const auto n = static_cast<std::int64_t>(list.size());
  std::vector<std::int64_t> kept(static_cast<std::size_t>((n + row_chunk - 1) / row_chunk) + 1, 0);
  for_row_chunks(n, [&](std::int64_t first, std::int64_t last) {
    const auto begin = list.begin() + first;
    kept[static_cast<std::size_t>(first / row_chunk) + 1] =
        std::stable_partition(begin, list.begin() + last, keep) - begin;
  });
  std::int64_t end = 0;
  for (std::size_t c = 0; c + 1 < kept.size(); ++c) {
    const auto from = list.begin() + static_cast<std::int64_t>(c) * row_chunk;
    std::copy(from, from + kept[c + 1], list.begin() + end);
    end += kept[c + 1];
  }
  list.resize(static_cast<std::size_t>(end));
}

// Returns whether each row is a root.
UnsetVector<Rank> independent_set(const StrongCouplings& S) {
  const std::int64_t n = S.rows();
  UnsetVector<Rank> own(static_cast<std::size_t>(n)), least(static_cast<std::size_t>(n));
  std::vector<int> open(static_cast<std::size_t>(n));
  for_rows(n, [&](std::int64_t i) {
    own[static_cast<std::size_t>(i)] = least[static_cast<std::size_t>(i)] = stands_alone(S, i) ? outside : 1;
    open[static_cast<std::size_t>(i)] = static_cast<int>(i);
  });
  keep_rows(open, [&](int i) { return own[static_cast<std::size_t>(i)] != outside; });
  std::vector<int> watched = open;
  const auto neighbours = [&](int i, const auto& f) {
    const auto at = static_cast<std::size_t>(i);
    for (std::int64_t k = S.start[at]; k < S.start[at + 1]; ++k)
      if (matters_to_both(S, at, k) && !f(static_cast<std::size_t>(S.column[static_cast<std::size_t>(k)]))) return;
  };
  for (std::uint64_t round = 0; !open.empty(); ++round) {
    for_rows(static_cast<std::int64_t>(open.size()), [&](std::int64_t k) {
      const int i = open[static_cast<std::size_t>(k)];
      own[static_cast<std::size_t>(i)] = rank_of(i, round);
    });
    for_rows(static_cast<std::int64_t>(watched.size()), [&](std::int64_t k) {
      const int i = watched[static_cast<std::size_t>(k)];
      Rank smallest = own[static_cast<std::size_t>(i)];
      neighbours(i, [&](std::size_t j) {
        smallest = std::min(smallest, own[j]);
        return smallest != inside;
      });
      least[static_cast<std::size_t>(i)] = smallest == inside ? outside : smallest;
    });
    for_rows(static_cast<std::int64_t>(open.size()), [&](std::int64_t k) {
      const int i = open[static_cast<std::size_t>(k)];
      Rank& mine = own[static_cast<std::size_t>(i)];
      bool wins = least[static_cast<std::size_t>(i)] == mine, near = least[static_cast<std::size_t>(i)] == outside;
      neighbours(i, [&](std::size_t j) {
        near = near || least[j] == outside;
        wins = wins && least[j] == mine;
        return !near;
      });
      if (near)
        mine = outside;
      else if (wins)
        mine = inside;
    });
    keep_rows(open, [&](int i) {
      return own[static_cast<std::size_t>(i)] != inside && own[static_cast<std::size_t>(i)] != outside;
    });
    keep_rows(watched, [&](int i) { return least[static_cast<std::size_t>(i)] != outside; });
  }
  return own;
}

// Returns the aggregate of a row's neighbours with the largest sum of couplings that matter to the row; −1: none. The
// first of equal ones is chosen.
int nearest_aggregate(const StrongCouplings& S, const UnsetVector<int>& of, std::size_t row,
                      std::vector<std::pair<int, double>>& sums) {
  sums.clear();
  for (std::int64_t k = S.start[row]; k < S.start[row + 1]; ++k) {
    const int near = of[static_cast<std::size_t>(S.column[static_cast<std::size_t>(k)])];
    if (near < 0 || !matters(S, row, k)) continue;
    const auto known = std::ranges::find(sums, near, &std::pair<int, double>::first);
    const double coupling = -S.value[static_cast<std::size_t>(k)];
    if (known == sums.end())
      sums.emplace_back(near, coupling);
    else
      known->second += coupling;
  }
  int best = -1;
  double most = 0;
  for (const auto& [aggregate, sum] : sums)
    if (sum > most) {
      most = sum;
      best = aggregate;
    }
  return best;
}

// Lets rows that no root takes join aggregates next to them, in sweeps. Rows that are left become aggregates of their
// own.
void join_rest(const StrongCouplings& S, Aggregates& all) {
  constexpr int sweeps = 3;
  const std::int64_t n = S.rows();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    UnsetVector<int> next(static_cast<std::size_t>(n));
    for_row_chunks(n, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::pair<int, double>> sums;
      for (std::int64_t i = begin; i < end; ++i) {
        const auto at = static_cast<std::size_t>(i);
        next[at] = all.of[at] >= 0 || S.none(i) ? all.of[at] : nearest_aggregate(S, all.of, at, sums);
      }
    });
    all.of = std::move(next);
  }
  for (std::int64_t i = 0; i < n; ++i)
    if (all.of[static_cast<std::size_t>(i)] < 0 && !S.none(i))
      all.of[static_cast<std::size_t>(i)] = static_cast<int>(all.count++);
}

}  // namespace

StrongCouplings strong_couplings(const CsrMatrix& A, double share) {
  const std::int64_t n = A.rows();
  UnsetVector<double> largest(static_cast<std::size_t>(n));
  const auto for_entries = [&](std::int64_t i, const auto& f) {
    for (std::int64_t k = A.start[static_cast<std::size_t>(i)]; k < A.start[static_cast<std::size_t>(i) + 1]; ++k)
      if (A.column[static_cast<std::size_t>(k)] != i)
        f(static_cast<std::size_t>(A.column[static_cast<std::size_t>(k)]), A.value[static_cast<std::size_t>(k)]);
  };
  for_rows(n, [&](std::int64_t i) {
    double most = 0;
    for_entries(i, [&](std::size_t, double a) { most = std::max(most, -a); });
    largest[static_cast<std::size_t>(i)] = most;
  });
  const auto strong = [&](std::int64_t i, std::size_t j, double a) {
    return a < 0 && -a >= share * std::min(largest[static_cast<std::size_t>(i)], largest[j]);
  };
  StrongCouplings S;
  S.start.resize(static_cast<std::size_t>(n) + 1);
  for_rows(n, [&](std::int64_t i) {
    std::int64_t count = 0;
    for_entries(i, [&](std::size_t j, double a) { count += strong(i, j, a) ? 1 : 0; });
    S.start[static_cast<std::size_t>(i) + 1] = count;
  });
  sum_up(S.start);
  S.column.resize(static_cast<std::size_t>(S.start.back()));
  S.value.resize(static_cast<std::size_t>(S.start.back()));
  for_rows(n, [&](std::int64_t i) {
    auto at = static_cast<std::size_t>(S.start[static_cast<std::size_t>(i)]);
    for_entries(i, [&](std::size_t j, double a) {
      if (!strong(i, j, a)) return;
      S.column[at] = static_cast<int>(j);
      S.value[at++] = a;
    });
  });
  S.largest = std::move(largest);
  return S;
}

Aggregates aggregate(const StrongCouplings& S) {
  const std::int64_t n = S.rows();
  Aggregates all;
  const UnsetVector<Rank> own = independent_set(S);
  UnsetVector<int> root(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    root[static_cast<std::size_t>(i)] = own[static_cast<std::size_t>(i)] == inside ? static_cast<int>(all.count++) : -1;
  all.of.resize(static_cast<std::size_t>(n));
  for_rows(n, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    int taken = root[at];
    for (std::int64_t k = S.start[at]; k < S.start[at + 1] && taken < 0; ++k)
      if (matters_to_both(S, at, k)) taken = root[static_cast<std::size_t>(S.column[static_cast<std::size_t>(k)])];
    all.of[at] = taken;
  });
  join_rest(S, all);
  return all;
}

}  // namespace poisson
