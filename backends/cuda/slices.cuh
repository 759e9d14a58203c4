#pragma once

#include "backends/cuda/tiling.cuh"

/// Sums over boxes, slice by slice of planes along z. What a slice adds up to depends on its values alone, and the
/// slices are added in their order: the sum has the same bits wherever the box is cut between slices. Compiled at run
/// time too.
namespace poisson::cuda {

/// Most partial sums of one reduction, and most slices.
inline constexpr int most_partials = 8192, most_slices = 4096;

/// How a box is summed: in slices of planes, each tile after tile by so many groups of blocks.
struct Slices {
  Tiling tiling;   ///< whose pieces along z are the slices (half as thick they cost up to a tenth)
  int groups = 0;  ///< 0: nothing to add

  /// `most`: partial results that there is room for.
  Slices(const Box& box, const Tiling& tiles, int most = most_partials) : tiling(tiles) {
    if (box.size() == 0) return;
    const int depth = box.last[2] - box.first[2];
    const auto count = [&] { return (depth + tiling.planes - 1) / tiling.planes; };
    while (count() > most || count() > most_slices) tiling.planes *= 2;
    tiling.blocks.z = static_cast<unsigned>(count());
    const auto tiles_of_slice = std::int64_t{tiling.blocks.x} * tiling.blocks.y;
    groups = static_cast<int>(tiles_of_slice < most / count() ? tiles_of_slice : most / count());
  }
  dim3 blocks() const { return {static_cast<unsigned>(groups), 1, tiling.blocks.z}; }
};

/// The sum of what the threads of a block have, for the first of them.
template <int threads>
__device__ double sum_of_block(double sum) {
  constexpr int warps = threads / 32;
  __shared__ double of_warp[warps];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return 0;
  sum = 0;
  for (int warp = 0; warp < warps; ++warp) sum += of_warp[warp];
  return sum;
}

/// Adds up a column over the block's share of its slice: partial[slice · groups + group].
template <int threads, class Column>
__device__ void sum_slice(const Range& box, const Slices& slices, const Column& column, double* partial) {
  const unsigned width = slices.tiling.blocks.x, tiles = width * slices.tiling.blocks.y;
  double sum = 0;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x)
    sum += slices.tiling.visit(box, column, tile % width, tile / width, blockIdx.z);
  sum = sum_of_block<threads>(sum);
  if (threadIdx.x == 0) partial[blockIdx.z * gridDim.x + blockIdx.x] = sum;
}

}  // namespace poisson::cuda
