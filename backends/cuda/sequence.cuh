#pragma once

#include <cstddef>

#include <cooperative_groups.h>

#include "backends/cuda/launch.cuh"

/// Verbs on small fields, one after another in one launch: on them a launch costs more than the work.
namespace poisson::cuda {

/// One verb: the functor `column`, number `kind` in the list of those that may be steps, over a box.
struct Step {
  int kind;
  int3 first, last;
  alignas(8) unsigned char column[464];
};

/// A kernel's argument, hence under the 32,764 bytes that one may have.
struct Sequence {
  static constexpr int most = 64;
  int count = 0;
  Step step[most];
};
static_assert(sizeof(Sequence) <= 32764);

/// Functors that may be steps, by position.
template <class... Columns>
struct ColumnList {
  template <class... More>
  constexpr ColumnList<Columns..., More...> operator+(ColumnList<More...>) const {
    return {};
  }
};

/// Position of Column in a list; −1 where it has none.
template <class Column, class List>
inline constexpr int position = -1;
template <class Column, class... Rest>
inline constexpr int position<Column, ColumnList<Column, Rest...>> = 0;
template <class Column, class First, class... Rest>
inline constexpr int position<Column, ColumnList<First, Rest...>> =
    position<Column, ColumnList<Rest...>> < 0 ? -1 : 1 + position<Column, ColumnList<Rest...>>;

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
__global__ void __launch_bounds__(sequence_threads) sequence_kernel(const __grid_constant__ Sequence sequence) {
  const unsigned thread = blockIdx.x * sequence_threads + threadIdx.x, threads = gridDim.x * sequence_threads;
  for (int s = 0; s < sequence.count; ++s) {
    if (s > 0) sequence_barrier();
    const Step& step = sequence.step[s];
    int kind = 0;
    ((step.kind == kind++ ? perform<Columns>(step, thread, threads) : void()), ...);
  }
}

/// As many blocks as a cluster of this kernel may have on this device, up to 16; 1 without clusters.
unsigned cluster_blocks(const void* kernel);

template <class... Columns>
void launch_sequence(ColumnList<Columns...>, cudaStream_t stream, const Sequence& sequence) {
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
  check(cudaLaunchKernelEx(&config, kernel, sequence));
  launched(stream);
}

}  // namespace poisson::cuda
