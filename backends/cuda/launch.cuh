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
  __host__ __device__ int extent(int d) const {
    return d == 0 ? last.x - first.x : d == 1 ? last.y - first.y : last.z - first.z;
  }
};

/// A block of threads is a tile of x and y and marches along z over so many planes.
inline constexpr int tile_x = 64, tile_y = 4, tile_z = 32;
inline constexpr int tile_threads = tile_x * tile_y;

/// Thin boxes are cut into fewer planes a block, so that there are blocks for every multiprocessor.
inline int planes_per_block(const Box& box) {
  const std::int64_t tiles = std::int64_t{(box.last[0] - box.first[0] + tile_x - 1) / tile_x} *
                             ((box.last[1] - box.first[1] + tile_y - 1) / tile_y);
  int planes = tile_z;
  while (planes > 1 && tiles * ((box.last[2] - box.first[2] + planes - 1) / planes) < 1024) planes /= 2;
  return planes;
}

/// Tiles begin at multiples of tile_x, where lines are aligned, not at the box's first value.
inline dim3 tiles(const Box& box, int planes) {
  const auto count = [](int extent, int size) { return static_cast<unsigned>((extent + size - 1) / size); };
  return {count(box.last[0], tile_x) - static_cast<unsigned>(box.first[0] / tile_x),
          count(box.last[1] - box.first[1], tile_y), count(box.last[2] - box.first[2], planes)};
}

/// column(i, j, k0, k1) for every column of the box, cut into pieces along z.
template <class Column>
__global__ void __launch_bounds__(tile_threads, 3) columns_kernel(Range box, int planes, Column column) {
  const int i = (box.first.x / tile_x + static_cast<int>(blockIdx.x)) * tile_x + static_cast<int>(threadIdx.x);
  const int j = box.first.y + static_cast<int>(blockIdx.y) * tile_y + static_cast<int>(threadIdx.y);
  const int k = box.first.z + static_cast<int>(blockIdx.z) * planes;
  if (i >= box.first.x && i < box.last.x && j < box.last.y) column(i, j, k, min(k + planes, box.last.z));
}

template <class Column>
void for_columns(cudaStream_t stream, const Box& box, const Column& column) {
  if (box.size() == 0) return;
  const int planes = planes_per_block(box);
  columns_kernel<<<tiles(box, planes), dim3(tile_x, tile_y), 0, stream>>>(Range(box), planes, column);
  launched(stream);
}

/// Most blocks of a reduction's first pass: the partial sums that the second one adds.
inline constexpr int most_partials = 4096;

/// Each block walks over tiles in a fixed order and leaves one partial sum.
template <class Column>
__global__ void __launch_bounds__(tile_threads, 3)
    sum_kernel(Range box, int planes, dim3 tiles, Column column, double* partial) {
  const unsigned count = tiles.x * tiles.y * tiles.z;
  double sum = 0;
  for (unsigned tile = blockIdx.x; tile < count; tile += gridDim.x) {
    const int i = (box.first.x / tile_x + static_cast<int>(tile % tiles.x)) * tile_x + static_cast<int>(threadIdx.x);
    const int j = box.first.y + static_cast<int>(tile / tiles.x % tiles.y) * tile_y + static_cast<int>(threadIdx.y);
    const int k = box.first.z + static_cast<int>(tile / (tiles.x * tiles.y)) * planes;
    if (i >= box.first.x && i < box.last.x && j < box.last.y) sum += column(i, j, k, min(k + planes, box.last.z));
  }
  using Reduce = cub::BlockReduce<double, tile_x, cub::BLOCK_REDUCE_WARP_REDUCTIONS, tile_y>;
  __shared__ typename Reduce::TempStorage storage;
  sum = Reduce(storage).Sum(sum);
  if (threadIdx.x == 0 && threadIdx.y == 0) partial[blockIdx.x] = sum;
}

/// result = Σ partial, one block, in a fixed order.
void add_partials(cudaStream_t stream, const double* partial, int count, double* result);

/// result = Σ column(i, j, k0, k1) over the box: the same bits every time on the same device. `partial`: room for
/// most_partials values.
template <class Column>
void sum_columns(cudaStream_t stream, const Box& box, const Column& column, double* partial, double* result) {
  const int planes = planes_per_block(box);
  const dim3 t = tiles(box, planes);
  const auto count = std::int64_t{t.x} * t.y * t.z;
  const int blocks = static_cast<int>(count < most_partials ? count : most_partials);
  if (blocks > 0) {
    sum_kernel<<<static_cast<unsigned>(blocks), dim3(tile_x, tile_y), 0, stream>>>(Range(box), planes, t, column,
                                                                                   partial);
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
