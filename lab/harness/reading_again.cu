#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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

// A piece is what a block reads with one load of each thread. Block b reads `count` consecutive pieces of the set,
// cyclically, from piece b · pieces / blocks on: the blocks spread over the whole set at every moment.
template <class Load>
__global__ void __launch_bounds__(reading_threads, reading_blocks)
    set_kernel(const ulonglong2* set, unsigned pieces, unsigned count, unsigned long long* sums) {
  unsigned piece = static_cast<unsigned>(std::uint64_t{blockIdx.x} * pieces / gridDim.x);
  unsigned long long sum = 0;
  for (unsigned k = 0; k < count; k += loads_in_flight) {
    ulonglong2 pair[loads_in_flight];
#pragma unroll
    for (unsigned u = 0; u < loads_in_flight; ++u) {
      pair[u] = Load::load(set + std::size_t{piece} * reading_threads + threadIdx.x);
      piece = piece + 1 == pieces ? 0 : piece + 1;
    }
#pragma unroll
    for (unsigned u = 0; u < loads_in_flight; ++u) sum += pair[u].x + pair[u].y;
  }
  sums[blockIdx.x * reading_threads + threadIdx.x] = sum;
}

// Gives every multiprocessor the same number of resident blocks. The blocks read every word equally often, because
// each of them reads either the whole set or an equal share of it several times.
template <class Load>
std::int64_t by_grid(Backend& backend, const std::uint64_t* data, std::int64_t words, double bytes,
                     std::uint64_t* sums) {
  const std::int64_t pieces = words / (2 * reading_threads), blocks = std::int64_t{reading_blocks} * multiprocessors();
  const std::int64_t share = pieces % blocks == 0 ? pieces / blocks : pieces;
  const std::int64_t least = std::lcm(share, std::int64_t{loads_in_flight});
  const double wanted = bytes / 16 / static_cast<double>(reading_threads * blocks);
  const std::int64_t count = least * std::max<std::int64_t>(1, std::llround(wanted / static_cast<double>(least)));
  cuda::check(cudaFuncSetAttribute(set_kernel<Load>, cudaFuncAttributePreferredSharedMemoryCarveout,
                                   cudaSharedmemCarveoutMaxL1));
  const cudaStream_t stream = stream_of(backend);
  set_kernel<Load><<<static_cast<unsigned>(blocks), reading_threads, 0, stream>>>(
      reinterpret_cast<const ulonglong2*>(data), static_cast<unsigned>(pieces), static_cast<unsigned>(count),
      reinterpret_cast<unsigned long long*>(sums));
  cuda::launched(stream);
  return 2 * reading_threads * blocks * count;
}

}  // namespace

std::span<const ReadingWay> gpu_reading_ways() {
  static constexpr std::array all{ReadingWay{by_first_level, by_grid<Cached>},
                                  ReadingWay{by_shared_level, by_grid<Uncached>}};
  return all;
}

std::size_t gpu_reading_unit() {
  return std::size_t{16} * reading_threads * reading_blocks * static_cast<std::size_t>(multiprocessors());
}

}  // namespace poisson::lab
