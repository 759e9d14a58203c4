#include "grids/compact/aggregates.hpp"

#include <algorithm>
#include <cmath>
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

// Returns the class of a row by its largest coupling: a factor of 64 for each class, the largest first.
std::uint64_t class_of(double largest) {
  constexpr int middle = 127, width = 6;
  const int exponent = largest > 0 ? std::ilogb(largest) : -width * middle;
  return static_cast<std::uint64_t>(std::clamp(middle - exponent / width, 0, 2 * middle));
}

// Returns the rank of a row in a round: its class and hashed bits above its number, neither `inside` nor `outside`.
Rank rank_of(const StrongCouplings& S, std::int64_t row, std::uint64_t round) {
  const auto number = static_cast<std::uint64_t>(row) + 1;
  return (class_of(S.largest[static_cast<std::size_t>(row)]) << 56) +
         ((mixed(number * 0x9e3779b97f4a7c15ULL + round) >> 40) << 32) + number;
}

// Keeps the rows of a list that satisfy a condition, in order.
template <class Condition>
void keep_rows(std::vector<int>& list, const Condition& keep) {
  const auto n = static_cast<std::int64_t>(list.size());
  std::vector<std::int64_t> kept(static_cast<std::size_t>((n + row_chunk - 1) / row_chunk) + 1, 0);
  for_row_chunks(n, [&](std::int64_t first, std::int64_t last) {
    const auto begin = list.begin() + first;
    kept[static_cast<std::size_t>(first / row_chunk) + 1] = std::stable_partition(begin, list.begin() + last, keep) - begin;
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
    own[static_cast<std::size_t>(i)] = S.none(i) ? outside : 0;
    least[static_cast<std::size_t>(i)] = S.none(i) ? outside : 0;
    open[static_cast<std::size_t>(i)] = static_cast<int>(i);
  });
  keep_rows(open, [&](int i) { return !S.none(i); });
  std::vector<int> watched = open;
  const auto neighbours = [&](int i, const auto& f) {
    const auto at = static_cast<std::size_t>(i);
    for (std::int64_t k = S.start[at]; k < S.start[at + 1]; ++k)
      if (!f(static_cast<std::size_t>(S.column[static_cast<std::size_t>(k)]))) return;
  };
  for (std::uint64_t round = 0; !open.empty(); ++round) {
    for_rows(static_cast<std::int64_t>(open.size()), [&](std::int64_t k) {
      const int i = open[static_cast<std::size_t>(k)];
      own[static_cast<std::size_t>(i)] = rank_of(S, i, round);
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

// Lets each row that no root takes join the aggregate of its neighbours with the largest sum of couplings. The first of
// equal ones is chosen.
void join_rest(const StrongCouplings& S, const UnsetVector<int>& first, UnsetVector<int>& of) {
  for_row_chunks(S.rows(), [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::pair<int, double>> sums;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      of[at] = first[at];
      if (first[at] >= 0 || S.none(i)) continue;
      sums.clear();
      for (std::int64_t k = S.start[at]; k < S.start[at + 1]; ++k) {
        const int near = first[static_cast<std::size_t>(S.column[static_cast<std::size_t>(k)])];
        if (near < 0) continue;
        const auto known = std::ranges::find(sums, near, &std::pair<int, double>::first);
        const double coupling = -S.value[static_cast<std::size_t>(k)];
        if (known == sums.end())
          sums.emplace_back(near, coupling);
        else
          known->second += coupling;
      }
      double most = 0;
      for (const auto& [aggregate, sum] : sums)
        if (sum > most) {
          most = sum;
          of[at] = aggregate;
        }
    }
  });
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
  S.share = share;
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
  UnsetVector<int> first(static_cast<std::size_t>(n));
  Aggregates all;
  {
    const UnsetVector<Rank> own = independent_set(S);
    int roots = 0;
    for (std::int64_t i = 0; i < n; ++i)
      first[static_cast<std::size_t>(i)] = own[static_cast<std::size_t>(i)] == inside ? roots++ : -1;
    all.count = roots;
    UnsetVector<int> taken(static_cast<std::size_t>(n));
    for_rows(n, [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      int root = first[at];
      for (std::int64_t k = S.start[at]; k < S.start[at + 1] && root < 0; ++k) {
        const auto j = static_cast<std::size_t>(S.column[static_cast<std::size_t>(k)]);
        if (own[j] == inside && -S.value[static_cast<std::size_t>(k)] >= S.share * S.largest[at]) root = first[j];
      }
      taken[at] = root;
    });
    first = std::move(taken);
  }
  all.of.resize(static_cast<std::size_t>(n));
  join_rest(S, first, all.of);
  return all;
}

}  // namespace poisson
