#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "grids/compact/short_row.hpp"

/// Contains the steps of aggregation, row by row, for threads of any device. A step is called once for each row or list
/// entry, in any order, and writes values that no other call reads.
namespace poisson {

/// Refers to a matrix in compressed rows whose columns rise.
struct CsrView {
  std::int64_t rows = 0, columns = 0;
  const std::int64_t* start = nullptr;
  const int* column = nullptr;
  const double* value = nullptr;
};

/// Computes the largest −a_ij of each row, j ≠ i; 0 if there is no negative entry. Rows whose diagonal exceeds five
/// times the sum of these entries, because of σ or a penalty, have −1: sweeps alone solve for them, and they belong to
/// no aggregate (Napov and Notay, SIAM J. Sci. Comput. 34, 2012).
struct LargestCoupling {
  static constexpr double isolated_from = 5;
  CsrView A;
  double* largest;
  constexpr void operator()(std::int64_t i) const {
    double most = 0, sum = 0, diagonal = 0;
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
      if (A.column[k] == i) {
        diagonal = A.value[k];
        continue;
      }
      most = std::max(most, -A.value[k]);
      sum += std::max(0.0, -A.value[k]);
    }
    largest[i] = sum > 0 && diagonal > isolated_from * sum ? -1 : most;
  }
};

/// Decides which couplings aggregates and P follow: negative entries with −a_ij ≥ 0.4 min(m_i, m_j), where m is the
/// largest −a of a row. Positive entries, which elements of poor shape have, are never strong. Limits are slightly
/// below round numbers, so that rounding decides no frequent ratio of couplings.
struct CouplingTest {
  static constexpr double share = 0.4 - 1e-6, negligible = 0.1 - 1e-6;
  const double* largest = nullptr;

  constexpr bool isolated(std::int64_t i) const { return largest[i] < 0; }
  constexpr bool strong(std::int64_t i, std::int64_t j, double a) const {
    const double least = std::min(largest[i], largest[j]);
    return a < 0 && least >= 0 && -a >= share * least;
  }
  /// Returns whether a strong coupling matters to row i.
  constexpr bool matters(std::int64_t i, double a) const { return -a >= negligible * largest[i]; }
  /// Returns whether two rows are neighbours: their coupling is strong and matters to both.
  constexpr bool joins(std::int64_t i, std::int64_t j, double a) const {
    return strong(i, j, a) && matters(i, a) && matters(j, a);
  }
};

/// Refers to the graph of neighbours.
struct NeighbourView {
  const std::int64_t* start = nullptr;
  const int* row = nullptr;
};
struct CountNeighbours {
  CsrView A;
  CouplingTest test;
  std::int64_t* count;
  constexpr void operator()(std::int64_t i) const {
    std::int64_t n = 0;
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k)
      if (A.column[k] != i && test.joins(i, A.column[k], A.value[k])) ++n;
    count[i] = n;
  }
};
struct ListNeighbours {
  CsrView A;
  CouplingTest test;
  const std::int64_t* start;
  int* row;
  constexpr void operator()(std::int64_t i) const {
    std::int64_t at = start[i];
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k)
      if (A.column[k] != i && test.joins(i, A.column[k], A.value[k])) row[at++] = A.column[k];
  }
};

/// Finds a maximal set of rows that are more than two couplings apart, the roots, in rounds that compare hashed indices
/// (Kelley and Rajamanickam, Parallel, portable algorithms for distance-2 maximal independent set and graph coarsening,
/// 2022, algorithm 1). The set depends on the graph alone.
struct RootSearch {
  using Rank = std::uint64_t;
  static constexpr Rank inside = 0, outside = std::numeric_limits<Rank>::max();

  NeighbourView near;
  Rank *own = nullptr, *least = nullptr;  ///< the rank of a row, and the least one of a row and its neighbours

  // Mixes bits (splitmix64, Steele, Lea and Flood, OOPSLA 2014).
  static constexpr std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }
  /// Returns the rank of a row in a round: hashed bits above its number, neither `inside` nor `outside`.
  static constexpr Rank rank_of(std::int64_t row, std::uint64_t round) {
    const auto number = static_cast<std::uint64_t>(row) + 1;
    return ((mixed(number * 0x9e3779b97f4a7c15ULL + round) >> 33) << 32) + number;
  }
  constexpr void begin(std::int64_t i) const { own[i] = least[i] = near.start[i] == near.start[i + 1] ? outside : 1; }
  constexpr void find_least(std::int64_t i) const {
    Rank smallest = own[i];
    for (std::int64_t k = near.start[i]; k < near.start[i + 1] && smallest != inside; ++k)
      smallest = std::min(smallest, own[near.row[k]]);
    least[i] = smallest == inside ? outside : smallest;
  }
  constexpr void decide(std::int64_t i) const {
    const Rank mine = own[i];
    bool wins = least[i] == mine, close = least[i] == outside;
    for (std::int64_t k = near.start[i]; k < near.start[i + 1] && !close; ++k) {
      close = least[near.row[k]] == outside;
      wins = wins && least[near.row[k]] == mine;
    }
    if (close)
      own[i] = outside;
    else if (wins)
      own[i] = inside;
  }
  constexpr bool is_open(int i) const { return own[i] != inside && own[i] != outside; }
  constexpr bool is_watched(int i) const { return least[i] != outside; }
};
struct BeginSearch {
  RootSearch search;
  constexpr void operator()(std::int64_t i) const { search.begin(i); }
};
struct RankRows {
  RootSearch search;
  const int* list;
  std::uint64_t round;
  constexpr void operator()(std::int64_t k) const { search.own[list[k]] = RootSearch::rank_of(list[k], round); }
};
struct FindLeast {
  RootSearch search;
  const int* list;
  constexpr void operator()(std::int64_t k) const { search.find_least(list[k]); }
};
struct DecideRows {
  RootSearch search;
  const int* list;
  constexpr void operator()(std::int64_t k) const { search.decide(list[k]); }
};
struct IsOpen {
  RootSearch search;
  constexpr bool operator()(int i) const { return search.is_open(i); }
};
struct IsWatched {
  RootSearch search;
  constexpr bool operator()(int i) const { return search.is_watched(i); }
};
struct ListAll {
  int* list;
  constexpr void operator()(std::int64_t i) const { list[i] = static_cast<int>(i); }
};

/// Marks roots with 1. Running sums then number the aggregates.
struct MarkRoots {
  const RootSearch::Rank* own;
  std::int64_t* mark;
  constexpr void operator()(std::int64_t i) const { mark[i] = own[i] == RootSearch::inside ? 1 : 0; }
};
/// Gives roots and their neighbours the number of the aggregate; −1: none.
struct TakeNeighbours {
  NeighbourView near;
  const RootSearch::Rank* own;
  const std::int64_t* number;
  int* of;
  constexpr void operator()(std::int64_t i) const {
    std::int64_t root = own[i] == RootSearch::inside ? i : -1;
    for (std::int64_t k = near.start[i]; k < near.start[i + 1] && root < 0; ++k)
      if (own[near.row[k]] == RootSearch::inside) root = near.row[k];
    of[i] = root < 0 ? -1 : static_cast<int>(number[root]);
  }
};
/// Lets a row without aggregate join the one of its neighbours with the largest sum of couplings that matter to the
/// row. Of nearly equal sums the first is chosen.
struct JoinNearest {
  static constexpr double equal = 1 + 1e-9;
  CsrView A;
  CouplingTest test;
  const int* of;
  int* next;

  constexpr bool counts(std::int64_t i, std::int64_t k) const {
    const int j = A.column[k];
    return j != i && of[j] >= 0 && test.strong(i, j, A.value[k]) && test.matters(i, A.value[k]);
  }
  constexpr void operator()(std::int64_t i) const {
    next[i] = of[i];
    if (of[i] >= 0) return;
    double most = 0;
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
      if (!counts(i, k)) continue;
      const int aggregate = of[A.column[k]];
      double sum = 0;
      bool seen = false;
      for (std::int64_t l = A.start[i]; l < A.start[i + 1] && !seen; ++l)
        if (counts(i, l) && of[A.column[l]] == aggregate) {
          seen = l < k;
          sum -= A.value[l];
        }
      if (seen || !(sum > most * equal)) continue;
      most = sum;
      next[i] = aggregate;
    }
  }
};
/// Marks rows with strong couplings that no aggregate takes: they become aggregates of their own.
struct MarkRest {
  CsrView A;
  CouplingTest test;
  const int* of;
  std::int64_t* mark;
  constexpr void operator()(std::int64_t i) const {
    bool coupled = false;
    if (of[i] < 0)
      for (std::int64_t k = A.start[i]; k < A.start[i + 1] && !coupled; ++k)
        coupled = A.column[k] != i && test.strong(i, A.column[k], A.value[k]);
    mark[i] = coupled ? 1 : 0;
  }
};
struct NumberRest {
  const std::int64_t* number;
  std::int64_t count;  ///< of aggregates with a root
  int* of;
  constexpr void operator()(std::int64_t i) const {
    if (number[i + 1] > number[i]) of[i] = static_cast<int>(count + number[i]);
  }
};

/// Is a row of F, which contains the strong couplings of A and has weak entries added to its diagonal: the diagonal,
/// the D by which the row is divided, and the sum of |f_ij|. Couplings to isolated rows are left out, so that these act
/// like Dirichlet values.
struct FilteredRow {
  double diagonal = 0, scale = 1, circle = 0;

  constexpr FilteredRow(const CsrView& A, const CouplingTest& test, std::int64_t i) {
    double own = 0, off = 0;
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
      const double a = A.value[k];
      const int j = A.column[k];
      if (j == i) own = a;
      if (j != i && test.strong(i, j, a))
        off -= a;
      else if (j == i || !test.isolated(j))
        diagonal += a;
    }
    scale = diagonal > 0 ? diagonal : own;
    circle = (diagonal < 0 ? -diagonal : diagonal) + off;
  }
};
/// Returns Gershgorin's bound of D⁻¹F from one row: at most 2, but in few rows of poor shape.
struct FilteredBound {
  CsrView A;
  CouplingTest test;
  constexpr double operator()(std::int64_t i) const {
    const FilteredRow row(A, test, i);
    return row.scale > 0 ? row.circle / row.scale : 1;
  }
};

using ShortRow = ShortEntries<8>;

/// Computes a row of P = (I − ω D⁻¹F) T, where T is the indicator of aggregates. Columns rise.
struct ProlongationRow {
  CsrView A;
  CouplingTest test;
  const int* of;
  double omega;

  /// Returns the aggregate to which entry k of row i contributes; −1: none.
  constexpr int target(std::int64_t i, std::int64_t k) const {
    const int j = A.column[k];
    return j == i || test.strong(i, j, A.value[k]) ? of[j] : -1;
  }
  constexpr std::int64_t count(std::int64_t i) const {
    ShortRow row;
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k)
      if (const int to = target(i, k); to >= 0 && !row.add(to, 0)) return count_many(i);
    return row.n;
  }
  /// Writes the row at `column` and `value`, or only its values if the columns are known. Entries whose columns are not
  /// among known ones are left out.
  constexpr void fill(std::int64_t i, std::int64_t length, int* column, double* value, bool known) const {
    const FilteredRow filtered(A, test, i);
    const double factor = filtered.scale > 0 ? omega / filtered.scale : 0;
    ShortRow row;
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
      const int to = target(i, k);
      if (to < 0) continue;
      const double v = A.column[k] == i ? 1 - factor * filtered.diagonal : -factor * A.value[k];
      if (!row.add(to, v)) return fill_many(i, length, column, value, known, filtered.diagonal, factor);
    }
    if (known)
      write_known(row, length, column, value);
    else
      write_sorted(row, column, value);
  }

 private:
  static constexpr void write_sorted(const ShortRow& row, int* column, double* value) {
    for (int m = 0; m < ShortRow::most; ++m) {
      if (m >= row.n) continue;
      int before = 0;
      for (int l = 0; l < ShortRow::most; ++l) before += l < row.n && row.column[l] < row.column[m] ? 1 : 0;
      column[before] = row.column[m];
      value[before] = row.value[m];
    }
  }
  static constexpr void write_known(const ShortRow& row, std::int64_t length, const int* column, double* value) {
    for (std::int64_t at = 0; at < length; ++at) {
      double v = 0;
      for (int m = 0; m < ShortRow::most; ++m)
        if (m < row.n && row.column[m] == column[at]) v = row.value[m];
      value[at] = v;
    }
  }
  constexpr std::int64_t count_many(std::int64_t i) const {
    std::int64_t n = 0;
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
      const int to = target(i, k);
      bool seen = to < 0;
      for (std::int64_t l = A.start[i]; l < k && !seen; ++l) seen = target(i, l) == to;
      if (!seen) ++n;
    }
    return n;
  }
  constexpr void fill_many(std::int64_t i, std::int64_t length, int* column, double* value, bool known, double diagonal,
                           double factor) const {
    std::int64_t n = known ? length : 0;
    for (std::int64_t k = 0; k < n; ++k) value[k] = 0;
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
      const int to = target(i, k);
      if (to < 0) continue;
      const double v = A.column[k] == i ? 1 - factor * diagonal : -factor * A.value[k];
      std::int64_t at = 0;
      while (at < n && column[at] < to) ++at;
      if (at < n && column[at] == to) {
        value[at] += v;
      } else if (!known) {
        for (std::int64_t m = n++; m > at; --m) {
          column[m] = column[m - 1];
          value[m] = value[m - 1];
        }
        column[at] = to;
        value[at] = v;
      }
    }
  }
};
struct CountProlongation {
  ProlongationRow row;
  std::int64_t* count;
  constexpr void operator()(std::int64_t i) const { count[i] = row.count(i); }
};
struct FillProlongation {
  ProlongationRow row;
  const std::int64_t* start;
  int* column;
  double* value;
  bool known;
  constexpr void operator()(std::int64_t i) const {
    row.fill(i, start[i + 1] - start[i], column + start[i], value + start[i], known);
  }
};

}  // namespace poisson
