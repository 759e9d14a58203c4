#pragma once

#include <cstdint>

#include "backends/box.hpp"

/// How kernels walk over boxes. Compiled at run time too.
namespace poisson::cuda {

/// A box of indices as kernels take it.
struct Range {
  int3 first, last;

  explicit Range(const Box& box)
      : first{box.first[0], box.first[1], box.first[2]}, last{box.last[0], box.last[1], box.last[2]} {}
};

/// A block of threads is a tile of 64 × 4 values of x and y (of 128 threads 32 × 4), of faces across x one of a single
/// line along y, and marches along z.
inline constexpr int tile_threads = 256;

/// How a box is cut into blocks. Tiles begin at multiples of their width, where lines are aligned, not at the box's
/// first value. Thin boxes are cut into fewer planes a block, so that there are blocks for every multiprocessor.
struct Tiling {
  int threads;
  int log_width;  ///< of the tile's extent along x
  int first_x;
  int planes = 32;  ///< along z, for each block
  dim3 blocks;

  explicit Tiling(const Box& box, int threads = tile_threads)
      : threads(threads),
        log_width(box.last[0] - box.first[0] == 1 ? 0
                  : threads == tile_threads       ? 6
                                                  : 5) {
    const int width = 1 << log_width, height = threads / width, depth = box.last[2] - box.first[2];
    first_x = box.first[0] & -width;
    const auto pieces = [](int extent, int size) { return static_cast<unsigned>((extent + size - 1) / size); };
    blocks.x = pieces(box.last[0] - first_x, width);
    blocks.y = pieces(box.last[1] - box.first[1], height);
    while (planes > 1 && std::int64_t{blocks.x} * blocks.y * pieces(depth, planes) < 1024) planes /= 2;
    blocks.z = pieces(depth, planes);
  }

  /// Result of column(i, j, k0, k1) for the calling thread's column of block (x, y, z); zero outside the box.
  template <class Column>
  __device__ auto visit(const Range& box, const Column& column, unsigned x, unsigned y, unsigned z) const {
    const int thread = static_cast<int>(threadIdx.x), height = threads >> log_width;
    const int i = first_x + (static_cast<int>(x) << log_width) + (thread & ((1 << log_width) - 1));
    const int j = box.first.y + static_cast<int>(y) * height + (thread >> log_width);
    const int k = box.first.z + static_cast<int>(z) * planes;
    using Result = decltype(column(i, j, k, k));
    if (i >= box.first.x && i < box.last.x && j < box.last.y) return column(i, j, k, min(k + planes, box.last.z));
    return Result();
  }
};

}  // namespace poisson::cuda
