#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "grids/compact/row_builder.hpp"

/// Contains the steps that invert the diagonal blocks of aggregates. Sweeps use them instead of the diagonal where
/// couplings of very different size meet, as at slivers: the diagonal of a row with a large coupling to a neighbour
/// says nothing about the common movement of both (Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., 12.2).
namespace poisson {

/// Returns 1 for a row with a coupling between 1/50 and 0.4 of its largest one, or a positive one above 1/50. Regular
/// grids have few of them, whether κ jumps or not; meshes of triangles and tetrahedra have many.
struct UnevenRow {
  static constexpr double least = 0.02, share_of_rows = 0.1;
  CsrView A;
  CouplingTest test;
  constexpr double operator()(std::int64_t i) const {
    const double most = test.largest[i];
    if (most <= 0) return 0;
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
      if (A.column[k] == i) continue;
      const double a = A.value[k];
      if (a >= least * most || (a <= -least * most && a > -CouplingTest::share * most)) return 1;
    }
    return 0;
  }
};
/// Counts rows of poor elements, by weight. The corners of a sliver have couplings near their diagonal, and slow down
/// all sweeps even if they are few. Flat elements with many corners have large positive couplings. On good tetrahedra
/// no coupling exceeds 0.5 of the diagonal, and positive ones add up to less than 1/4 of it.
struct PoorRow {
  static constexpr double share_of_rows = 0.01;
  CsrView A;
  constexpr double operator()(std::int64_t i) const {
    double most = 0, positive = 0, diagonal = 0;
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
      const double a = A.value[k];
      if (A.column[k] == i) {
        diagonal = a;
        continue;
      }
      most = std::max(most, a < 0 ? -a : a);
      positive += std::max(0.0, a);
    }
    if (most > 0.8 * diagonal) return 50;
    return most > 0.6 * diagonal ? 1 : positive > 0.25 * diagonal ? 0.1 : 0;
  }
};

/// Lists the aggregate of each row as a matrix with entries 1.
struct CountMembers {
  const int* of;
  std::int64_t* count;
  constexpr void operator()(std::int64_t i) const { count[i] = of[i] >= 0 ? 1 : 0; }
};
struct ListMembers {
  const int* of;
  const std::int64_t* start;
  int* column;
  double* value;
  constexpr void operator()(std::int64_t i) const {
    if (of[i] < 0) return;
    column[start[i]] = of[i];
    value[start[i]] = 1;
  }
};

/// Computes the inverse of the diagonal blocks of A for lists of rows. Longer lists are cut into blocks of `most` rows.
struct BlockInverse {
  static constexpr int most = 32, numbers = most * (most + 1);  ///< that a team needs for a block
  static constexpr double smallest_pivot = 1e-10;               ///< of the diagonal; singular blocks use the diagonal
  CsrView A;
  const std::int64_t* first = nullptr;  ///< of each list
  const int* member = nullptr;          ///< rising
  const std::int64_t* start = nullptr;  ///< rows of the inverse
  int* column = nullptr;
  double* value = nullptr;

  template <class Team>
  constexpr void invert(const Team& team, std::int64_t list, double* M) const {
    for (std::int64_t begin = first[list]; begin < first[list + 1]; begin += most) {
      const int* const row = member + begin;
      const auto n = static_cast<int>(std::min<std::int64_t>(most, first[list + 1] - begin));
      gather(team, row, n, M);
      const bool good = eliminate(team, n, M);
      for (int a = team.lane; a < n; a += team.lanes) {
        const std::int64_t to = start[row[a]];
        for (int b = 0; b < n; ++b) {
          column[to + b] = row[b];
          value[to + b] = good ? M[a * n + b] : a == b ? 1 / M[n * n + a] : 0;
        }
      }
      team.sync();
    }
  }

 private:
  // Copies the block, whose upper half counts, and its diagonal behind it.
  template <class Team>
  constexpr void gather(const Team& team, const int* row, int n, double* M) const {
    for (int e = team.lane; e < n * n; e += team.lanes) M[e] = 0;
    team.sync();
    for (int a = team.lane; a < n; a += team.lanes) {
      int b = a;
      for (std::int64_t k = A.start[row[a]]; k < A.start[row[a] + 1]; ++k) {
        if (A.column[k] < row[a]) continue;
        while (b < n && row[b] < A.column[k]) ++b;
        if (b < n && row[b] == A.column[k]) M[a * n + b] = M[b * n + a] = A.value[k];
      }
      M[n * n + a] = M[a * n + a];
    }
    team.sync();
  }
  // Inverts the block by Gauss-Jordan steps in place. Returns false if it is singular but for rounding.
  template <class Team>
  static constexpr bool eliminate(const Team& team, int n, double* M) {
    for (int p = 0; p < n; ++p) {
      const double pivot = M[p * n + p], inverse = 1 / pivot;
      if (!(pivot > smallest_pivot * M[n * n + p])) return false;
      team.sync();
      for (int a = team.lane; a < n; a += team.lanes)
        for (int b = 0; b < n; ++b)
          if (a != p && b != p) M[a * n + b] -= M[a * n + p] * M[p * n + b] * inverse;
      team.sync();
      for (int a = team.lane; a < n; a += team.lanes) {
        if (a == p) {
          M[p * n + p] = inverse;
          continue;
        }
        M[a * n + p] *= -inverse;
        M[p * n + a] *= inverse;
      }
      team.sync();
    }
    return true;
  }
};

/// Counts the entries of rows of the inverse: those outside of all aggregates, and those of an aggregate.
struct CountAlone {
  const int* of;
  std::int64_t* count;
  constexpr void operator()(std::int64_t i) const { count[i] = of[i] < 0 ? 1 : 0; }
};
struct CountBlocks {
  const std::int64_t* first;
  const int* member;
  std::int64_t* count;
  constexpr void operator()(std::int64_t list) const {
    const std::int64_t n = first[list + 1] - first[list];
    for (std::int64_t t = 0; t < n; ++t) {
      const std::int64_t begin = t / BlockInverse::most * BlockInverse::most;
      count[member[first[list] + t]] = std::min<std::int64_t>(BlockInverse::most, n - begin);
    }
  }
};
struct FillAlone {
  CsrView A;
  const int* of;
  const std::int64_t* start;
  int* column;
  double* value;
  constexpr void operator()(std::int64_t i) const {
    if (of[i] >= 0) return;
    column[start[i]] = static_cast<int>(i);
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k)
      if (A.column[k] == i) value[start[i]] = A.value[k] > 0 ? 1 / A.value[k] : 0;
  }
};

/// Returns whether sweeps need blocks: many rows are uneven, and enough of them belong to poor elements.
template <class Rows>
bool needs_blocks(Rows& rows, const CsrView& A, const CouplingTest& test) {
  const auto n = static_cast<double>(A.rows);
  return rows.sum(A.rows, UnevenRow{A, test}) > UnevenRow::share_of_rows * n &&
         rows.sum(A.rows, PoorRow{A}) > PoorRow::share_of_rows * n;
}

/// Returns B⁻¹, where B contains the diagonal blocks of A for aggregates, and the diagonal of other rows. `transpose`
/// and `invert_blocks` exist for the rows of each device.
template <class Rows>
typename Rows::Matrix invert_aggregates(Rows& rows, const CsrView& A, const int* of, std::int64_t aggregates) {
  typename Rows::Matrix members, inverse;
  {
    typename Rows::Matrix indicator;
    indicator.start = rows.template make<std::int64_t>(A.rows + 1);
    rows.each(A.rows, CountMembers{of, rows.at(indicator.start)});
    rows.resize(indicator, A.rows, aggregates, rows.sum_up(indicator.start, A.rows));
    rows.each(A.rows, ListMembers{of, rows.at(indicator.start), rows.at(indicator.column), rows.at(indicator.value)});
    members = transpose(rows, indicator);
  }
  inverse.start = rows.template make<std::int64_t>(A.rows + 1);
  rows.each(A.rows, CountAlone{of, rows.at(inverse.start)});
  rows.each(aggregates, CountBlocks{rows.at(members.start), rows.at(members.column), rows.at(inverse.start)});
  rows.resize(inverse, A.rows, A.rows, rows.sum_up(inverse.start, A.rows));
  rows.each(A.rows, FillAlone{A, of, rows.at(inverse.start), rows.at(inverse.column), rows.at(inverse.value)});
  invert_blocks(rows, aggregates,
                BlockInverse{A, rows.at(members.start), rows.at(members.column), rows.at(inverse.start),
                             rows.at(inverse.column), rows.at(inverse.value)});
  return inverse;
}

}  // namespace poisson
