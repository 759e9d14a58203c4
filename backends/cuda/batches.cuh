#pragma once

namespace poisson::cuda {

/// Calls store(at, load(at)) for the caller's share of the numbers 0 to n − 1. Several loads are in flight together,
/// because memory of other devices and of the host has a long latency.
template <class T, class Load, class Store>
__device__ void in_batches(int n, const Load& load, const Store& store) {
  constexpr int batch = 8;
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); at < n; at += batch * step) {
    T value[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b)
      if (at + b * step < n) value[b] = load(at + b * step);
#pragma unroll
    for (int b = 0; b < batch; ++b)
      if (at + b * step < n) store(at + b * step, value[b]);
  }
}

}  // namespace poisson::cuda
