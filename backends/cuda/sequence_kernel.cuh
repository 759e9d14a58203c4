#pragma once

#include <tuple>

#include "backends/cuda/launch.cuh"
#include "backends/cuda/sequence.cuh"

namespace poisson::cuda {

/// Returns n / extent from the extent's reciprocal (Step). The result is exact while n · extent < 2³². The reciprocal 0
/// represents an extent of 1.
__device__ inline unsigned quotient(unsigned n, unsigned reciprocal) {
  return reciprocal == 0 ? n : __umulhi(n, reciprocal);
}

/// Runs one step by all threads of the block, of which the caller is number `thread`.
template <class Column>
__device__ void perform(const Step& step, unsigned thread, unsigned threads) {
  const Column& column = *reinterpret_cast<const Column*>(step.column);
  if constexpr (requires { column.all(thread, threads); }) {
    column.all(thread, threads);
  } else {
    const int nx = step.last.x - step.first.x, ny = step.last.y - step.first.y, nz = step.last.z - step.first.z;
    for (unsigned n = thread; n < static_cast<unsigned>(nx * ny * nz); n += threads) {
      const unsigned line = quotient(n, step.lines), plane = quotient(line, step.planes);
      const int i = static_cast<int>(n) - static_cast<int>(line) * nx;
      const int j = static_cast<int>(line) - static_cast<int>(plane) * ny, k = static_cast<int>(plane);
      column(step.first.x + i, step.first.y + j, step.first.z + k, step.first.z + k + 1);
    }
  }
}

/// Finds functor number step.kind between `first` and `last` by bisection and runs it. Each test has the same result in
/// all threads.
template <class Columns, int first, int last>
__device__ void perform_among(const Step& step, unsigned thread, unsigned threads) {
  if constexpr (last - first == 1) {
    perform<std::tuple_element_t<first, Columns>>(step, thread, threads);
  } else {
    constexpr int middle = (first + last) / 2;
    if (step.kind < middle)
      perform_among<Columns, first, middle>(step, thread, threads);
    else
      perform_among<Columns, middle, last>(step, thread, threads);
  }
}

inline constexpr int sequence_threads = 512;

/// Runs the steps in one block, whose barrier costs less than a launch. (Measured on an H200 at 128³. With the levels
/// up to 9³ in one block a solve takes 1.81 ms, in separate launches 1.96 ms. With the levels up to 17³ in clusters of
/// eight blocks it takes 1.87 ms, in one block 2.02 ms.)
template <class... Columns>
__global__ void __launch_bounds__(sequence_threads) sequence_kernel(const Step* steps, int count) {
  // Each step is copied to shared memory one step ahead, so that its first operands are available immediately.
  __shared__ Step shared[2];
  const auto fetch = [&](int s) {
    constexpr unsigned words = sizeof(Step) / sizeof(int2);
    if (s < count && threadIdx.x < words)
      reinterpret_cast<int2*>(&shared[s % 2])[threadIdx.x] = reinterpret_cast<const int2*>(&steps[s])[threadIdx.x];
  };
  fetch(0);  // the table is older than the launch
  await_others();
  __syncthreads();
  for (int s = 0; s < count; ++s) {
    fetch(s + 1);
    perform_among<std::tuple<Columns...>, 0, sizeof...(Columns)>(shared[s % 2], threadIdx.x, sequence_threads);
    __syncthreads();
  }
}

template <class... Columns>
void launch_sequence(ColumnList<Columns...>, cudaStream_t stream, const Step* steps, int count) {
  launch(sequence_kernel<Columns...>, 1, sequence_threads, stream, steps, count);
}

}  // namespace poisson::cuda
