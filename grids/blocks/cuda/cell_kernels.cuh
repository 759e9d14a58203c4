#pragma once

#include <algorithm>

#include "backends/cuda/launch.cuh"
#include "backends/memory/round_up.hpp"
#include "grids/blocks/cell_products.hpp"

/// Contains the kernels of products whose matrices are computed cell by cell, and of the lines of planes.
namespace poisson::cuda {

inline constexpr int march_threads = 256, widest_strip = 64;

/// Cuts the nodes of blocks for threads. A block of threads has consecutive nodes of a strip of lines in a plane and
/// runs through some planes. Each thread computes a cell and ends a node; the first ones compute cells alone, because
/// a node adds up the cells before it.
struct MarchPlan {
  int width, strips;  ///< nodes of a strip
  int length, shift;  ///< of a line in memory: all nodes, or those of a strip and one on each side
  int pieces, chunks, depth;
  Division by_length, by_pieces, by_strips, by_chunks;

  static MarchPlan of(const BlockShape& shape) {
    MarchPlan plan{};
    plan.strips = divide_up(shape.n[0], widest_strip);
    plan.width = divide_up(shape.n[0], plan.strips);
    plan.length = plan.strips == 1 ? shape.n[0] : plan.width + 2;
    plan.shift = plan.strips == 1 ? 0 : 1;
    plan.pieces = divide_up(plan.length * shape.n[1], march_threads - plan.length - 1);
    const std::int64_t columns = std::int64_t{plan.pieces} * plan.strips * shape.patches;
    constexpr std::int64_t enough = 1024;
    const int most = columns >= enough ? 16 : columns * 4 >= enough ? 8 : 4;
    plan.chunks = divide_up(shape.n[2], most);
    plan.depth = divide_up(shape.n[2], plan.chunks);
    plan.by_length = Division(plan.length);
    plan.by_pieces = Division(plan.pieces);
    plan.by_strips = Division(plan.strips);
    plan.by_chunks = Division(plan.chunks);
    return plan;
  }
  unsigned blocks(const BlockShape& shape) const {
    return static_cast<unsigned>(pieces * strips * chunks * shape.patches);
  }
};

/// Holds the nodes of two planes, and what cells contribute to nodes behind them.
template <class T>
struct MarchRoom {
  static constexpr int nodes = march_threads + widest_strip + 3;
  CellPlace<T> place[2][3][nodes];
  T value[2][nodes];
  T passed[3][march_threads];
};

template <class March>
struct MarchWalk {
  using T = typename March::Value;
  const March& march;
  const MarchPlan& plan;
  MarchRoom<T>& room;
  int patch, first_i, first;  ///< `first` node of the threads in the plane of the strip
  double origin[3];

  __device__ bool find(int q, int& i, int& j) const {
    if (q < 0) return false;
    j = plan.by_length(q);
    i = first_i + q - j * plan.length;
    return i >= 0 && i < march.shape.n[0] && j < march.shape.n[1];
  }
  __device__ void load(int k) const {
    const int buffer = k & 1, count = march_threads + plan.length + 1;
    for (int n = static_cast<int>(threadIdx.x); n < count; n += march_threads) {
      int i, j;
      if (!find(first + n, i, j)) continue;
      const int node = march.shape.number(i, j, k);
      for (int a = 0; a < 3; ++a) room.place[buffer][a][n].set(march.place(patch, node, a), origin[a]);
      room.value[buffer][n] = march.value(patch, i, j, k);
    }
  }
  __device__ void multiply(int i, int j, int k, T (&out)[8]) const {
    const int at = static_cast<int>(threadIdx.x);
    int node[8];
    T u[8], edge[3][3][4];
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      node[c] = at + (c & 1) + (c >> 1 & 1) * plan.length;
      u[c] = room.value[(k + (c >> 2)) & 1][node[c]];
    }
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      CellPlace<T> x[8];
#pragma unroll
      for (int c = 0; c < 8; ++c) x[c] = room.place[(k + (c >> 2)) & 1][a][node[c]];
#pragma unroll
      for (int d = 0; d < 3; ++d)
#pragma unroll
        for (int q = 0; q < 4; ++q) edge[d][a][q] = x[edge_corner(d, q) | 1 << d].minus(x[edge_corner(d, q)]);
    }
    multiply_cell(edge, march.coefficient(patch, i, j, k), u, out);
  }
};

template <class March>
__global__ void __launch_bounds__(march_threads, sizeof(typename March::Value) == 4 ? 2 : 1)
    march_kernel(MarchPlan plan, March march) {
  await_others();
  using T = typename March::Value;
  __shared__ MarchRoom<T> room;
  const BlockShape& shape = march.shape;
  int at = static_cast<int>(blockIdx.x);
  const int columns = plan.by_chunks(at), chunk = at - columns * plan.chunks, strips = plan.by_pieces(columns),
            piece = columns - strips * plan.pieces, patch = plan.by_strips(strips),
            strip = strips - patch * plan.strips;
  const int before = plan.length + 1, thread = static_cast<int>(threadIdx.x);
  MarchWalk<March> walk{
      march, plan, room, patch, strip * plan.width - plan.shift, piece * (march_threads - before) - before, {}};
  for (int a = 0; a < 3; ++a) walk.origin[a] = march.place(patch, 0, a);
  int i = 0, j = 0;
  const bool is_node = walk.find(walk.first + thread, i, j),
             is_cell = is_node && i + 1 < shape.n[0] && j + 1 < shape.n[1] && i - walk.first_i + 1 < plan.length,
             ends = is_node && thread >= before && i >= strip * plan.width && i < (strip + 1) * plan.width;
  const int begin = chunk * plan.depth, end = min(begin + plan.depth, shape.n[2]);
  T carried[4] = {};
  const int start = max(begin - 1, 0);
  walk.load(start);
  for (int k = start; k < end; ++k) {
    if (k + 1 < shape.n[2]) walk.load(k + 1);
    __syncthreads();
    T out[8] = {};
    if (is_cell && k + 1 < shape.n[2]) walk.multiply(i, j, k, out);
    for (int c = 0; c < 3; ++c) room.passed[c][thread] = out[c + 1] + carried[c + 1];
    const T own = out[0] + carried[0];
    for (int c = 0; c < 4; ++c) carried[c] = out[c + 4];
    __syncthreads();
    if (k < begin || !ends) continue;
    const T sum =
        own + room.passed[0][thread - 1] + room.passed[1][thread - plan.length] + room.passed[2][thread - before];
    march.put({patch, shape.number(i, j, k), i, j, k}, sum);
  }
}

template <class March>
void march_cells(cudaStream_t stream, const March& march) {
  const MarchPlan plan = MarchPlan::of(march.shape);
  launch(march_kernel<March>, plan.blocks(march.shape), march_threads, stream, plan, march);
}

/// Most memory of a plane whose lines a block of threads solves; a multiprocessor holds two such blocks.
inline constexpr int most_shared_by_plane = 100 << 10;

struct WaitForBlock {
  __host__ __device__ void operator()() const {
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
  }
};

template <class T, class Plane>
__global__ void __launch_bounds__(512) plane_kernel(Plane plane) {
  extern __shared__ double shared_by_plane[];
  plane(blockIdx.x, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), reinterpret_cast<T*>(shared_by_plane),
        WaitForBlock{});
}

template <class T, class Plane>
void solve_planes(cudaStream_t stream, std::int64_t count, const Plane& plane) {
  const auto kernel = plane_kernel<T, Plane>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared_by_plane));
  const int threads = std::min(512, round_up(plane.shape.n[0], 32) + round_up(plane.shape.n[1], 32));
  kernel<<<static_cast<unsigned>(count), static_cast<unsigned>(threads), plane.room() * sizeof(T), stream>>>(plane);
  launched(stream);
}

}  // namespace poisson::cuda
