#pragma once

#include <array>
#include <cstdint>

#include "backends/memory/view.hpp"
#include "grids/kernels/cell_codes.hpp"

/// These are the steps of CellCodes for a single cell, on the host and on a device.
namespace poisson::code_loops {

using Cell = CellCodes::Cell;

/// Describes the cells of a process.
struct Cells {
  int n[3];
  constexpr Cell operator()(int i, int j, int k) const {
    return static_cast<Cell>((static_cast<std::int64_t>(k) * n[1] + j) * n[0] + i);
  }
};

template <class Code, class T>
struct LookUp {
  const Code* codes;
  const double* table;
  Cells cell;
  View<T> to;

  constexpr void operator()(int i, int j, int k) const {
    const double value = table[codes[cell(i, j, k)]];
    if (value == value) to(i, j, k) = static_cast<T>(value);
  }
};

/// Contains trees of cells: each cell has a parent with a number that is not greater. A root is its own parent. Threads
/// link trees concurrently, without locks, always the greater root below the smaller one, so the trees' roots do not
/// depend on the order (Jayanti and Tarjan, "A randomized concurrent algorithm for disjoint set union", PODC 2016).
/// `Memory` has load, store and replace for a number that threads share.
template <class Memory>
struct Parts {
  Cell* parent;

  constexpr bool connects(Cell cell) const { return Memory::load(parent + cell) != CellCodes::nowhere; }
  /// Replaces the parent of a cell by its root. All threads may do so at once, because each writes one parent only: in
  /// root() a late thread could replace a root by another ancestor.
  constexpr void flatten(Cell cell) const {
    if (!connects(cell)) return;
    Cell above = Memory::load(parent + cell);
    for (Cell next = Memory::load(parent + above); next != above; next = Memory::load(parent + above)) above = next;
    Memory::store(parent + cell, above);
  }
  /// Returns the root, and halves the path to it.
  constexpr Cell root(Cell cell) const {
    for (;;) {
      const Cell above = Memory::load(parent + cell);
      if (above == cell) return cell;
      const Cell next = Memory::load(parent + above);
      if (next == above) return above;
      Memory::store(parent + cell, next);
      cell = next;
    }
  }
  constexpr void link(Cell a, Cell b) const {
    for (;;) {
      a = root(a);
      b = root(b);
      if (a == b) return;
      const Cell low = a < b ? a : b, high = a < b ? b : a;
      if (Memory::replace(parent + high, high, low)) return;
    }
  }
};

/// Links a cell to the cells below it along y and z, and across closed axes. Runs along x are linked already. If both
/// cells have neighbours below along x, these make the link.
template <class Memory>
struct LinkCell {
  Parts<Memory> parts;
  Cells cell;
  bool closed[3];

  constexpr void operator()(int i, int j, int k) const {
    const Cell here = cell(i, j, k);
    if (!parts.connects(here)) return;
    if (closed[0] && i == 0 && cell.n[0] > 1) try_link(here, cell(cell.n[0] - 1, j, k));
    const bool before = i > 0 && parts.connects(here - 1);
    const int at[2] = {j, k};
    for (int a = 0; a < 2; ++a) {
      const int d = a + 1, n = cell.n[d];
      if (n < 2 || (at[a] == 0 && !closed[d])) continue;
      const int next = at[a] == 0 ? n - 1 : at[a] - 1;
      const Cell other = a == 0 ? cell(i, next, k) : cell(i, j, next);
      if (before && parts.connects(other) && parts.connects(other - 1)) continue;
      try_link(here, other);
    }
  }

 private:
  constexpr void try_link(Cell a, Cell b) const {
    if (parts.connects(b)) parts.link(a, b);
  }
};

}  // namespace poisson::code_loops
