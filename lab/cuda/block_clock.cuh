#pragma once

#include "lab/arithmetic.hpp"

namespace poisson::lab {

/// Measures a block by the clock of its multiprocessor; all threads of the block construct it and stop it. Its barriers
/// keep arithmetic from moving across: what is timed must start from loaded values and end in stores. The clock is read
/// before the first barrier opens: behind it other warps may be far ahead of the one that reads.
class BlockClock {
 public:
  __device__ BlockClock() {
    start_ = clock64();
    __syncthreads();
  }
  __device__ void stop(BlockTime* times) const {
    __syncthreads();
    const long long stop = clock64();
    if (threadIdx.x != 0) return;
    unsigned multiprocessor = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    times[blockIdx.x] = {start_, stop, multiprocessor};
  }

 private:
  long long start_;
};

}  // namespace poisson::lab
