#pragma once

#include "backends/cuda/tiling.cuh"
#include "backends/memory/round_up.hpp"

/// Computes sums over boxes, plane by plane along z. The sum of a plane depends only on its values and its extent, not
/// on other planes. Planes are added in a fixed order (add_planes.cuh), so that a sum has the same bits wherever a grid
/// is cut between planes. This header is also compiled at run time.
namespace poisson::cuda {

/// A block sums at most planes_of_block planes. On a grid that is not cut, at most most_sum_blocks blocks sum all
/// planes.
inline constexpr int planes_of_block = 32, most_sum_blocks = 65536;
inline constexpr int most_plane_sums = most_blocks_across;

/// Describes how a box is summed: `groups` blocks sum each plane, tile after tile.
struct PlaneSums {
  Tiling tiling;
  int groups = 0;     ///< partial sums per plane; 0 if the box is empty
  int thickness = 1;  ///< planes per sum; exceeds 1 beyond most_plane_sums planes

  /// `depth`: planes of the global grid, of which the box may be a part.
  PlaneSums(const Box& box, const Tiling& tiles, int depth) : tiling(tiles) {
    if (box.size() == 0) return;
    if (depth > most_plane_sums) {
      thickness = planes_of_block;
      while (divide_up(depth, thickness) > most_plane_sums) thickness *= 2;
      tiling.planes = thickness;
    }
    tiling.blocks.z = static_cast<unsigned>(divide_up(box.last[2] - box.first[2], tiling.planes));
    const int slices = divide_up(depth, planes_of_block > thickness ? planes_of_block : thickness);
    const int most = slices < most_sum_blocks ? most_sum_blocks / slices : 1;
    const auto tiles_of_plane = std::int64_t{tiling.blocks.x} * tiling.blocks.y;
    groups = static_cast<int>(tiles_of_plane < most ? tiles_of_plane : most);
  }
  dim3 blocks() const { return {static_cast<unsigned>(groups), 1, tiling.blocks.z}; }
  /// Returns the number of sums of a box of `planes` planes; partials() returns the number of their partial sums.
  int count(int planes) const { return groups == 0 ? 0 : divide_up(planes, thickness); }
  std::int64_t partials(int planes) const { return std::int64_t{groups} * count(planes); }
};

/// Calls of_plane(k, value) for every plane of a column. The value is supplied by the functor's each_plane, or is the
/// functor's sum over the plane.
template <class Column, class Sink>
__device__ void each_plane(const Column& column, int i, int j, int k0, int k1, const Sink& of_plane) {
  if constexpr (requires { column.each_plane(i, j, k0, k1, of_plane); }) {
    column.each_plane(i, j, k0, k1, of_plane);
  } else {
    constexpr int n = 4;  // loads in flight
    int k = k0;
    for (; k + n <= k1; k += n) {
      double value[n];
#pragma unroll
      for (int m = 0; m < n; ++m) value[m] = column(i, j, k + m, k + m + 1);
#pragma unroll
      for (int m = 0; m < n; ++m) of_plane(k + m, value[m]);
    }
    for (; k < k1; ++k) of_plane(k, column(i, j, k, k + 1));
  }
}

/// Sums a warp's values plane by plane: lane n has the sum of plane n of 32. Columns store their values in shared
/// memory, 16 planes at a time, so that a value costs one store and one load. Functors with `warp` report each plane by
/// a call.
template <int threads, class Column>
class WarpSums {
  static constexpr unsigned all = 0xffffffff;
  static constexpr int half = 16, pitch = threads + 1;

 public:
  /// Reserves shared memory for the block.
  struct Stage {
    double value[takes_warps<Column> ? 1 : half * pitch];
  };
  __device__ explicit WarpSums(Stage& stage) : stage_(stage.value) {}

  /// Adds the planes [k0, k1), at most 32, of the warp's part of a tile.
  __device__ void add(const Range& box, const Tiling& tiling, const Column& column, unsigned x, unsigned y, int k0,
                      int k1) {
    if constexpr (takes_warps<Column>) {
      const WarpTile tile = tiling.warp_tile<Column>(box, x, y, k0, k1);
      if (tile.j >= box.last.y) return;
      column.warp_planes(tile, [&](int k, double value) {
        for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(all, value, step);
        if (lane() == k - k0) sum += value;
      });
    } else {
      const auto [i, j] = tiling.column_at(box, x, y);
      const bool inside = i >= box.first.x && i < box.last.x && j >= box.first.y && j < box.last.y;
      for (int k = k0; k < k1; k += half) {
        const int end = min(k + half, k1);
        double* const own = stage_ + threadIdx.x;
        if (inside)
          cuda::each_plane(column, i, j, k, end, [=](int plane, double value) { own[(plane - k) * pitch] = value; });
        else
          for (int plane = 0; plane < end - k; ++plane) own[plane * pitch] = 0;
        __syncwarp();
        // Each lane sums half of the values of a plane.
        double part = 0;
        const int plane = lane() % half;
        const double* const values = stage_ + plane * pitch + threadIdx.x / 32 * 32 + lane() / half * half;
        if (plane < end - k)
          for (int n = 0; n < half; ++n) part += values[n];
        __syncwarp();
        part += __shfl_xor_sync(all, part, half);
        if (lane() / half == (k - k0) / half) sum += part;
      }
    }
  }

  double sum = 0;

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
  double* stage_;
};

/// Sums a column over the block's share of its planes into partial[plane · groups + group].
template <int threads, class Column>
__device__ void sum_planes(const Range& box, const PlaneSums& sums, const Column& column, double* partial) {
  constexpr int warps = threads / 32;
  __shared__ typename WarpSums<threads, Column>::Stage stage;
  __shared__ double of_warp[warps][planes_of_block];
  WarpSums<threads, Column> own(stage);
  const unsigned width = sums.tiling.blocks.x, tiles = width * sums.tiling.blocks.y;
  const int first = static_cast<int>(blockIdx.z) * sums.tiling.planes;
  const int k0 = box.first.z + first, k1 = min(k0 + sums.tiling.planes, box.last.z);
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x)
    for (int k = k0; k < k1; k += planes_of_block)
      own.add(box, sums.tiling, column, tile % width, tile / width, k, min(k + planes_of_block, k1));

  const int plane = static_cast<int>(threadIdx.x) % 32;
  of_warp[threadIdx.x / 32][plane] = own.sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  double sum = 0;
  for (int warp = 0; warp < warps; ++warp) sum += of_warp[warp][plane];
  if (sums.thickness == 1) {
    if (plane < k1 - k0) partial[static_cast<std::int64_t>(first + plane) * gridDim.x + blockIdx.x] = sum;
    return;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (plane == 0) partial[static_cast<std::int64_t>(blockIdx.z) * gridDim.x + blockIdx.x] = sum;
}

}  // namespace poisson::cuda
