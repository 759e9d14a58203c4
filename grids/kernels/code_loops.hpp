#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

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

/// Contains the moments of one code while they are summed (CellCodes::Moments).
struct Moments {
  struct Extremum {
    double value;
    Cell at;
  };
  double size = 0, first = 0, second = 0, outflow = 0;
  Extremum low{std::numeric_limits<double>::infinity(), CellCodes::nowhere};
  Extremum high{-std::numeric_limits<double>::infinity(), CellCodes::nowhere};

  constexpr void see_low(const Extremum& e) {
    if (e.value < low.value || (e.value == low.value && e.at < low.at)) low = e;
  }
  constexpr void see_high(const Extremum& e) {
    if (e.value > high.value || (e.value == high.value && e.at < high.at)) high = e;
  }
  constexpr void join(const Moments& other) {
    size += other.size;
    first += other.first;
    second += other.second;
    outflow += other.outflow;
    see_low(other.low);
    see_high(other.high);
  }
};

/// Adds a cell to the moments of its code.
template <class Code, class T>
struct AddMoments {
  const Code* codes;
  Cells cell;
  View<const T> u;
  View<const double> faces[3];                  ///< data may be null
  View<const float> narrow_faces[3];            ///< have data if the fields are in fp32
  const double *mass[3], *inverse_distance[3];  ///< of AxisLengths
  bool closed[3];
  Code code;
  double replaced;  ///< NaN: u counts

  constexpr void operator()(int i, int j, int k, Moments& own) const {
    const Cell here = cell(i, j, k);
    if (codes[here] != code) return;
    const bool free = !(replaced == replaced);
    const double value = free ? static_cast<double>(u(i, j, k)) : replaced;
    const double volume = mass[0][i] * mass[1][j] * mass[2][k];
    own.size += volume;
    own.first += volume * value;
    own.second += volume * value * value;
    own.see_low({value, here});
    own.see_high({value, here});
    if (!free) return;
    const int at[3] = {i, j, k};
    for (int d = 0; d < 3; ++d)
      if (faces[d].data || narrow_faces[d].data) own.outflow += flow(at, d, at[d], at[d] - 1) + flow(at, d, at[d] + 1, at[d] + 1);
  }

 private:
  // Returns the flow through a face to the neighbour beyond it, if that has another code.
  constexpr double flow(const int (&at)[3], int d, int face, int beyond) const {
    const int n = cell.n[d];
    if (beyond < 0 || beyond >= n) {
      if (!closed[d]) return 0;
      beyond = beyond < 0 ? n - 1 : 0;
      face = 0;
    }
    int next[3] = {at[0], at[1], at[2]}, on[3] = {at[0], at[1], at[2]};
    next[d] = beyond;
    on[d] = face;
    if (codes[cell(next[0], next[1], next[2])] == code) return 0;
    const double kappa = faces[d].data ? faces[d](on[0], on[1], on[2])
                                       : static_cast<double>(narrow_faces[d](on[0], on[1], on[2]));
    if (kappa == 0) return 0;
    double area = 1;
    for (int e = 0; e < 3; ++e)
      if (e != d) area *= mass[e][at[e]];
    return kappa * area * inverse_distance[d][face] *
           (static_cast<double>(u(at[0], at[1], at[2])) - static_cast<double>(u(next[0], next[1], next[2])));
  }
};

/// Contains the widths of cells along each axis, and 1/distance of the centres on both sides of the face below each
/// cell.
struct AxisLengths {
  std::array<std::vector<double>, 3> mass, inverse_distance;

  explicit AxisLengths(const Block& block) {
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = block.axes[d];
      for (int i = 0; i < axis.size(); ++i) {
        mass[d].push_back(axis.mass(i));
        const double distance = axis.degenerate() ? 0 : 0.5 * (axis.width(i - 1) + axis.width(i));
        inverse_distance[d].push_back(distance > 0 ? 1 / distance : 0);
      }
    }
  }
};

/// Returns the functor for one code. `lengths` and fields are the host's; a device replaces their addresses.
template <class Code, class T>
AddMoments<Code, T> add_moments(const Code* codes, const Cells& cell, const CellCodes::Fields& fields, std::size_t code,
                                const AxisLengths& lengths) {
  AddMoments<Code, T> add{
      codes, cell, fields.u.view<T>(), {}, {}, {}, {}, {}, static_cast<Code>(code), fields.replaced[code]};
  for (std::size_t d = 0; d < 3; ++d) {
    if (const Field* const faces = fields.faces[d]; faces && faces->precision() == Precision::fp64)
      add.faces[d] = faces->view<double>();
    else if (faces)
      add.narrow_faces[d] = faces->view<float>();
    add.mass[d] = lengths.mass[d].data();
    add.inverse_distance[d] = lengths.inverse_distance[d].data();
    add.closed[d] = fields.block.axes[d].closed();
  }
  return add;
}

inline CellCodes::Moments result_of(const Moments& m) {
  return {m.size, m.first, m.second, m.outflow, {m.low.value, m.low.at}, {m.high.value, m.high.at}};
}

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
