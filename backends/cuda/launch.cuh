#pragma once

#include <cub/block/block_reduce.cuh>

#include "backends/box.hpp"
#include "backends/cuda/check.cuh"

namespace poisson::cuda {

/// A box of indices as kernels take it.
struct Range {
  int3 first, last;

  explicit Range(const Box& box)
      : first{box.first[0], box.first[1], box.first[2]}, last{box.last[0], box.last[1], box.last[2]} {}
};

/// A block of threads is a tile of 64 × 4 values of x and y, of faces across x 1 × 256, and marches along z.
inline constexpr int tile_threads = 256;

/// How a box is cut into blocks. Tiles begin at multiples of their width, where lines are aligned, not at the box's
/// first value. Thin boxes are cut into fewer planes a block, so that there are blocks for every multiprocessor.
struct Tiling {
  int log_width;  ///< of the tile's extent along x
  int first_x;
  int planes = 32;  ///< along z, for each block
  dim3 blocks;

  explicit Tiling(const Box& box) : log_width(box.last[0] - box.first[0] == 1 ? 0 : 6) {
    const int width = 1 << log_width, height = tile_threads / width, depth = box.last[2] - box.first[2];
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
    const int thread = static_cast<int>(threadIdx.x), height = tile_threads >> log_width;
    const int i = first_x + (static_cast<int>(x) << log_width) + (thread & ((1 << log_width) - 1));
    const int j = box.first.y + static_cast<int>(y) * height + (thread >> log_width);
    const int k = box.first.z + static_cast<int>(z) * planes;
    using Result = decltype(column(i, j, k, k));
    if (i >= box.first.x && i < box.last.x && j < box.last.y) return column(i, j, k, min(k + planes, box.last.z));
    return Result();
  }
};

/// Blocks of a multiprocessor for which registers are kept free: three, or what a functor says that needs more of them.
template <class Column>
constexpr int resident_blocks() {
  if constexpr (requires { Column::resident_blocks; })
    return Column::resident_blocks;
  else
    return 3;
}

/// column(i, j, k0, k1) for every column of the box, cut into pieces along z.
template <class Column>
__global__ void __launch_bounds__(tile_threads, resident_blocks<Column>())
    columns_kernel(Range box, Tiling tiling, Column column) {
  tiling.visit(box, column, blockIdx.x, blockIdx.y, blockIdx.z);
}

template <class Column>
void for_columns(cudaStream_t stream, const Box& box, const Column& column) {
  if (box.size() == 0) return;
  const Tiling tiling(box);
  columns_kernel<<<tiling.blocks, tile_threads, 0, stream>>>(Range(box), tiling, column);
  launched(stream);
}

/// Most blocks of a reduction's first pass: the partial sums that the second one adds.
inline constexpr int most_partials = 4096;

/// Each block walks over tiles in a fixed order and leaves one partial sum.
template <class Column>
__global__ void __launch_bounds__(tile_threads, resident_blocks<Column>())
    sum_kernel(Range box, Tiling tiling, Column column, double* partial) {
  const dim3 tiles = tiling.blocks;
  double sum = 0;
  for (unsigned tile = blockIdx.x; tile < tiles.x * tiles.y * tiles.z; tile += gridDim.x)
    sum += tiling.visit(box, column, tile % tiles.x, tile / tiles.x % tiles.y, tile / (tiles.x * tiles.y));
  using Reduce = cub::BlockReduce<double, tile_threads>;
  __shared__ typename Reduce::TempStorage storage;
  sum = Reduce(storage).Sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

/// result = Σ partial, one block, in a fixed order.
void add_partials(cudaStream_t stream, const double* partial, int count, double* result);

/// result = Σ column(i, j, k0, k1) over the box: the same bits every time on the same device. `partial`: room for
/// most_partials values.
template <class Column>
void sum_columns(cudaStream_t stream, const Box& box, const Column& column, double* partial, double* result) {
  const Tiling tiling(box);
  const auto tiles = box.size() == 0 ? 0 : std::int64_t{tiling.blocks.x} * tiling.blocks.y * tiling.blocks.z;
  const int blocks = static_cast<int>(tiles < most_partials ? tiles : most_partials);
  if (blocks > 0) {
    sum_kernel<<<static_cast<unsigned>(blocks), tile_threads, 0, stream>>>(Range(box), tiling, column, partial);
    launched(stream);
  }
  add_partials(stream, partial, blocks, result);
}

/// One thread's work between verbs on fields.
template <class F>
__global__ void scalar_kernel(F f) {
  f();
}
template <class F>
void on_scalars(cudaStream_t stream, const F& f) {
  scalar_kernel<<<1, 1, 0, stream>>>(f);
  launched(stream);
}

}  // namespace poisson::cuda
