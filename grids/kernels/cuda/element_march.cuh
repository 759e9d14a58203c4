#pragma once

#include <type_traits>

#include <cuda_pipeline_primitives.h>

#include "backends/cuda/launch.cuh"
#include "grids/kernels/cuda/bilinear_march.cuh"
#include "grids/kernels/cuda/box_columns.cuh"
#include "grids/kernels/cuda/known_product.cuh"
#include "grids/rows/element_modes.hpp"

namespace poisson::cuda {

/// `ElementMarch` is a walk through elements with isotropic κ on cells. The lanes of a warp are adjacent columns of
/// cells along x. Each lane processes `rows` lines of nodes and one more line of cells. The contribution of the cells
/// on the other side of a node comes from the previous lane, so the first lane has no nodes. Each cell is computed
/// once, in modes (ElementWalk), except one of 32 along x, one of rows + 1 along y, and the cells between blocks along
/// z. The inputs of a layer are copied to shared memory while earlier layers are computed, which needs no registers.
/// Warps share no data and never wait for each other.
template <class T, class Body>
struct ElementMarch {
  static constexpr int width = 31, rows = sizeof(T) == 4 ? 4 : 2;
  static constexpr int resident_threads = sizeof(T) == 4 && Body::inputs == 0 ? 512 : 384;
  using Coefficients = BoxPartial<T, 3, Tensor::isotropic>;
  Coefficients c;
  View<const T> u;
  Body body;

  __device__ void warp(const WarpTile& tile) const { warp_planes(tile, NoSum()); }
  /// All lanes call of_plane(k, share), where `share` is the lane's share of the sum.
  template <class Sum>
  __device__ void warp_planes(const WarpTile& tile, const Sum& of_plane) const {
    __shared__ Layer memory[block_threads<ElementMarch> / 32][layers];
    Layer* const own = memory[threadIdx.x / 32];
    if (c.sigma_cells.data != nullptr || c.sigma != T(0))
      walk<true>(tile, own, of_plane);
    else
      walk<false>(tile, own, of_plane);
  }

 private:
  using Walk = ElementWalk<T, rows, asks_for_diagonal<Body>>;
  static constexpr unsigned all = 0xffffffff;
  static constexpr int layers = 4;  // stored layers, as many as fit in 48 KiB a block

  /// `Layer` contains the inputs of one layer of cells: u above it, κ of its cells, and the inputs of the body at the
  /// nodes below it.
  struct Layer {
    T u[Walk::lines][width + 2], kappa[Walk::cells][width + 1];
    T inputs[Body::inputs > 0 ? Body::inputs : 1][rows][width + 1];
  };

  /// `Lines` are a lane's lines in the memory of one field. A line beyond the box repeats the last line of the box.
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

  /// `Copies` copies one layer after another to a ring in shared memory. If a lane or line is outside the box, it
  /// copies the nearest values inside.
  class Copies {
   public:
    __device__ Copies(const ElementMarch& m, const WarpTile& tile, int lane, Layer* ring)
        : body_(m.body),
          ring_(ring),
          lane_(lane),
          node_{min(tile.i - 1 + lane, tile.last.x - 1), tile.j, tile.k0 - 1},
          k1_(tile.k1),
          nodes_(m.u, min(tile.i - 1 + lane, tile.last.x), tile.j - 1, tile.k0, tile.last.y),
          edge_(&m.u(min(tile.i + width, tile.last.x), min(tile.j - 1 + min(lane, Walk::lines - 1), tile.last.y),
                     tile.k0)),
          cells_(m.c.kappa[0], node_.x, tile.j - 1, tile.k0 - 1, tile.last.y - 1) {
#pragma unroll
      for (int r = 0; r < rows; ++r) line_[r] = min(tile.j + r, tile.last.y - 1);
      __syncwarp();  // the previous tile has been read
#pragma unroll
      for (int n = 0; n < layers - 1; ++n) ask();
    }

    /// Returns the next layer, which stays valid until the next call.
    __device__ const Layer& next() {
      __pipeline_wait_prior(layers - 2);
      __syncwarp();
      const Layer& layer = ring_[given_];
      given_ = given_ == layers - 1 ? 0 : given_ + 1;
      ask();
      return layer;
    }

   private:
    // Starts copies of one layer as a group; the group is empty if no layers are left.
    __device__ void ask() {
      if (node_.z < k1_) {
        Layer& layer = ring_[asked_];
#pragma unroll
        for (int r = 0; r < Walk::lines; ++r) copy(nodes_[r], layer.u[r][lane_]);
        if (lane_ < Walk::lines) copy(edge_, layer.u[lane_][width + 1]);
#pragma unroll
        for (int r = 0; r < Walk::cells; ++r) copy(cells_[r], layer.kappa[r][lane_]);
#pragma unroll
        for (int n = 0; n < Body::inputs; ++n)
          if (reads(body_, n)) {
#pragma unroll
            for (int r = 0; r < rows; ++r) copy(body_.input(n, node_.x, line_[r], node_.z), layer.inputs[n][r][lane_]);
          }
        nodes_.p += nodes_.plane;
        edge_ += nodes_.plane;
        cells_.p += cells_.plane;
        ++node_.z;
        asked_ = asked_ == layers - 1 ? 0 : asked_ + 1;
      }
      __pipeline_commit();
    }
    __device__ static void copy(const T* from, T& to) {
      __pipeline_memcpy_async(&to, from, sizeof(T));
    }

    const Body& body_;
    Layer* ring_;
    int lane_;
    int3 node_;
    int k1_;
    Lines<Walk::lines> nodes_;
    const T* edge_;
    Lines<Walk::cells> cells_;
    int line_[rows];
    int asked_ = 0, given_ = 0;
  };

  template <bool reacts, class Sum>
  __device__ void walk(const WarpTile& tile, Layer* ring, const Sum& of_plane) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int i = tile.i - 1 + lane, cell = min(i, tile.last.x - 1);
    const bool inside = i >= tile.i && i < tile.last.x;
    Copies copies(*this, tile, lane, ring);
    CellModes<T> y[Walk::cells];
#pragma unroll
    for (int r = 0; r < Walk::cells; ++r) y[r] = {c.y, min(tile.j - 1 + r, tile.last.y - 1)};
    Walk walk({c.x, cell}, y);
    {
      const Lines<Walk::lines> nodes(u, cell, tile.j - 1, tile.k0 - 1, tile.last.y);
      typename Walk::Plane below;
#pragma unroll
      for (int r = 0; r < Walk::lines; ++r) {
        below.left[r] = nodes[r][0];
        below.right[r] = nodes[r][1];
      }
      walk.start(below);
    }

#pragma unroll 1
    for (int k = tile.k0 - 1; k < tile.k1; ++k) {
      const Layer& there = copies.next();
      typename Walk::Plane above;
#pragma unroll
      for (int r = 0; r < Walk::lines; ++r) {
        above.left[r] = there.u[r][lane];
        above.right[r] = there.u[r][lane + 1];
      }
      typename Walk::Layer layer;
      layer.own = c.z.own[k];
      layer.off = c.z.off[k];
      layer.inverse = c.z.inverse[k];
#pragma unroll
      for (int r = 0; r < Walk::cells; ++r) {
        layer.kappa[r] = there.kappa[r][lane];
        if constexpr (reacts)
          layer.sigma[r] =
              c.sigma_cells.data ? c.sigma * c.sigma_cells(cell, min(tile.j - 1 + r, tile.last.y - 1), k) : c.sigma;
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
      double sum = 0;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (!inside || tile.j + r >= tile.last.y) continue;
        Inputs<T, Body::inputs> in{};
#pragma unroll
        for (int n = 0; n < Body::inputs; ++n) in.value[n] = there.inputs[n][r][lane];
        sum += body(row[r], {shares.centre[r]}, in, i, tile.j + r, k);
      }
      of_plane(k, sum);
    }
  }
};

/// `WalkFor` chooses the walk along z for a model's rows. There are walks for 5- and 7-point stencils, for elements
/// with isotropic κ on cells, and for other rows of 9 or 27 points. `Shared` is the walk, point by point, of verbs that
/// share a launch.
template <class T, class Coefficients, class Body>
struct WalkFor {
  using Row = decltype(std::declval<const Coefficients&>().line(0, 0).row(0));
  using Type = std::conditional_t<std::is_same_v<Row, poisson::Row<T>>, March<T, Coefficients, Body>,
                                  BoxMarch<T, Coefficients, Body>>;
  using Shared = Type;
};
template <class T, class Body>
struct WalkFor<T, BoxPartial<T, 3, Tensor::isotropic>, Body> {
  using Type = ElementMarch<T, Body>;
  using Shared = BoxMarch<T, BoxPartial<T, 3, Tensor::isotropic>, Body>;
};
template <class T, class Coefficients, class Body>
requires Bilinear<Coefficients>
struct WalkFor<T, Coefficients, Body> {
  using Type = BilinearMarch<T, Coefficients, Body>;
  using Shared = BoxMarch<T, Coefficients, Body>;
};
template <class T, class Coefficients, class Body>
using WalkOf = typename WalkFor<T, Coefficients, Body>::Type;

}  // namespace poisson::cuda
