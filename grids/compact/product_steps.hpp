#pragma once

#include <cstdint>

#include "grids/compact/row_steps.hpp"

namespace poisson {

/// Is a team of threads that computes a row: a thread alone, or lanes of a warp of a GPU. `claim` writes a key into an
/// empty place and returns what was there; `total` adds a number of every thread, `before` those of preceding threads.
struct OneThread {
  static constexpr int lane = 0, lanes = 1;
  constexpr void sync() const {}
  constexpr int claim(int* place, int key) const {
    const int old = *place;
    if (old < 0) *place = key;
    return old;
  }
  constexpr int total(int n) const { return n; }
  constexpr int before(int) const { return 0; }
};

/// Is a hash table of columns in memory of a team. Its size is a power of two.
struct ColumnTable {
  static constexpr int empty = -1;
  int* key;
  double* sum;
  int size;

  template <class Team>
  constexpr void clear(const Team& team) const {
    for (int s = team.lane; s < size; s += team.lanes) key[s] = empty;
    team.sync();
  }
  /// Adds a value to a column. Returns 1 if the column is new, 0 if it is known, −1 if the table is full.
  template <class Team>
  constexpr int add(const Team& team, int column, double value) const {
    auto at = static_cast<int>((static_cast<std::uint32_t>(column) * 0x9e3779b1u) >> 16) & (size - 1);
    for (int probe = 0; probe < size; ++probe) {
      const int old = team.claim(key + at, column);
      if (old == empty) {
        sum[at] = value;
        return 1;
      }
      if (old == column) {
        sum[at] += value;
        return 0;
      }
      at = (at + 1) & (size - 1);
    }
    return -1;
  }
  /// Returns the sum of a column; 0 if it is not in the table.
  constexpr double find(int column) const {
    auto at = static_cast<int>((static_cast<std::uint32_t>(column) * 0x9e3779b1u) >> 16) & (size - 1);
    for (int probe = 0; probe < size && key[at] != empty; ++probe) {
      if (key[at] == column) return sum[at];
      at = (at + 1) & (size - 1);
    }
    return 0;
  }
};

/// Computes rows of A B. The lanes of a team share the entries of a row of B, whose columns differ, so entries are
/// summed in the order of the columns of A and have the same bits for teams of any size. Rows of B may lie anywhere,
/// and their columns may have any order.
struct RowProduct {
  CsrView A;
  const std::int64_t *B_first, *B_end;  ///< of each row
  const int* B_column;
  const double* B_value;

  /// Sums row i in a table. Returns the number of its entries; −1 if they exceed `most`.
  template <class Team>
  constexpr int sum(const Team& team, std::int64_t i, const ColumnTable& table, int most) const {
    table.clear(team);
    int fresh = 0;
    bool full = false;
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
      const int j = A.column[k];
      const double a = A.value[k];
      const std::int64_t end = B_end[j];
      for (std::int64_t l = B_first[j] + team.lane; l < end && !full; l += team.lanes) {
        const int added = table.add(team, B_column[l], a * B_value[l]);
        if (added < 0)
          full = true;
        else
          fresh += added;
      }
      team.sync();
    }
    const int n = team.total(fresh), overflows = team.total(full ? 1 : 0);
    return overflows > 0 || n > most ? -1 : n;
  }
  /// Writes the entries of a table in any order.
  template <class Team>
  static constexpr void write(const Team& team, const ColumnTable& table, int* column, double* value) {
    int own = 0;
    for (int s = team.lane; s < table.size; s += team.lanes) own += table.key[s] != ColumnTable::empty ? 1 : 0;
    int at = team.before(own);
    for (int s = team.lane; s < table.size; s += team.lanes) {
      if (table.key[s] == ColumnTable::empty) continue;
      column[at] = table.key[s];
      value[at++] = table.sum[s];
    }
    team.sync();
  }
};

/// Computes the values of row i of a product on a known pattern.
struct KnownRow {
  const std::int64_t* start;
  const int* column;
  double* value;

  /// `table` contains the row (RowProduct::sum).
  template <class Team>
  constexpr void fill(const Team& team, std::int64_t i, const ColumnTable& table) const {
    for (std::int64_t k = start[i] + team.lane; k < start[i + 1]; k += team.lanes) value[k] = table.find(column[k]);
    team.sync();
  }
};

/// Copies rows whose columns have any order, and sorts them. `keys` is memory of the team for a row.
struct SortedRow {
  const std::int64_t *from_first, *from_end, *start;
  const int* from_column;
  const double* from_value;
  int* column;
  double* value;

  template <class Team>
  constexpr void sort(const Team& team, std::int64_t i, int* keys) const {
    const std::int64_t first = from_first[i], to = start[i];
    const auto n = static_cast<int>(from_end[i] - first);
    for (int k = team.lane; k < n; k += team.lanes) keys[k] = from_column[first + k];
    team.sync();
    for (int k = team.lane; k < n; k += team.lanes) {
      const int own = keys[k];
      int before = 0;
      for (int l = 0; l < n; ++l) before += keys[l] < own ? 1 : 0;
      column[to + before] = own;
      value[to + before] = from_value[first + k];
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
  int* place = nullptr;  ///< of each entry in A (CopyPlaces); null: not wanted

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
      take(first + before, own, static_cast<int>(i));
    }
    team.sync();
  }
  /// Finds the values of row i, whose columns are known.
  constexpr void operator()(std::int64_t i) const {
    for (std::int64_t k = start[i]; k < start[i + 1]; ++k) take(k, column[k], static_cast<int>(i));
  }

 private:
  constexpr void take(std::int64_t to, std::int64_t i, int j) const {
    std::int64_t k = A.start[i];
    while (A.column[k] != j) ++k;
    value[to] = A.value[k];
    if (place) place[to] = static_cast<int>(k);
  }
};
/// Copies the values of a transpose from their known places.
struct CopyPlaces {
  const double* from;
  const int* place;
  double* to;
  constexpr void operator()(std::int64_t k) const { to[k] = from[place[k]]; }
};

}  // namespace poisson
