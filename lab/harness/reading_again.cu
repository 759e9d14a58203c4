#include <algorithm>
#include <array>
#include <cmath>

#include "lab/harness/multiprocessors.cuh"
#include "lab/harness/reading_again.hpp"
#include "lab/harness/verify.cuh"

namespace poisson::lab {
namespace {

constexpr int reading_threads = 512, reading_blocks = 4, loads_in_flight = 4;

struct Cached {
  static __device__ ulonglong2 load(const ulonglong2* at) { return *at; }
};
// Reads from L2, past L1.
struct Uncached {
  static __device__ ulonglong2 load(const ulonglong2* at) { return __ldcg(at); }
};

// Every thread adds the pairs of words thread + k·threads, k < count, of an endless reading of the set. The size of the
// set is a power of two. If one turn of all threads covers the set, each thread rereads its own pairs in the next turn.
template <class Load>
__global__ void __launch_bounds__(reading_threads, reading_blocks)
    set_kernel(const ulonglong2* set, unsigned mask, unsigned count, unsigned long long* sums) {
  const unsigned thread = blockIdx.x * reading_threads + threadIdx.x, all = gridDim.x * reading_threads;
  unsigned long long sum = 0;
  for (unsigned k = 0; k < count; k += loads_in_flight) {
    ulonglong2 pair[loads_in_flight];
#pragma unroll
    for (unsigned u = 0; u < loads_in_flight; ++u) pair[u] = Load::load(set + ((thread + (k + u) * all) & mask));
#pragma unroll
    for (unsigned u = 0; u < loads_in_flight; ++u) sum += pair[u].x + pair[u].y;
  }
  sums[thread] = sum;
}

// Launches a power of two of blocks, so that every pair of the set is read equally often.
template <class Load>
std::int64_t by_grid(Backend& backend, const std::uint64_t* data, std::int64_t words, double bytes,
                     std::uint64_t* sums) {
  const std::int64_t pairs = words / 2;
  std::int64_t blocks = 1;
  while (2 * blocks <= std::int64_t{reading_blocks} * multiprocessors()) blocks *= 2;
  const std::int64_t all = blocks * reading_threads;
  // The loads per thread are a multiple of loads_in_flight and of the loads that cover the set once.
  const std::int64_t least = std::max<std::int64_t>(loads_in_flight, pairs / all);
  const std::int64_t rounds = std::max<std::int64_t>(1, std::llround(bytes / 16 / static_cast<double>(least * all)));
  const std::int64_t count = std::min<std::int64_t>(least * rounds, (std::int64_t{1} << 31) / all / least * least);
  const cudaStream_t stream = stream_of(backend);
  set_kernel<Load><<<static_cast<unsigned>(blocks), reading_threads, 0, stream>>>(
      reinterpret_cast<const ulonglong2*>(data), static_cast<unsigned>(pairs - 1), static_cast<unsigned>(count),
      reinterpret_cast<unsigned long long*>(sums));
  cuda::launched(stream);
  return 2 * count * all;
}

}  // namespace

std::span<const ReadingWay> gpu_reading_ways() {
  static constexpr std::array all{ReadingWay{by_first_level, by_grid<Cached>},
                                  ReadingWay{by_shared_level, by_grid<Uncached>}};
  return all;
}

}  // namespace poisson::lab
