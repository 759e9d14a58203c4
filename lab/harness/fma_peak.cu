#include <algorithm>

#include "lab/harness/fma_peak.hpp"
#include "lab/harness/multiprocessors.cuh"
#include "lab/harness/verify.cuh"

namespace poisson::lab {
namespace {

constexpr int block_threads = 256, blocks_per_multiprocessor = 8, chains = 8, unroll = 16;

// Runs independent chains x ← a·x + b. Chains and warps are numerous enough that no thread waits for its own result.
template <class T>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor)
    fma_kernel(T a, T b, int rounds, T* result) {
  const unsigned thread = blockIdx.x * block_threads + threadIdx.x;
  T x[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) x[c] = static_cast<T>(thread % 32 + c);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
#pragma unroll
      for (int c = 0; c < chains; ++c) x[c] = fma(x[c], a, b);
    }
  }
  T sum = 0;
#pragma unroll
  for (int c = 0; c < chains; ++c) sum += x[c];
  result[thread] = sum;
}

template <class T>
double peak(Session& session, std::string_view study) {
  Backend& backend = session.backend();
  const int blocks = blocks_per_multiprocessor * multiprocessors(), rounds = sizeof(T) == 4 ? 256 : 128;
  const Array<T> result(backend, std::int64_t{blocks} * block_threads);
  spoil(backend, result);
  const double seconds = session.time([&] {
    const cudaStream_t stream = stream_of(backend);
    fma_kernel<T><<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(T(0.5), T(0.5), rounds, result.data());
    cuda::launched(stream);
  });
  // Every chain has reached the fixed point 1 of x ← (x + 1)/2, which rounding to even reaches exactly.
  const std::vector<T> sums = result.host();
  session.check(std::all_of(sums.begin(), sums.end(), [](T sum) { return sum == T(chains); }), study,
                "fused multiply-adds", "the chains did not arrive at their fixed point");
  return 2.0 * chains * unroll * rounds * static_cast<double>(result.size()) / seconds;
}

}  // namespace

double fma_peak(Session& session, Precision precision, std::string_view study) {
  return precision == Precision::fp32 ? peak<float>(session, study) : peak<double>(session, study);
}

}  // namespace poisson::lab
