#pragma once

#include <utility>

#include "backends/cuda/check.cuh"
#include "backends/cuda/plane_sums.cuh"
#include "backends/cuda/tiling.cuh"
#include "backends/memory/box.hpp"

namespace poisson::cuda {

/// Is set when streams have joined: the next launch then starts only after all work that its stream waits for.
inline thread_local bool streams_have_met = false;

/// Launches a kernel that may start before the preceding one has ended, and that begins with await_others(). Short
/// kernels follow each other faster in this way (CUDA Programming Guide, "Programmatic Dependent Launch").
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
  config.numAttrs = std::exchange(streams_have_met, false) || !launches_early() ? 0 : 1;
  check(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
  launched(stream);
}

/// Waits until all earlier launches have ended. A kernel of few blocks lets the next kernel start immediately. A kernel
/// that fills the device does not, because the next kernel would occupy part of it.
__device__ inline void await_others() {
#if __CUDA_ARCH__ >= 900
  constexpr unsigned few = 384;
  if (gridDim.x * gridDim.y * gridDim.z <= few) asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Returns the threads per multiprocessor for which registers are reserved: 768, or the number that a functor declares
/// if it needs more registers.
template <class Column>
constexpr int resident_threads() {
  if constexpr (requires { Column::resident_threads; })
    return Column::resident_threads;
  else
    return 768;
}
/// Sets the threads of a block: 128 if complete tiles would not fill the multiprocessor or if warps work independently.
template <class Column>
inline constexpr int block_threads = takes_warps<Column> || resident_threads<Column>() % tile_threads != 0
                                         ? 128
                                         : tile_threads;
template <class Column>
inline constexpr int resident_blocks = resident_threads<Column>() / block_threads<Column>;

/// Calls column(i, j, k0, k1) for every column of the box, or column.warp for every warp's tile. The box is cut into
/// pieces along z.
template <class Column>
__global__ void __launch_bounds__(block_threads<Column>, resident_blocks<Column>)
    columns_kernel(Range box, Tiling tiling, Column column) {
  await_others();
  tiling.visit(box, column);
}

template <class Column>
void for_columns(cudaStream_t stream, const Box& box, const Column& column) {
  if (box.size() == 0) return;
  const auto tiling = Tiling::of<Column>(box, block_threads<Column>);
  launch(columns_kernel<Column>, tiling.grid(), block_threads<Column>, stream, Range(box), tiling, column);
}

template <class Column>
__global__ void __launch_bounds__(block_threads<Column>, resident_blocks<Column>)
    sum_kernel(Range box, PlaneSums sums, Column column, double* partial) {
  await_others();
  sum_planes<block_threads<Column>>(box, sums, column, partial);
}

/// Returns how a functor is summed over a box. `depth` counts the planes of the global grid.
template <class Column>
PlaneSums plane_sums(const Box& box, int depth) {
  return {box, Tiling::of<Column>(box, block_threads<Column>), depth};
}

/// Computes the partial sums of column(i, j, k0, k1) over the planes of a box. They are stored after the partial sums
/// of the `before` preceding planes.
template <class Column>
void sum_columns(cudaStream_t stream, const Box& box, const PlaneSums& sums, int before, const Column& column,
                 double* partial) {
  partial += sums.partials(before);
  if (sums.groups > 0)
    launch(sum_kernel<Column>, sums.blocks(), block_threads<Column>, stream, Range(box), sums, column, partial);
}

/// Runs f in a single thread, between verbs on fields.
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
