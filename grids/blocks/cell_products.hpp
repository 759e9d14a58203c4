#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "grids/blocks/stacked_tables.hpp"

/// Contains products with matrices of hexahedra that are computed from the corners at each use (Q1, two Gauss points
/// along each axis).
namespace poisson {

/// Returns |x| in code of devices.
template <class T>
constexpr T magnitude(T x) {
  return x < T(0) ? -x : x;
}

/// Calls f(0) to f(count − 1) with constants, so that arrays stay in registers.
template <int count, class F>
constexpr void unrolled(const F& f) {
  [&f]<int... i>(std::integer_sequence<int, i...>) {
    (f(std::integral_constant<int, i>{}), ...);
  }
  (std::make_integer_sequence<int, count>{});
}

/// Is the lower corner of edge q along an axis. Bits of q and of corners belong to the axes in their order.
constexpr int edge_corner(int axis, int q) {
  return axis == 0 ? q << 1 : axis == 1 ? (q & 1) | (q >> 1) << 2 : q;
}

/// Interpolates values at the ends of an interval to its Gauss points; the transposed map is the same.
template <class T>
constexpr void to_points(T& lower, T& upper) {
  const T change = T(0.21132486540518711775) * (upper - lower);
  lower += change;
  upper -= change;
}
template <class T>
constexpr void to_points_of_square(T (&v)[4]) {
  to_points(v[0], v[1]);
  to_points(v[2], v[3]);
  to_points(v[0], v[2]);
  to_points(v[1], v[3]);
}
template <class T>
constexpr void to_points_of_cube(T (&v)[8]) {
  for (int axis = 0; axis < 3; ++axis)
    for (int q = 0; q < 4; ++q) to_points(v[edge_corner(axis, q)], v[edge_corner(axis, q) | 1 << axis]);
}

/// Contains the coefficient of a cell, 1 or 6 entries of κ (xx, yy, zz, xy, xz, yz), and σ. They stand `apart`.
template <class T>
struct CellCoefficient {
  const T* kappa;
  const T* sigma;  ///< null: 0
  std::int64_t apart;
  bool tensor;

  constexpr void multiply(const T (&v)[3], T factor, T (&to)[3]) const {
    const T x = kappa[0];
    if (!tensor) {
      for (int a = 0; a < 3; ++a) to[a] = factor * x * v[a];
      return;
    }
    const T y = kappa[apart], z = kappa[2 * apart], xy = kappa[3 * apart], xz = kappa[4 * apart], yz = kappa[5 * apart];
    to[0] = factor * (x * v[0] + xy * v[1] + xz * v[2]);
    to[1] = factor * (xy * v[0] + y * v[1] + yz * v[2]);
    to[2] = factor * (xz * v[0] + yz * v[1] + z * v[2]);
  }
};

/// Computes out = K u of a cell. `edge[axis][component]` has its edges by edge_corner, which are overwritten by the
/// derivatives of the map at the Gauss points. Each of the products of three lengths must be a number of T.
template <class T>
constexpr void multiply_cell(T (&edge)[3][3][4], const CellCoefficient<T>& of, const T (&u)[8], T (&out)[8]) {
  T slope[3][4], flux[3][4] = {}, volume[8];
  for (int d = 0; d < 3; ++d) {
    for (int a = 0; a < 3; ++a) to_points_of_square(edge[d][a]);
    for (int q = 0; q < 4; ++q) slope[d][q] = u[edge_corner(d, q) | 1 << d] - u[edge_corner(d, q)];
    to_points_of_square(slope[d]);
  }
  unrolled<8>([&](auto point) {
    constexpr int g = point();
    constexpr int at[3] = {g >> 1, (g & 1) | (g >> 2) << 1, g & 3};
    // Columns of the adjugate: ∇u = Σ cross[d] slope[d] / det.
    T cross[3][3];
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        cross[d][a] = edge[e][b][at[e]] * edge[f][c][at[f]] - edge[e][c][at[e]] * edge[f][b][at[f]];
      }
    }
    const T det =
        magnitude(edge[0][0][at[0]] * cross[0][0] + edge[0][1][at[0]] * cross[0][1] + edge[0][2][at[0]] * cross[0][2]);
    volume[g] = T(0.125) * det;
    T gradient[3], through[3];
    for (int a = 0; a < 3; ++a)
      gradient[a] = cross[0][a] * slope[0][at[0]] + cross[1][a] * slope[1][at[1]] + cross[2][a] * slope[2][at[2]];
    of.multiply(gradient, T(0.125) / det, through);
    for (int d = 0; d < 3; ++d)
      flux[d][at[d]] += cross[d][0] * through[0] + cross[d][1] * through[1] + cross[d][2] * through[2];
  });
  for (T& value : out) value = 0;
  if (of.sigma) {
    for (int c = 0; c < 8; ++c) out[c] = u[c];
    to_points_of_cube(out);
    for (int g = 0; g < 8; ++g) out[g] *= *of.sigma * volume[g];
    to_points_of_cube(out);
  }
  for (int d = 0; d < 3; ++d) {
    to_points_of_square(flux[d]);
    for (int q = 0; q < 4; ++q) {
      out[edge_corner(d, q) | 1 << d] += flux[d][q];
      out[edge_corner(d, q)] -= flux[d][q];
    }
  }
}

/// Is a place from which edges are computed. In fp32 it is the sum of two numbers, because edges of thin cells are
/// small differences.
template <class T>
struct CellPlace {
  T x;
  constexpr void set(double place, double) { x = place; }
  constexpr T minus(const CellPlace& other) const { return x - other.x; }
};
template <>
struct CellPlace<float> {
  float x, rest;
  constexpr void set(double place, double origin) {
    const double from_origin = place - origin;
    x = static_cast<float>(from_origin);
    rest = static_cast<float>(from_origin - static_cast<double>(x));
  }
  constexpr float minus(const CellPlace& other) const { return (x - other.x) + (rest - other.rest); }
};

/// Locates the cells of a group: places of nodes and coefficients of cells, by block.
template <class T>
struct CellTables {
  const double* place;  ///< by block, x, y and z: of each node
  const T* kappa;       ///< by block and entry: of each cell, or one
  const T* sigma;       ///< null: 0
  std::int64_t cells;   ///< coefficients of a block
  bool varies, tensor;

  constexpr CellCoefficient<T> coefficient(int block, std::int64_t cell) const {
    const std::int64_t at = varies ? cell : 0;
    return {kappa + block * cells * (tensor ? 6 : 1) + at, sigma ? sigma + block * cells + at : nullptr, cells, tensor};
  }
};

/// Runs a product with computed matrices over the cells of a group. Devices visit all cells and add at nodes.
template <class T, class End>
struct MarchCells {
  using Value = T;
  BlockShape shape;
  GroupMemory memory, result;
  CellTables<T> tables;
  const T* u;
  T* slots;
  End end;

  constexpr double place(int patch, int node, int component) const {
    return tables.place[(std::int64_t{3} * patch + component) * shape.nodes + node];
  }
  constexpr T value(int patch, int i, int j, int k) const { return u[memory.at(patch, i, j, k)]; }
  constexpr CellCoefficient<T> coefficient(int patch, int i, int j, int k) const {
    return tables.coefficient(patch, i + std::int64_t{shape.n[0] - 1} * (j + std::int64_t{shape.n[1] - 1} * k));
  }
  /// Ends the product at a node.
  constexpr void put(const BlockShape::Node& at, T sum) const {
    if (const int slot = shape.slot(at); slot >= 0)
      slots[slot] = sum;
    else
      end.put(memory.at(at.patch, at.i, at.j, at.k), result.at(at.patch, at.i, at.j, at.k), sum);
  }
};

}  // namespace poisson
