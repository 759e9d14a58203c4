#pragma once

#include "lab/harness/block_time.hpp"

namespace poisson::lab {

/// Measures a block by the clock of its multiprocessor, from the start of its first warp to the end of its last warp.
/// All threads of the block construct the clock and stop it. Its barriers keep arithmetic from moving across them, so
/// timed code must start from loaded values and end in stores. Every warp reads the clock itself, before the first and
/// before the second barrier, because other warps may be far ahead or behind.
class BlockClock {
 public:
  __device__ BlockClock() {
    if (threadIdx.x == 0) {
      first() = ~0ull;
      last() = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicMin(&first(), static_cast<unsigned long long>(clock64()));
    __syncthreads();
  }
  __device__ void stop(BlockTime* times) const {
    if (threadIdx.x % 32 == 0) atomicMax(&last(), static_cast<unsigned long long>(clock64()));
    __syncthreads();
    if (threadIdx.x != 0) return;
    unsigned multiprocessor = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    times[blockIdx.x] = {static_cast<long long>(first()), static_cast<long long>(last()), multiprocessor};
  }

 private:
  static __device__ unsigned long long& first() {
    __shared__ unsigned long long clock;
    return clock;
  }
  static __device__ unsigned long long& last() {
    __shared__ unsigned long long clock;
    return clock;
  }
};

}  // namespace poisson::lab
