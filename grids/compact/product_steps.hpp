#pragma once

#include <cstdint>

#include "grids/compact/row_steps.hpp"

namespace poisson {

/// Is a team of threads that computes a row: a thread alone, or lanes of a warp of a GPU. `claim` writes a key into an
/// empty place and returns what was there; `total` adds a number of every thread.
struct OneThread {
  static constexpr int lane = 0, lanes = 1;
  constexpr void sync() const {}
  constexpr int claim(int* place, int key) const {
    const int old = *place;
    if (old < 0) *place = key;
    return old;
  }
  constexpr int total(int n) const { return n; }
};

/// Is a hash table of columns in memory of a team. Its size is a power of two.
struct ColumnTable {
  static constexpr int empty = -1;
  int* key;
  double* sum;
  int size;

  template <class Team>
  constexpr void clear(const Team& team, bool sums) const {
    for (int s = team.lane; s < size; s += team.lanes) {
      key[s] = empty;
      if (sums) sum[s] = 0;
    }
    team.sync();
  }
  /// Returns the place of a column, and adds 1 to `fresh` if the column is new; −1: the table is full.
  template <class Team>
  constexpr int place(const Team& team, int column, int& fresh) const {
    auto at = static_cast<int>((static_cast<std::uint32_t>(column) * 0x9e3779b1u) >> 16) & (size - 1);
    for (int probe = 0; probe < size; ++probe) {
      const int old = team.claim(key + at, column);
      if (old == empty) ++fresh;
      if (old == empty || old == column) return at;
      at = (at + 1) & (size - 1);
    }
    return -1;
  }
};

/// Computes rows of A B. The lanes of a team share the entries of a row of B, whose columns differ, so entries are
/// summed in the order of the columns of A and have the same bits for teams of any size.
struct RowProduct {
  CsrView A, B;

  /// Returns the number of entries of row i; −1 if they exceed `most` or the table.
  template <class Team>
  constexpr int count(const Team& team, std::int64_t i, const ColumnTable& table, int most) const {
    table.clear(team, false);
    int fresh = 0;
    bool full = false;
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
      const int j = A.column[k];
      for (std::int64_t l = B.start[j] + team.lane; l < B.start[j + 1] && !full; l += team.lanes)
        full = table.place(team, B.column[l], fresh) < 0;
    }
    const int n = team.total(fresh), overflows = team.total(full ? 1 : 0);
    return overflows > 0 || n > most ? -1 : n;
  }
  /// Writes the columns of row i in rising order, and the values. The table must be larger than the row.
  template <class Team>
  constexpr void fill(const Team& team, std::int64_t i, const ColumnTable& table, int* column, double* value) const {
    table.clear(team, true);
    int fresh = 0;
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
      const int j = A.column[k];
      const double a = A.value[k];
      for (std::int64_t l = B.start[j] + team.lane; l < B.start[j + 1]; l += team.lanes)
        table.sum[table.place(team, B.column[l], fresh)] += a * B.value[l];
      team.sync();
    }
    for (int s = team.lane; s < table.size; s += team.lanes) {
      const int own = table.key[s];
      if (own == ColumnTable::empty) continue;
      int before = 0;
      for (int t = 0; t < table.size; ++t)
        before += table.key[t] != ColumnTable::empty && table.key[t] < own ? 1 : 0;
      column[before] = own;
      value[before] = table.sum[s];
    }
    team.sync();
  }
};

/// Sorts the rows of a transpose, whose order is arbitrary at first, and finds their values in A.
struct TransposeRow {
  CsrView A;
  const std::int64_t* start;  ///< of the rows of the transpose
  int* column;
  double* value;

  /// `copy` is memory of the team for the row.
  template <class Team>
  constexpr void sort(const Team& team, std::int64_t i, int* copy) const {
    const std::int64_t first = start[i];
    const auto n = static_cast<int>(start[i + 1] - first);
    for (int k = team.lane; k < n; k += team.lanes) copy[k] = column[first + k];
    team.sync();
    for (int k = team.lane; k < n; k += team.lanes) {
      const int own = copy[k];
      int before = 0;
      for (int l = 0; l < n; ++l) before += copy[l] < own ? 1 : 0;
      column[first + before] = own;
      value[first + before] = value_at(own, static_cast<int>(i));
    }
    team.sync();
  }
  constexpr double value_at(std::int64_t i, int j) const {
    std::int64_t k = A.start[i];
    while (A.column[k] != j) ++k;
    return A.value[k];
  }
};

}  // namespace poisson
