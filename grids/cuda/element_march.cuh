#pragma once

#include <type_traits>

#include "grids/box_coefficients.hpp"
#include "grids/cuda/box_columns.cuh"

namespace poisson::cuda {

/// What a formula needs of a row whose product with u is known already.
template <class T>
struct KnownProduct {
  struct Neighbours {
    T centre;
  };
  T product, sum_of_couplings;
  __device__ T diagonal() const { return sum_of_couplings; }
  __device__ T times(const Neighbours&) const { return product; }
};

/// Elements with isotropic κ on the cells, walked along z by layers of cells. A cell's part of a row splits into what
/// its two planes of nodes give on their own,
///     P = (K_x ⊗ M_y + M_x ⊗ K_y) u   and   Q = (M_x ⊗ M_y)(u_k − u_{k+1}) :
/// the node below gets κ (own P_k + off P_{k+1} + Q/h), the one above κ (off P_k + own P_{k+1} − Q/h). A plane's P
/// serves the layers on both of its sides, and each layer the nodes below and above, so that a point takes some 75
/// operations where the entries of its row alone would take 170. All differences are taken before they are weighted.
template <class T, class Body>
struct ElementMarch {
  static constexpr int resident_blocks = 2;
  using Coefficients = BoxPartial<T, 3, Tensor::isotropic>;
  Coefficients c;
  View<const T> u;
  Body body;

  __device__ double operator()(int i, int j, int k0, int k1) const {
    const Column column(c, i, j);
    T below[9], here[9];
    load(i, j, k0 - 1, below);
    load(i, j, k0, here);
    T p_below[4], p_here[4], p_above[4];
    column.plane(below, p_below);
    column.plane(here, p_here);
    Node node = layer(column, i, j, k0 - 1, below, here, p_below, p_here).above;
    double sum = 0;
    for (int k = k0; k < k1; ++k) {
      T above[9];
      load(i, j, k + 1, above);
      const auto loaded = body.load(i, j, k);
      column.plane(above, p_above);
      const Layer l = layer(column, i, j, k, here, above, p_here, p_above);
      const KnownProduct<T> row{node.product + l.below.product, node.diagonal + l.below.diagonal};
      sum += body(row, {here[4]}, loaded, i, j, k);
      node = l.above;
#pragma unroll
      for (int m = 0; m < 9; ++m) here[m] = above[m];
#pragma unroll
      for (int q = 0; q < 4; ++q) p_here[q] = p_above[q];
    }
    return sum;
  }

 private:
  struct Node {
    T product, diagonal;
  };
  struct Layer {
    Node below, above;
  };

  /// The four columns of cells around the thread's column of nodes, q = side in x + 2 side in y.
  struct Column {
    T inverse_x[2], own_x[2], off_x[2], inverse_y[2], own_y[2], off_y[2];

    __device__ Column(const Coefficients& c, int i, int j) {
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        const int ci = i - 1 + side, cj = j - 1 + side;
        inverse_x[side] = c.x.inverse[ci];
        own_x[side] = c.x.own[ci];
        off_x[side] = c.x.off[ci];
        inverse_y[side] = c.y.inverse[cj];
        own_y[side] = c.y.own[cj];
        off_y[side] = c.y.off[cj];
      }
    }

    /// P in the node, of each column.
    __device__ void plane(const T (&v)[9], T (&p)[4]) const {
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const int dx = q % 2 == 0 ? -1 : 1, dy = q / 2 == 0 ? -3 : 3;
        const T along_x = own_y[q / 2] * (v[4] - v[4 + dx]) + off_y[q / 2] * (v[4 + dy] - v[4 + dx + dy]);
        const T along_y = own_x[q % 2] * (v[4] - v[4 + dy]) + off_x[q % 2] * (v[4 + dx] - v[4 + dx + dy]);
        p[q] = inverse_x[q % 2] * along_x + inverse_y[q / 2] * along_y;
      }
    }
    /// M_x ⊗ M_y in the node, of one column.
    __device__ T mass(const T (&v)[9], int q) const {
      const int dx = q % 2 == 0 ? -1 : 1, dy = q / 2 == 0 ? -3 : 3;
      return own_y[q / 2] * (own_x[q % 2] * v[4] + off_x[q % 2] * v[4 + dx]) +
             off_y[q / 2] * (own_x[q % 2] * v[4 + dy] + off_x[q % 2] * v[4 + dx + dy]);
    }
    __device__ T plane_diagonal(int q) const {
      return inverse_x[q % 2] * own_y[q / 2] + own_x[q % 2] * inverse_y[q / 2];
    }
    __device__ T mass_diagonal(int q) const {
      return own_x[q % 2] * own_y[q / 2];
    }
  };

  /// What the cells between the planes `low` (number k) and `high` give to the nodes in both.
  __device__ Layer layer(const Column& column, int i, int j, int k, const T (&low)[9], const T (&high)[9],
                         const T (&p_low)[4], const T (&p_high)[4]) const {
    const T inverse = c.z.inverse[k], own = c.z.own[k], off = c.z.off[k];
    const bool reacts = c.sigma_cells.data != nullptr || c.sigma != T(0);
    T difference[9];
#pragma unroll
    for (int m = 0; m < 9; ++m) difference[m] = low[m] - high[m];
    Layer l{};
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const int ci = i - 1 + q % 2, cj = j - 1 + q / 2;
      const T kappa = c.kappa[0](ci, cj, k), flux = inverse * column.mass(difference, q);
      l.below.product += kappa * (own * p_low[q] + off * p_high[q] + flux);
      l.above.product += kappa * (off * p_low[q] + own * p_high[q] - flux);
      T diagonal = kappa * (own * column.plane_diagonal(q) + inverse * column.mass_diagonal(q));
      if (reacts) {
        const T sigma = c.sigma_cells.data ? c.sigma * c.sigma_cells(ci, cj, k) : c.sigma;
        const T m_low = column.mass(low, q), m_high = column.mass(high, q);
        l.below.product += sigma * (own * m_low + off * m_high);
        l.above.product += sigma * (off * m_low + own * m_high);
        diagonal += sigma * own * column.mass_diagonal(q);
      }
      l.below.diagonal += diagonal;
      l.above.diagonal += diagonal;
    }
    return l;
  }

  __device__ void load(int i, int j, int k, T (&plane)[9]) const {
    const T* p = &u(i, j, k);
#pragma unroll
    for (int m = 0; m < 9; ++m) plane[m] = p[m % 3 - 1 + (m / 3 - 1) * u.sy];
  }
};

/// The walk along z for a model's rows: of stars, of elements with isotropic κ on cells, of other boxes.
template <class T, class Coefficients, class Body>
struct WalkFor {
  using Row = decltype(std::declval<const Coefficients&>().line(0, 0).row(0));
  using Type = std::conditional_t<std::is_same_v<Row, poisson::Row<T>>, March<T, Coefficients, Body>,
                                  BoxMarch<T, Coefficients, Body>>;
};
template <class T, class Body>
struct WalkFor<T, BoxPartial<T, 3, Tensor::isotropic>, Body> {
  using Type = ElementMarch<T, Body>;
};
template <class T, class Coefficients, class Body>
using WalkOf = typename WalkFor<T, Coefficients, Body>::Type;

}  // namespace poisson::cuda
