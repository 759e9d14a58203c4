// The kernels are the steps from a plain tree to a fast sum, after M. Harris, "Optimizing parallel reduction in CUDA"
// (NVIDIA, 2007), and later additions: shuffles, atomics, barriers over the grid.

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <cooperative_groups.h>

#include "lab/studies/reduce/device.cuh"
#include "lab/studies/reduce/study.hpp"
#include "lab/studies/reduce/values.hpp"

namespace poisson::lab {
namespace {

constexpr int threads = 256;

// A tree adds the values of a block's threads: Tree::sum(shared, value) is the sum in thread 0.

// Adds pairs of neighbours, then every second, every fourth one: the threads of a warp diverge at every step.
struct NeighbouringPairs {
  static __device__ double sum(double* shared, double value) {
    const int t = static_cast<int>(threadIdx.x);
    shared[t] = value;
    __syncthreads();
    for (int stride = 1; stride < threads; stride *= 2) {
      if (t % (2 * stride) == 0) shared[t] += shared[t + stride];
      __syncthreads();
    }
    return shared[0];
  }
};
// The first threads add the same pairs: warps do not diverge, but their addresses are 2 · stride apart, in few banks.
struct PackedPairs {
  static __device__ double sum(double* shared, double value) {
    const int t = static_cast<int>(threadIdx.x);
    shared[t] = value;
    __syncthreads();
    for (int stride = 1; stride < threads; stride *= 2) {
      if (const int i = 2 * stride * t; i < threads) shared[i] += shared[i + stride];
      __syncthreads();
    }
    return shared[0];
  }
};
// Adds the upper half to the lower half. Neighbouring threads access neighbouring addresses, and full warps become idle
// early ("sequential addressing" in other courses).
struct InterleavedPairs {
  static __device__ double sum(double* shared, double value) {
    const int t = static_cast<int>(threadIdx.x);
    shared[t] = value;
    __syncthreads();
    for (int stride = threads / 2; stride > 0; stride /= 2) {
      if (t < stride) shared[t] += shared[t + stride];
      __syncthreads();
    }
    return shared[0];
  }
};
// One warp runs the last steps, without barriers of the block and without a loop.
struct Unrolled {
  static __device__ double sum(double* shared, double value) {
    const int t = static_cast<int>(threadIdx.x);
    shared[t] = value;
    __syncthreads();
#pragma unroll
    for (int stride = threads / 2; stride > 16; stride /= 2) {
      if (t < stride) shared[t] += shared[t + stride];
      __syncthreads();
    }
    if (t < 32) {
#pragma unroll
      for (int stride = 16; stride > 0; stride /= 2) {
        if (t < stride) shared[t] += shared[t + stride];
        __syncwarp();
      }
    }
    return shared[0];
  }
};
// Exchanges values between registers; only the sums of the warps go through shared memory.
struct WarpShuffle {
  static __device__ double sum(double* shared, double value) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    value = of_warp(value);
    if (lane == 0) shared[warp] = value;
    __syncthreads();
    if (warp == 0) value = of_warp(lane < threads / 32 ? shared[lane] : 0);
    return value;
  }

 private:
  static __device__ double of_warp(double value) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    return value;
  }
};

// A load selects the values that a thread adds before the tree begins.

struct OneEach {
  static constexpr std::int64_t of_block = threads;
  static __device__ double load(const double* x, std::int64_t count) {
    const std::int64_t i = blockIdx.x * of_block + threadIdx.x;
    return i < count ? x[i] : 0;
  }
};
struct TwoEach {
  static constexpr std::int64_t of_block = 2 * threads;
  static __device__ double load(const double* x, std::int64_t count) {
    const std::int64_t i = blockIdx.x * of_block + threadIdx.x;
    return (i < count ? x[i] : 0) + (i + threads < count ? x[i + threads] : 0);
  }
};
// The blocks that are resident concurrently stride over all values.
struct Strides {
  static __device__ double load(const double* x, std::int64_t count) {
    double sum = 0;
    const std::int64_t stride = std::int64_t{gridDim.x} * threads;
    for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count; i += stride) sum += x[i];
    return sum;
  }
};
// Does the same with four loads of 16 bytes in flight.
struct WideStrides {
  static __device__ double load(const double* x, std::int64_t count) {
    constexpr int m = 4;
    const auto* const pairs = reinterpret_cast<const double2*>(x);
    const std::int64_t first = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    const std::int64_t stride = std::int64_t{gridDim.x} * threads, all = count / 2;
    double sum[m] = {};
    std::int64_t i = first;
    for (; i + (m - 1) * stride < all; i += m * stride) {
      double2 pair[m];
#pragma unroll
      for (int u = 0; u < m; ++u) pair[u] = pairs[i + u * stride];
#pragma unroll
      for (int u = 0; u < m; ++u) sum[u] += pair[u].x + pair[u].y;
    }
    for (; i < all; i += stride) sum[0] += pairs[i].x + pairs[i].y;
    if (first == 0 && count % 2 != 0) sum[0] += x[count - 1];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
};

template <class Load, class Tree>
__global__ void __launch_bounds__(threads)
    block_kernel(const double* __restrict__ x, std::int64_t count, double* __restrict__ sums) {
  __shared__ double shared[threads];
  const double sum = Tree::sum(shared, Load::load(x, count));
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// Blocks add to the result as they finish, so the order varies.
__global__ void __launch_bounds__(threads)
    atomic_kernel(const double* __restrict__ x, std::int64_t count, double* __restrict__ result) {
  __shared__ double shared[threads];
  const double sum = WarpShuffle::sum(shared, WideStrides::load(x, count));
  if (threadIdx.x == 0) atomicAdd(result, sum);
}

// Both passes run in one launch, with a barrier over all blocks between them.
__global__ void __launch_bounds__(threads)
    cooperative_kernel(const double* __restrict__ x, std::int64_t count, double* sums, double* result) {
  __shared__ double shared[threads];
  double sum = WarpShuffle::sum(shared, WideStrides::load(x, count));
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x > 0) return;
  sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += threads) sum += __ldcg(sums + i);
  sum = WarpShuffle::sum(shared, sum);
  if (threadIdx.x == 0) *result = sum;
}

__global__ void fill_kernel(double* values, std::int64_t count, std::uint64_t seed) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * threads)
    values[i] = random_units(seed, i) / 1024.0;
}

// Returns a block per `threads` values, but at most four blocks per multiprocessor.
unsigned resident_blocks(std::int64_t count) {
  int device = 0, multiprocessors = 0;
  cuda::check(cudaGetDevice(&device));
  cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return static_cast<unsigned>(std::clamp<std::int64_t>((count + threads - 1) / threads, 1, 4LL * multiprocessors));
}

// Computes one partial sum per block, then sums of those, until one is left.
template <class Load, class Tree>
void level_by_level(Backend& backend, const Values& x, const Values&, ReduceSpace& space) {
  std::array partials{static_cast<double*>(space.partials.data()), static_cast<double*>(space.more_partials.data())};
  const double* from = doubles(x);
  for (std::int64_t count = x.count;;) {
    const std::int64_t blocks = (count + Load::of_block - 1) / Load::of_block;
    double* const to = blocks == 1 ? space.result.address() : partials[0];
    block_kernel<Load, Tree><<<static_cast<unsigned>(blocks), threads, 0, stream_of(backend)>>>(from, count, to);
    cuda::launched(stream_of(backend));
    if (blocks == 1) return;
    from = to;
    count = blocks;
    std::swap(partials[0], partials[1]);
  }
}

template <class Load, class Tree>
void two_passes(Backend& backend, const Values& x, const Values&, ReduceSpace& space) {
  const unsigned blocks = resident_blocks(x.count);
  auto* const sums = static_cast<double*>(space.partials.data());
  block_kernel<Load, Tree><<<blocks, threads, 0, stream_of(backend)>>>(doubles(x), x.count, sums);
  cuda::launched(stream_of(backend));
  block_kernel<Strides, Tree><<<1, threads, 0, stream_of(backend)>>>(sums, blocks, space.result.address());
  cuda::launched(stream_of(backend));
}

void with_atomics(Backend& backend, const Values& x, const Values&, ReduceSpace& space) {
  cuda::check(cudaMemsetAsync(space.result.address(), 0, sizeof(double), stream_of(backend)));
  atomic_kernel<<<resident_blocks(x.count), threads, 0, stream_of(backend)>>>(doubles(x), x.count,
                                                                              space.result.address());
  cuda::launched(stream_of(backend));
}

void cooperatively(Backend& backend, const Values& x, const Values&, ReduceSpace& space) {
  const double* values = doubles(x);
  std::int64_t count = x.count;
  auto* sums = static_cast<double*>(space.partials.data());
  double* result = space.result.address();
  std::array<void*, 4> arguments{&values, &count, &sums, &result};
  cuda::check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(cooperative_kernel), resident_blocks(count),
                                          threads, arguments.data(), 0, stream_of(backend)));
  cuda::launched(stream_of(backend));
}

}  // namespace

std::vector<ReduceVariant> gpu_reduce_variants() {
  using namespace reduce_names;
  const auto sum = [](std::string_view name, auto launch, bool always_the_same = true) {
    return ReduceVariant{
        .name = std::string(name), .kind = Reduction::sum, .launch = launch, .always_the_same = always_the_same};
  };
  return {
      sum(neighbouring, level_by_level<OneEach, NeighbouringPairs>),
      sum(packed, level_by_level<OneEach, PackedPairs>),
      sum(interleaved, level_by_level<OneEach, InterleavedPairs>),
      sum(first_add, level_by_level<TwoEach, InterleavedPairs>),
      sum(unrolled, level_by_level<TwoEach, Unrolled>),
      sum(many, two_passes<Strides, Unrolled>),
      sum(shuffle, two_passes<Strides, WarpShuffle>),
      sum(cooperative, cooperatively),
      sum(atomics, with_atomics, false),
      sum(two_pass, two_passes<WideStrides, WarpShuffle>),
  };
}

namespace gpu {
void fill_values(Backend& backend, double* values, std::int64_t count, std::uint64_t seed) {
  fill_kernel<<<4096, threads, 0, stream_of(backend)>>>(values, count, seed);
  cuda::launched(stream_of(backend));
}
}  // namespace gpu

}  // namespace poisson::lab
