#pragma once

#include "backends/cuda/tiling.cuh"
#include "backends/round_up.hpp"

/// How values over boxes are reduced plane by plane along z: moments and extrema, of which each block leaves what it
/// has found. Compiled at run time too.
namespace poisson::cuda {

/// Blocks of one reduction that are worth having, and most slices.
inline constexpr int worth_blocks = 4096, most_slices = 1 << 15;

/// How a box is reduced: in slices, of one plane where there are not too many, each tile after tile by so many groups
/// of blocks. What a slice gives depends on its own values and on the whole grid alone, not on where that is cut
/// between planes.
struct Slices {
  Tiling tiling;   ///< whose pieces along z are the slices
  int groups = 0;  ///< 0: nothing to add

  /// `depth`: planes of the whole grid, of which the box may have a part.
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

/// What a block finds of its slice, tile after tile: see(i, j, k0, k1) joins what there is to `own`. For the first
/// thread: partial[slice · groups + group].
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

}  // namespace poisson::cuda
