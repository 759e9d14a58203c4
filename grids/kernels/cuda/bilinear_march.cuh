#pragma once

#include "grids/kernels/cuda/box_columns.cuh"
#include "grids/kernels/cuda/known_product.cuh"
#include "grids/rows/bilinear_walk.hpp"
#include "grids/rows/box_coefficients.hpp"

namespace poisson::cuda {

/// `BilinearColumn` reads the coefficients of a model for a walk along y through a column of bilinear elements.
template <class Coefficients>
struct BilinearColumn;

/// This specialization has κ on cells. σ is constant, or on cells with Robin's α in its halo.
template <class T>
struct BilinearColumn<BoxPartial<T, 2, Tensor::isotropic>> {
  template <class Body>
  static constexpr bool fetches = flat_fetches<Body>;
  const BoxPartial<T, 2, Tensor::isotropic>& c;
  int i;

  /// Returns the cell before (0) or after (1) the column.
  template <class Cell>
  __device__ Cell cell(int side) const {
    const int at = i - 1 + side;
    return {c.x.own[at], c.x.off[at], c.x.inverse[at]};
  }
  __device__ bool reacts() const { return c.sigma_cells.data != nullptr || c.sigma != T(0); }
  static constexpr bool constant_kappa = false;
  __device__ int equal_cells() const { return c.y.equal; }
  /// Returns the layer between lines k and k + 1, with the height of cell y.
  template <bool reacts, class Layer>
  __device__ Layer layer(int k, int y) const {
    const T* kappa = c.kappa[0].line(k, 0);
    Layer layer{c.y.own[y], c.y.off[y], c.y.inverse[y], {kappa[i - 1], kappa[i]}, {c.sigma, c.sigma}};
    if constexpr (reacts)
      if (c.sigma_cells.data)
        for (int side = 0; side < 2; ++side) layer.sigma[side] *= c.sigma_cells(i - 1 + side, k, 0);
    return layer;
  }
  /// Returns α of the faces across x that contain the column. `add_face` adds α of the faces across y at node k.
  __device__ T alpha_x() const { return T(0); }
  template <class Walk>
  __device__ void add_face(int, const Walk&, typename Walk::Row&) const {}
};

/// This specialization has constant κ, σ and α.
template <class T>
struct BilinearColumn<BoxProduct<T, 2>> {
  template <class Body>
  static constexpr bool fetches = true;
  const BoxProduct<T, 2>& c;
  int i;

  template <class Cell>
  __device__ Cell cell(int side) const {
    const int at = i - 1 + side;
    return {c.x.own[at], c.x.off[at], c.x.stiffness[at]};
  }
  __device__ bool reacts() const { return c.sigma != T(0) || alpha_x() != T(0); }
  static constexpr bool constant_kappa = true;
  __device__ int equal_cells() const { return c.y.equal; }
  template <bool reacts, class Layer>
  __device__ Layer layer(int, int y) const {
    return {c.y.own[y], c.y.off[y], c.y.stiffness[y], {T(1), T(1)}, {c.sigma, c.sigma}};
  }
  __device__ T alpha_x() const { return c.x.robin[i]; }
  template <class Walk>
  __device__ void add_face(int k, const Walk& walk, typename Walk::Row& row) const {
    walk.add_face(c.y.robin[k], row);
  }
};

template <class Coefficients>
concept Bilinear = requires(const Coefficients c) {
  BilinearColumn<Coefficients>{c, 0};
};

/// `BilinearMarch` is a thread's walk along y through a column of nodes of a plane, with z in the place of y
/// (backends/cuda/marched.hpp).
template <class T, class Coefficients, class Body>
struct BilinearMarch {
  static constexpr int resident_threads = sizeof(T) == 4 ? 768 : 640;
  Coefficients c;
  View<const T> u;
  Body body;

  __device__ void operator()(int i, int j, int k0, int k1) const { each_plane(i, j, k0, k1, NoSum()); }
  template <class Sum>
  __device__ void each_plane(int i, int j, int k0, int k1, const Sum& of_plane) const {
    const Column column{c, i};
    if (column.reacts())
      walk<true>(column, i, j, k0, k1, of_plane);
    else
      walk<false>(column, i, j, k0, k1, of_plane);
  }

 private:
  using Column = BilinearColumn<Coefficients>;
  using Walk = BilinearWalk<T, asks_for_diagonal<Body>>;
  using Line = typename Walk::Line;
  using Layer = typename Walk::Layer;

  static __device__ Line line_at(const T* p) { return {p[-1], p[0], p[1]}; }

  template <bool reacts, class Sum>
  __device__ void walk(const Column& column, int i, int j, int k0, int k1, const Sum& of_plane) const {
    constexpr int n = sizeof(T) == 4 || std::is_same_v<Body, Apply<T>> ? 4 : 2;
    using Cell = typename Walk::Cell;
    const T* p = &u(i, j, k0);
    Walk walk(column.template cell<Cell>(0), column.template cell<Cell>(1), column.alpha_x(), line_at(p - u.sz));
    walk.template next<reacts>(column.template layer<reacts, Layer>(k0 - 1, k0 - 1), line_at(p));
    int k = k0;
    for (; k + n <= k1; k += n, p += n * u.sz) {
      if (k > 0 && k + n <= column.equal_cells())
        points<n, reacts, true>(column, walk, p, i, j, k, k1, of_plane);
      else
        points<n, reacts, false>(column, walk, p, i, j, k, k1, of_plane);
    }
    for (; k < k1; ++k, p += u.sz) points<1, reacts, false>(column, walk, p, i, j, k, k1, of_plane);
  }

  /// Processes n points. `inside` means that they lie between equal cells, away from the ends; then each line reads
  /// only u, κ and σ.
  template <int n, bool reacts, bool inside, class Sum>
  __device__ void points(const Column& column, Walk& walk, const T* p, int i, int j, int k, int k1,
                         const Sum& of_plane) const {
    Line above[n];
    Layer layer[n];
    Inputs<T, Body::inputs> in[n];
#pragma unroll
    for (int m = 0; m < n; ++m) {
      above[m] = line_at(p + (m + 1) * u.sz);
      layer[m] = column.template layer<reacts, Layer>(k + m, inside ? k : k + m);
      in[m] = inputs_at<T>(body, i, j, k + m);
    }
    if (Column::template fetches<Body> && n > 1 && k + 2 * n <= k1) {
#pragma unroll
      for (int m = n; m < 2 * n; ++m) {
        Fetch()(p + (m + 1) * u.sz);
        fetch_inputs(body, i, j, k + m);
        fetch_row(c, i, k + m, 0);
      }
    }
#pragma unroll
    for (int m = 0; m < n; ++m) {
      const T centre = walk.centre();
      typename Walk::Row face{};
      if constexpr (!inside) column.add_face(k + m, walk, face);
      const auto row = walk.template next<reacts, Column::constant_kappa>(layer[m], above[m]);
      const KnownProduct<T> known{row.product + face.product, row.diagonal + face.diagonal};
      of_plane(k + m, body(known, {centre}, in[m], i, j, k + m));
    }
  }
};

}  // namespace poisson::cuda
