#pragma once

#include "backends/memory/view.hpp"
#include "grids/kernels/cuda/stencil_march.cuh"
#include "grids/rows/coefficients.hpp"
#include "grids/rows/stencil.hpp"
#include "grids/rows/swept_axis.hpp"

/// The rows that a pass of several sweeps (sweep_march.cuh) reads or computes.
namespace poisson::cuda {

/// `RelaxedRow` is a row with its 1/D.
template <class T>
struct RelaxedRow {
  Row<T> a;
  T inverse;
};
template <class T>
__device__ RelaxedRow<T> relaxed(const Row<T>& a) {
  return {a, stencil::reciprocal(a.diagonal())};
}

/// `PassRows` computes rows as the walk of a single sweep does (stencil_march.cuh), because another order of the same
/// products rounds differently. Between layers of cells each row is computed once, when the first sweep reaches it, and
/// is then passed on to the other sweeps.
template <class T, class Coefficients, bool flat>
struct PassRows {
  Coefficients c;

  void set(T /*omega*/) {}
  /// `Column` stores the position of a thread's column in x and y.
  struct Column {
    int i, j;
  };
  __device__ Column column(int i, int j) const { return {i, j}; }
  using Layer = decltype(Coefficients().column(0, 0).layer(Coefficients().column(0, 0).template read<flat>(0)));
  __device__ Layer layer(const Column& at, int k) const {
    const auto column = c.column(at.i, at.j);
    return column.layer(column.template read<flat>(k));
  }
  /// Returns row k over the layer `below`, and replaces `below` by the layer above.
  __device__ RelaxedRow<T> over(Layer& below, const Column& at, int k) const {
    const Layer under = below;
    below = layer(at, k);
    const auto column = c.column(at.i, at.j);
    return relaxed(column.template row<flat>(under, below, column.beside(k)));
  }
  __device__ RelaxedRow<T> operator()(const Column& at, int k) const {
    Layer below = layer(at, k - 1);
    return over(below, at, k);
  }
};
/// A column stores the entries of the tables of x and y that its rows need.
template <class T, bool flat>
struct PassRows<T, TensorProduct<T>, flat> {
  TensorProduct<T> c;

  void set(T /*omega*/) {}
  struct Entry {
    T coupling[2], mass;

    __device__ AxisTable<T> table() const { return {.coupling = coupling + 1, .mass = &mass}; }
  };
  struct Column {
    Entry x, y;
  };
  __device__ static Entry entry(const AxisTable<T>& axis, int i) {
    return {{axis.coupling[i - 1], axis.coupling[i]}, axis.mass[i]};
  }
  __device__ Column column(int i, int j) const { return {entry(c.x, i), entry(c.y, j)}; }
  __device__ RelaxedRow<T> operator()(const Column& at, int k) const {
    return relaxed(TensorProduct<T>{at.x.table(), at.y.table(), c.z, c.sigma}.line(0, k).row(0));
  }
};
/// Equal cells have at most 27 different rows: along each axis at the first index, inside, and at the last index. The
/// interior row is a kernel argument and needs no registers.
template <class T, bool flat>
struct PassRows<T, Equidistant<T>, flat> {
  static constexpr int count = 27;
  const RelaxedRow<T>* all;
  int last[3];
  RelaxedRow<T> inside;
  T factor;  ///< ω/D of `inside`

  void set(T omega) { factor = omega * inside.inverse; }

  /// Returns 0, 1 or 2 along an axis; an axis with one value has only kind 0.
  __device__ static int kind(int i, int last) { return i == 0 ? 0 : i == last ? 2 : 1; }
  using Column = signed char;
  __device__ Column column(int i, int j) const { return static_cast<Column>(kind(i, last[0]) + 3 * kind(j, last[1])); }
  __device__ RelaxedRow<T> operator()(Column at, int k) const { return all[at + 9 * kind(k, last[2])]; }
};
/// Computes the 27 rows.
template <class T>
__global__ void equal_rows_kernel(const Equidistant<T> c, RelaxedRow<T>* all) {
  const auto index = [](int kind, int last) { return kind == 0 ? 0 : kind == 2 ? last : -1; };  // −1: neither
  const int n = static_cast<int>(threadIdx.x);
  const auto line = c.line(index(n / 3 % 3, c.y.last), index(n / 9, c.z.last));
  all[n] = relaxed(line.row(index(n % 3, c.x.last)));
}

/// Returns (A u)_i from the differences to the neighbours, as Row::times does. Two rows share a difference with
/// opposite signs, so each difference is computed once. If a plane is a line, the differences to the south and north
/// are zero.
template <bool flat, class T>
__device__ T times(const Row<T>& a, T centre, T west, T east, T south, T north, T bottom, T top) {
  if constexpr (flat)
    return sum_of_products(a.west, west, a.east, east) + a.bottom * bottom + a.top * top + a.reaction * centre;
  else
    return sum_of_products(a.west, west, a.east, east) + a.south * south + a.north * north + a.bottom * bottom +
           a.top * top + a.reaction * centre;
}

}  // namespace poisson::cuda
