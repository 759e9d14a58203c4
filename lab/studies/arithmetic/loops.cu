#include <array>

#include "lab/harness/block_clock.cuh"
#include "lab/harness/verify.cuh"
#include "lab/studies/arithmetic/kernels.hpp"

namespace poisson::lab {
namespace {

template <int count, int unroll>
__global__ void __launch_bounds__(loop_threads, 2) loop_kernel(int steps, float y, float* result, BlockTime* times) {
  static_assert(loop_steps % unroll == 0);
  const unsigned thread = blockIdx.x * loop_threads + threadIdx.x;
  float x[count];
#pragma unroll
  for (int c = 0; c < count; ++c) x[c] = static_cast<float>(thread % 64 + c);
  const BlockClock clock;
#pragma unroll 1
  for (int step = 0; step < steps; step += unroll) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
#pragma unroll
      for (int c = 0; c < count; ++c) x[c] = fmaf(x[c], 0.5f, y);
    }
  }
  float sum = 0;
#pragma unroll
  for (int c = 0; c < count; ++c) sum += x[c];
  result[thread] = sum / count;
  clock.stop(times);
}

template <int count, int unroll>
constexpr UnrolledLoop unrolled{count, unroll, loop_kernel<count, unroll>};

constexpr std::array loops{unrolled<1, 1>, unrolled<1, 2>, unrolled<1, 4>, unrolled<1, 8>, unrolled<1, 16>,
                           unrolled<4, 1>, unrolled<4, 2>, unrolled<4, 4>, unrolled<4, 8>, unrolled<4, 16>};

__constant__ float constant_table[table_entries];

struct Constant {
  __device__ explicit Constant(const float*) {}
  __device__ float operator[](int i) const { return constant_table[i]; }
};

struct Shared {
  const float* table;
  __device__ explicit Shared(const float* global) {
    __shared__ float copy[table_entries];
    for (int i = static_cast<int>(threadIdx.x); i < table_entries; i += gather_threads) copy[i] = global[i];
    __syncthreads();
    table = copy;
  }
  __device__ float operator[](int i) const { return table[i]; }
};

struct Global {
  const float* table;
  __device__ explicit Global(const float* global) : table(global) {}
  __device__ float operator[](int i) const { return __ldg(table + i); }
};

template <class Memory>
__global__ void __launch_bounds__(gather_threads, 2)
    gather_kernel(int distinct, int rounds, const float* global, float* result, BlockTime* times) {
  const Memory table(global);
  const int mine = static_cast<int>(threadIdx.x % 32) % distinct;
  float sum[4] = {};
  const BlockClock clock;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    const int entry = round * reads_per_round % (table_entries / 2) + mine;
#pragma unroll
    for (int read = 0; read < reads_per_round; ++read) sum[read % 4] += table[entry + read];
  }
  result[blockIdx.x * gather_threads + threadIdx.x] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  clock.stop(times);
}

constexpr std::array memories{
    GatheringMemory{"constant memory", gather_kernel<Constant>},
    GatheringMemory{"shared memory", gather_kernel<Shared>},
    GatheringMemory{"global memory, cached", gather_kernel<Global>},
};

}  // namespace

std::span<const UnrolledLoop> unrolled_loops() {
  return loops;
}

std::span<const GatheringMemory> gathering_memories() {
  return memories;
}

void run_loop(Backend& backend, const UnrolledLoop& loop, int blocks, int steps, float y, float* result,
              BlockTime* times) {
  const cudaStream_t stream = stream_of(backend);
  loop.kernel<<<static_cast<unsigned>(blocks), loop_threads, 0, stream>>>(steps, y, result, times);
  cuda::launched(stream);
}

void gather(Backend& backend, const GatheringMemory& memory, int blocks, int distinct, int rounds, const float* table,
            float* result, BlockTime* times) {
  const cudaStream_t stream = stream_of(backend);
  memory.kernel<<<static_cast<unsigned>(blocks), gather_threads, 0, stream>>>(distinct, rounds, table, result, times);
  cuda::launched(stream);
}

void set_constant_table(Backend& backend, const float* host_table) {
  const cudaStream_t stream = stream_of(backend);
  cuda::check(cudaMemcpyToSymbolAsync(constant_table, host_table, table_entries * sizeof(float), 0,
                                      cudaMemcpyHostToDevice, stream));
  cuda::check(cudaStreamSynchronize(stream));
}

}  // namespace poisson::lab
