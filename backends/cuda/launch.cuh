#pragma once

#include <cub/block/block_reduce.cuh>

#include "backends/box.hpp"
#include "backends/cuda/check.cuh"
#include "backends/cuda/tiling.cuh"

namespace poisson::cuda {

/// Launches a kernel that may come to the device before the one ahead of it has ended, and begins with await_others():
/// short kernels follow each other the faster. (CUDA Programming Guide, "Programmatic Dependent Launch".)
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 blocks, unsigned threads, cudaStream_t stream,
            const Arguments&... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = launches_early() ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
  launched(stream);
}

/// Waits until what was launched before has ended. A kernel of few blocks lets the next one come at once; behind one
/// that fills the device, the next would take room from it.
__device__ inline void await_others() {
#if __CUDA_ARCH__ >= 900
  constexpr unsigned few = 384;
  if (gridDim.x * gridDim.y * gridDim.z <= few) asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Threads of a multiprocessor for which registers are kept free: 768, or what a functor says that needs more of them.
template <class Column>
constexpr int resident_threads() {
  if constexpr (requires { Column::resident_threads; })
    return Column::resident_threads;
  else
    return 768;
}
/// Threads of a block: fewer where whole tiles would not fill the multiprocessor, and where warps need no others.
template <class Column>
inline constexpr int block_threads = takes_warps<Column> || resident_threads<Column>() % tile_threads != 0
                                         ? 128
                                         : tile_threads;
template <class Column>
inline constexpr int resident_blocks = resident_threads<Column>() / block_threads<Column>;

/// column(i, j, k0, k1) for every column of the box, or column.warp for every warp's tile, cut into pieces along z.
template <class Column>
__global__ void __launch_bounds__(block_threads<Column>, resident_blocks<Column>)
    columns_kernel(Range box, Tiling tiling, Column column) {
  await_others();
  tiling.visit(box, column, blockIdx.x, blockIdx.y, blockIdx.z);
}

template <class Column>
void for_columns(cudaStream_t stream, const Box& box, const Column& column) {
  if (box.size() == 0) return;
  const auto tiling = Tiling::of<Column>(box, block_threads<Column>);
  launch(columns_kernel<Column>, tiling.blocks, block_threads<Column>, stream, Range(box), tiling, column);
}

/// Most blocks of a reduction's first pass: the partial sums that the second one adds.
inline constexpr int most_partials = 4096;

/// Each block walks over tiles in a fixed order and leaves one partial sum.
template <class Column>
__global__ void __launch_bounds__(block_threads<Column>, resident_blocks<Column>)
    sum_kernel(Range box, Tiling tiling, Column column, double* partial) {
  await_others();
  const dim3 tiles = tiling.blocks;
  double sum = 0;
  for (unsigned tile = blockIdx.x; tile < tiles.x * tiles.y * tiles.z; tile += gridDim.x)
    sum += tiling.visit(box, column, tile % tiles.x, tile / tiles.x % tiles.y, tile / (tiles.x * tiles.y));
  using Reduce = cub::BlockReduce<double, block_threads<Column>>;
  __shared__ typename Reduce::TempStorage storage;
  sum = Reduce(storage).Sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

/// result = Σ partial, one block, in a fixed order.
void add_partials(cudaStream_t stream, const double* partial, int count, double* result);

/// result = Σ column(i, j, k0, k1) over the box: the same bits every time on the same device. `partial`: room for
/// most_partials values.
template <class Column>
void sum_columns(cudaStream_t stream, const Box& box, const Column& column, double* partial, double* result) {
  const auto tiling = Tiling::of<Column>(box, block_threads<Column>);
  const auto tiles = box.size() == 0 ? 0 : std::int64_t{tiling.blocks.x} * tiling.blocks.y * tiling.blocks.z;
  const int blocks = static_cast<int>(tiles < most_partials ? tiles : most_partials);
  if (blocks > 0)
    launch(sum_kernel<Column>, static_cast<unsigned>(blocks), block_threads<Column>, stream, Range(box), tiling, column,
           partial);
  add_partials(stream, partial, blocks, result);
}

/// One thread's work between verbs on fields.
template <class F>
__global__ void scalar_kernel(F f) {
  await_others();
  f();
}
template <class F>
void on_scalars(cudaStream_t stream, const F& f) {
  launch(scalar_kernel<F>, 1, 1, stream, f);
}

}  // namespace poisson::cuda
