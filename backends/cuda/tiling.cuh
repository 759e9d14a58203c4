#pragma once

#include <cstdint>

#include "backends/memory/box.hpp"
#include "backends/memory/round_up.hpp"

/// Describes how kernels walk over boxes. This header is also compiled at run time.
namespace poisson::cuda {

/// Passes a box of indices to kernels.
struct Range {
  int3 first, last;

  explicit Range(const Box& box)
      : first{box.first[0], box.first[1], box.first[2]}, last{box.last[0], box.last[1], box.last[2]} {}
};

/// A block of 256 threads covers a tile of 64 × 4 values of x and y (128 threads: 32 × 4) and marches along z. The tile
/// is narrower along x if the box is. If the box is flat along x or y, the tile is a single line along the other axis.
inline constexpr int tile_threads = 256;
/// A launch may have at most this many blocks along y and along z.
inline constexpr unsigned most_blocks_across = 65535;

/// Describes the tile of a warp. A functor that defines `warp` is called as column.warp(tile) by all 32 threads. The
/// tile contains the values [i, i + width) × [j, j + rows) that lie before `last`, in the planes [k0, k1).
struct WarpTile {
  int i, j, k0, k1;
  int2 last;
};
template <class Column>
inline constexpr bool takes_warps = false;
template <class Column>
requires requires {
  &Column::warp;
}
inline constexpr bool takes_warps<Column> = true;

/// Cuts a box into blocks. Tiles begin at multiples of their width, where lines are aligned, not at the first value of
/// the box. For functors with `warp` tiles begin at the first value, and the warps of a block follow each other along
/// y. On thin boxes a block has fewer planes, so that there are blocks for every multiprocessor.
struct Tiling {
  int threads;
  int log_width;  ///< log₂ of the tile width
  int first_x;
  int planes;   ///< along z, per block
  dim3 blocks;  ///< along x, y and z
  bool turned;  ///< swaps x and y in launches, because x may have more blocks

  explicit Tiling(const Box& box, int threads = tile_threads)
      : threads(threads),
        log_width(box.last[0] - box.first[0] == 1   ? 0
                  : box.last[1] - box.first[1] == 1 ? (threads == tile_threads ? 8 : 7)
                                                    : log_width_for(box, threads == tile_threads ? 6 : 5)) {
    const int width = 1 << log_width;
    first_x = box.first[0] & -width;
    cut(box, width, threads / width);
  }
  /// Returns the tiling for a functor that is launched with `threads` threads per block.
  template <class Column>
  static Tiling of(const Box& box, int threads) {
    Tiling tiling(box, threads);
    if constexpr (takes_warps<Column>) {
      tiling.first_x = box.first[0];
      tiling.cut(box, Column::width, threads / 32 * Column::rows);
    }
    return tiling;
  }

  /// grid() returns the grid of the launch, and block() the coordinates of the calling thread's block.
  dim3 grid() const { return turned ? dim3(blocks.y, blocks.x, blocks.z) : blocks; }
  __device__ uint3 block() const {
    const uint3 at = blockIdx;
    return turned ? uint3{at.y, at.x, at.z} : at;
  }
  template <class Column>
  __device__ auto visit(const Range& box, const Column& column) const {
    const uint3 at = block();
    return visit(box, column, at.x, at.y, at.z);
  }
  /// Returns column(i, j, k0, k1) for the calling thread's column of block (x, y, z), or column.warp for its warp's
  /// tile. The result is zero outside the box.
  template <class Column>
  __device__ auto visit(const Range& box, const Column& column, unsigned x, unsigned y, unsigned z) const {
    if constexpr (takes_warps<Column>)
      return visit_warp(box, column, x, y, z);
    else
      return visit_column(box, column, x, y, z);
  }
  /// Returns the calling thread's column of tile (x, y), which may lie outside the box.
  __device__ int2 column_at(const Range& box, unsigned x, unsigned y) const {
    const int thread = static_cast<int>(threadIdx.x), height = threads >> log_width;
    return {first_x + (static_cast<int>(x) << log_width) + (thread & ((1 << log_width) - 1)),
            box.first.y + static_cast<int>(y) * height + (thread >> log_width)};
  }
  /// Returns the tile of the calling thread's warp in the planes [k0, k1).
  template <class Column>
  __device__ WarpTile warp_tile(const Range& box, unsigned x, unsigned y, int k0, int k1) const {
    const int warp = static_cast<int>(y) * (threads / 32) + static_cast<int>(threadIdx.x) / 32;
    return {first_x + static_cast<int>(x) * Column::width,
            box.first.y + warp * Column::rows,
            k0,
            k1,
            {box.last.x, box.last.y}};
  }

 private:
  // A single tile covers the extent along x if 2^most values suffice.
  static int log_width_for(const Box& box, int most) {
    int log_width = 2;
    while (log_width < most && box.last[0] - (box.first[0] & -(1 << log_width)) > 1 << log_width) ++log_width;
    return log_width;
  }
  void cut(const Box& box, int width, int height) {
    const int depth = box.last[2] - box.first[2];
    const auto pieces = [](int extent, int size) { return static_cast<unsigned>(divide_up(extent, size)); };
    blocks.x = pieces(box.last[0] - first_x, width);
    blocks.y = pieces(box.last[1] - box.first[1], height);
    planes = 32;
    while (planes > 1 && std::int64_t{blocks.x} * blocks.y * pieces(depth, planes) < 1024) planes /= 2;
    while (pieces(depth, planes) > most_blocks_across) planes *= 2;
    blocks.z = pieces(depth, planes);
    turned = blocks.y > most_blocks_across;
  }
  template <class Column>
  __device__ auto visit_warp(const Range& box, const Column& column, unsigned x, unsigned y, unsigned z) const {
    const int k = box.first.z + static_cast<int>(z) * planes;
    const WarpTile tile = warp_tile<Column>(box, x, y, k, min(k + planes, box.last.z));
    using Result = decltype(column.warp(tile));
    return tile.j < box.last.y ? column.warp(tile) : Result();
  }
  template <class Column>
  __device__ auto visit_column(const Range& box, const Column& column, unsigned x, unsigned y, unsigned z) const {
    const auto [i, j] = column_at(box, x, y);
    const int k = box.first.z + static_cast<int>(z) * planes;
    using Result = decltype(column(i, j, k, k));
    if (i >= box.first.x && i < box.last.x && j < box.last.y) return column(i, j, k, min(k + planes, box.last.z));
    return Result();
  }
};

}  // namespace poisson::cuda
