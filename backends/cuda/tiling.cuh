#pragma once

#include <cstdint>

#include "backends/box.hpp"
#include "backends/round_up.hpp"

/// How kernels walk over boxes. Compiled at run time too.
namespace poisson::cuda {

/// A box of indices as kernels take it.
struct Range {
  int3 first, last;

  explicit Range(const Box& box)
      : first{box.first[0], box.first[1], box.first[2]}, last{box.last[0], box.last[1], box.last[2]} {}
};

/// A block of threads is a tile of 64 × 4 values of x and y (of 128 threads 32 × 4), of fewer along x where the box has
/// no more, where the box is flat a single line along the other axis, and marches along z.
inline constexpr int tile_threads = 256;
/// Blocks that a launch may have along y and along z.
inline constexpr unsigned most_blocks_across = 65535;

/// What a functor is called with that takes tiles by whole warps: column.warp(tile) by all 32 threads, for the values
/// [i, i + width) × [j, j + rows) as far as they lie before `last`, and the planes from k0 to k1.
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

/// How a box is cut into blocks. Tiles begin at multiples of their width, where lines are aligned, not at the box's
/// first value; those of functors that take warps begin there, and a block's warps lie one behind the other along y.
/// Thin boxes are cut into fewer planes a block, so that there are blocks for every multiprocessor.
struct Tiling {
  int threads;
  int log_width;  ///< of the tile's extent along x
  int first_x;
  int planes;   ///< along z, for each block
  dim3 blocks;  ///< along x, y and z
  bool turned;  ///< whether a launch has those along y in the place of those along x, of which there may be more

  explicit Tiling(const Box& box, int threads = tile_threads)
      : threads(threads),
        log_width(box.last[0] - box.first[0] == 1   ? 0
                  : box.last[1] - box.first[1] == 1 ? (threads == tile_threads ? 8 : 7)
                                                    : log_width_for(box, threads == tile_threads ? 6 : 5)) {
    const int width = 1 << log_width;
    first_x = box.first[0] & -width;
    cut(box, width, threads / width);
  }
  /// For a functor that is launched with so many threads a block.
  template <class Column>
  static Tiling of(const Box& box, int threads) {
    Tiling tiling(box, threads);
    if constexpr (takes_warps<Column>) {
      tiling.first_x = box.first[0];
      tiling.cut(box, Column::width, threads / 32 * Column::rows);
    }
    return tiling;
  }

  /// What a launch has, and which block of it the calling thread belongs to.
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
  /// Result of column(i, j, k0, k1) for the calling thread's column of block (x, y, z), or of column.warp for its
  /// warp's tile; zero outside the box.
  template <class Column>
  __device__ auto visit(const Range& box, const Column& column, unsigned x, unsigned y, unsigned z) const {
    if constexpr (takes_warps<Column>)
      return visit_warp(box, column, x, y, z);
    else
      return visit_column(box, column, x, y, z);
  }
  /// The calling thread's column of tile (x, y), perhaps outside the box.
  __device__ int2 column_at(const Range& box, unsigned x, unsigned y) const {
    const int thread = static_cast<int>(threadIdx.x), height = threads >> log_width;
    return {first_x + (static_cast<int>(x) << log_width) + (thread & ((1 << log_width) - 1)),
            box.first.y + static_cast<int>(y) * height + (thread >> log_width)};
  }
  /// The planes from k0 to k1 of its warp's tile.
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
  // One tile has the whole extent along x, where it is not wider than most.
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
