#pragma once

#include <type_traits>

#include "grids/cuda/box_columns.cuh"
#include "grids/element_modes.hpp"

namespace poisson::cuda {

/// What a formula needs of a row whose product with u is known already.
template <class T>
struct KnownProduct {
  struct Neighbours {
    T centre;
  };
  T product, diagonal_entry;
  __device__ T diagonal() const { return diagonal_entry; }
  __device__ T times(const Neighbours&) const { return product; }
};

/// Elements with isotropic κ on the cells. A warp's lanes are columns of cells side by side in x, of which each takes
/// `rows` lines of nodes and one of cells more: the share of the cells on a node's other side comes from the lane
/// before, so that the first lane has no node of its own. Cells are worked out once, in modes (ElementWalk), but for
/// one of 32 along x, one of rows + 1 along y and those between blocks along z. Nothing is shared but by shuffles, and
/// warps wait for no others.
template <class T, class Body>
struct ElementMarch {
  static constexpr int width = 31, rows = sizeof(T) == 4 ? 4 : 2;
  static constexpr int resident_threads = 384;
  using Coefficients = BoxPartial<T, 3, Tensor::isotropic>;
  Coefficients c;
  View<const T> u;
  Body body;

  __device__ double warp(const WarpTile& tile) const {
    return c.sigma_cells.data != nullptr || c.sigma != T(0) ? walk<true>(tile) : walk<false>(tile);
  }

 private:
  using Walk = ElementWalk<T, rows, asks_for_diagonal<Body>>;
  static constexpr unsigned all = 0xffffffff;

  /// A lane's lines of nodes or of cells, in the memory of one field. Those behind the box repeat its last one.
  template <int n>
  struct Lines {
    const T* p;
    std::int64_t plane;
    int offset[n];

    __device__ Lines(const View<const T>& view, int i, int j, int k, int last) : p(&view(i, j, k)), plane(view.sz) {
#pragma unroll
      for (int r = 0; r < n; ++r) offset[r] = min(r, last - j) * static_cast<int>(view.sy);
    }
    __device__ const T* operator[](int r) const {
      return p + offset[r];
    }
  };

  template <bool reacts>
  __device__ double walk(const WarpTile& tile) const {
    const int i = tile.i - 1 + static_cast<int>(threadIdx.x) % 32, cell = min(i, tile.last.x - 1);
    const bool inside = i >= tile.i && i < tile.last.x;
    CellModes<T> y[Walk::cells];
#pragma unroll
    for (int r = 0; r < Walk::cells; ++r) y[r] = {c.y, min(tile.j - 1 + r, tile.last.y - 1)};
    Walk walk({c.x, cell}, y);
    Lines<Walk::lines> nodes(u, cell, tile.j - 1, tile.k0 - 1, tile.last.y);
    Lines<Walk::cells> cells(c.kappa[0], cell, tile.j - 1, tile.k0 - 1, tile.last.y - 1);
    int line[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) line[r] = min(tile.j + r, tile.last.y - 1);
    walk.start(take(nodes));

    double sum = 0;
#pragma unroll 1
    for (int k = tile.k0 - 1; k < tile.k1; ++k) {
      const auto above = take(nodes);
      typename Walk::Layer layer;
      layer.own = c.z.own[k];
      layer.off = c.z.off[k];
      layer.inverse = c.z.inverse[k];
#pragma unroll
      for (int r = 0; r < Walk::cells; ++r) layer.kappa[r] = *cells[r];
      if constexpr (reacts) {
        const bool varies = c.sigma_cells.data != nullptr;
        const std::int64_t at = cells.p - c.kappa[0].data;  // in σ, too, which lies as κ does
#pragma unroll
        for (int r = 0; r < Walk::cells; ++r)
          layer.sigma[r] = varies ? c.sigma * c.sigma_cells.data[at + cells.offset[r]] : c.sigma;
      }
      cells.p += cells.plane;
      // Lanes and rows outside the box load what is there, too: no branch parts the loads from what follows.
      decltype(body.load(0, 0, 0)) loaded[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) loaded[r] = body.load(cell, line[r], k);
      if (k + 2 < tile.k1) {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          Fetch()(nodes[r + 1] + nodes.plane);
          Fetch()(cells[r + 1] + cells.plane);
          body.fetch(cell, line[r], k + 2);
        }
      }
      const auto shares = walk.template next<reacts>(layer, above);
      if (k < tile.k0) continue;
      KnownProduct<T> row[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        row[r] = {shares.left[r] + __shfl_up_sync(all, shares.right[r], 1), T(0)};
        if constexpr (asks_for_diagonal<Body>)
          row[r].diagonal_entry = shares.diagonal[r] + __shfl_up_sync(all, shares.diagonal[r], 1);
      }
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (inside && tile.j + r < tile.last.y) sum += body(row[r], {shares.centre[r]}, loaded[r], i, tile.j + r, k);
    }
    return sum;
  }

  /// The next plane.
  __device__ static typename Walk::Plane take(Lines<Walk::lines>& nodes) {
    typename Walk::Plane plane;
#pragma unroll
    for (int r = 0; r < Walk::lines; ++r) {
      plane.left[r] = nodes[r][0];
      plane.right[r] = nodes[r][1];
    }
    nodes.p += nodes.plane;
    return plane;
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
