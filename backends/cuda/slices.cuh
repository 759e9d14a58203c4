#pragma once

#include "backends/cuda/tiling.cuh"

/// How values over boxes are reduced in slices of planes along z: moments and extrema, of which each block leaves what
/// it has found. Compiled at run time too.
namespace poisson::cuda {

/// Most partial results of one reduction, of 8 bytes each, and most slices.
inline constexpr int most_pieces = 8192, most_slices = 4096;

/// How a box is reduced: in slices of planes, each tile after tile by so many groups of blocks.
struct Slices {
  Tiling tiling;   ///< whose pieces along z are the slices (half as thick they cost up to a tenth)
  int groups = 0;  ///< 0: nothing to add

  /// `most`: partial results that there is room for.
  Slices(const Box& box, const Tiling& tiles, int most = most_pieces) : tiling(tiles) {
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

}  // namespace poisson::cuda
