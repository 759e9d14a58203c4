#pragma once

#include "backends/cuda/tiling.cuh"
#include "backends/memory/round_up.hpp"

/// Reduces values over boxes plane by plane along z, for moments and extrema. Each block leaves a partial result. This
/// header is also compiled at run time.
namespace poisson::cuda {

/// More than worth_blocks blocks do not speed up a reduction. A reduction has at most most_slices slices.
inline constexpr int worth_blocks = 4096, most_slices = 1 << 15;

/// Describes how a box is reduced. A slice is one plane, or several if there are too many planes. Each slice is reduced
/// by `groups` blocks, tile after tile. The result of a slice depends only on its values and on the global grid, not on
/// where the grid is cut between planes.
struct Slices {
  Tiling tiling;   ///< its pieces along z are the slices
  int groups = 0;  ///< is 0 for empty boxes

  /// `depth`: planes of the global grid, of which the box may be a part.
  Slices(const Box& box, const Tiling& tiles, int depth) : tiling(tiles) {
    if (box.size() == 0) return;
    const auto count = [&](int planes) { return divide_up(planes, tiling.planes); };
    tiling.planes = 1;
    while (count(depth) > most_slices) tiling.planes *= 2;
    tiling.blocks.z = static_cast<unsigned>(count(box.last[2] - box.first[2]));
    const int most = count(depth) < worth_blocks ? worth_blocks / count(depth) : 1;
    const auto tiles_of_slice = std::int64_t{tiling.blocks.x} * tiling.blocks.y;
    groups = static_cast<int>(tiles_of_slice < most ? tiles_of_slice : most);
  }
  dim3 blocks() const { return {static_cast<unsigned>(groups), 1, tiling.blocks.z}; }
};

/// Reduces the block's share of its slice, tile after tile: see(i, j, k0, k1) joins values to `own`. The first thread
/// stores the result in partial[slice · groups + group].
template <class Found, class See>
__device__ void reduce_slice(const Range& box, const Slices& slices, Found& own, const See& see, Found* partial) {
  const unsigned width = slices.tiling.blocks.x, tiles = width * slices.tiling.blocks.y;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x)
    slices.tiling.visit(box, see, tile % width, tile / width, blockIdx.z);
  __shared__ Found all[tile_threads];
  all[threadIdx.x] = own;
  for (unsigned half = tile_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) all[threadIdx.x].join(all[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) partial[blockIdx.z * gridDim.x + blockIdx.x] = all[0];
}

/// Returns the sum over the threads of a block in its first thread, and 0 in the others.
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

}  // namespace poisson::cuda
