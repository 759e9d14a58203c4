#pragma once

#include <cooperative_groups.h>

#include "backends/cuda/check.cuh"
#include "backends/cuda/sequence.cuh"

namespace poisson::cuda {

/// One step by all threads of the launch, of which the caller is number `thread`.
template <class Column>
__device__ void perform(const Step& step, unsigned thread, unsigned threads) {
  const Column& column = *reinterpret_cast<const Column*>(step.column);
  if constexpr (requires { column.all(thread, threads); }) {
    column.all(thread, threads);
  } else {
    const auto nx = static_cast<unsigned>(step.last.x - step.first.x);
    const auto ny = static_cast<unsigned>(step.last.y - step.first.y);
    const auto nz = static_cast<unsigned>(step.last.z - step.first.z);
    for (unsigned n = thread; n < nx * ny * nz; n += threads) {
      const unsigned line = n / nx;
      const int k = step.first.z + static_cast<int>(line / ny);
      column(step.first.x + static_cast<int>(n % nx), step.first.y + static_cast<int>(line % ny), k, k + 1);
    }
  }
}

inline constexpr int sequence_threads = 512;

/// Blocks of a launch form a cluster, whose barrier costs a fraction of a launch and orders their memory accesses.
/// Devices without clusters run a single block.
__device__ inline void sequence_barrier() {
#if __CUDA_ARCH__ >= 900
  cooperative_groups::this_cluster().sync();
#else
  __syncthreads();
#endif
}

template <class... Columns>
__global__ void __launch_bounds__(sequence_threads) sequence_kernel(const Step* steps, int count) {
  // A step lies in shared memory before its turn comes: what it needs first is there at once.
  __shared__ Step shared[2];
  const auto fetch = [&](int s) {
    constexpr unsigned words = sizeof(Step) / sizeof(int2);
    if (s < count && threadIdx.x < words)
      reinterpret_cast<int2*>(&shared[s % 2])[threadIdx.x] = reinterpret_cast<const int2*>(&steps[s])[threadIdx.x];
  };
  fetch(0);
  __syncthreads();
  const unsigned thread = blockIdx.x * sequence_threads + threadIdx.x, threads = gridDim.x * sequence_threads;
  for (int s = 0; s < count; ++s) {
    const Step& step = shared[s % 2];
    fetch(s + 1);
    int kind = 0;
    ((step.kind == kind++ ? perform<Columns>(step, thread, threads) : void()), ...);
    if (gridDim.x == 1)
      __syncthreads();
    else
      sequence_barrier();
  }
}

/// As many blocks as a cluster of this kernel may have on this device, up to 16; 1 without clusters.
unsigned cluster_blocks(const void* kernel);

template <class... Columns>
void launch_sequence(ColumnList<Columns...>, cudaStream_t stream, const Step* steps, int count) {
  const auto kernel = &sequence_kernel<Columns...>;
  const unsigned blocks = cluster_blocks(reinterpret_cast<const void*>(kernel));
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = blocks;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = sequence_threads;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = blocks > 1 ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, steps, count));
  launched(stream);
}

}  // namespace poisson::cuda
