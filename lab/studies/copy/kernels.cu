#include <array>
#include <utility>
#include <vector>

#include "lab/harness/contents.hpp"
#include "lab/harness/stream.cuh"
#include "lab/studies/copy/kernels.hpp"

namespace poisson::lab {
namespace {

constexpr int threads = 256;

// Every thread copies `per_thread` elements, a block's width apart, so that neighbouring threads access neighbouring
// elements at each step. All loads precede the first store, so they are in flight together.
template <class T, int per_thread>
__global__ void __launch_bounds__(threads)
    copy_kernel(const T* __restrict__ from, T* __restrict__ to, std::int64_t count) {
  const std::int64_t block = std::int64_t{blockIdx.x} * threads * per_thread;
  from += block + threadIdx.x;
  to += block + threadIdx.x;
  T values[per_thread];
  if (block + threads * per_thread <= count) {
#pragma unroll
    for (int i = 0; i < per_thread; ++i) values[i] = from[i * threads];
#pragma unroll
    for (int i = 0; i < per_thread; ++i) to[i * threads] = values[i];
  } else {  // the last block
    for (std::int64_t i = block + threadIdx.x; i < count; i += threads, from += threads, to += threads) *to = *from;
  }
}

template <class T, int per_thread>
void launch_copy(Backend& backend, const void* from, void* to, std::size_t bytes) {
  const cudaStream_t stream = stream_of(backend);
  const auto count = static_cast<std::int64_t>(bytes / sizeof(T));
  constexpr std::int64_t per_block = std::int64_t{threads} * per_thread;
  copy_kernel<T, per_thread><<<static_cast<unsigned>((count + per_block - 1) / per_block), threads, 0, stream>>>(
      static_cast<const T*>(from), static_cast<T*>(to), count);
  cuda::launched(stream);
}

template <class T, int per_thread>
CopyVariant kernel_variant() {
  std::string name = std::to_string(sizeof(T)) + " B";
  if (per_thread > 1) name += " × " + std::to_string(per_thread);
  return {.name = std::move(name), .width = sizeof(T), .per_thread = per_thread, .launch = launch_copy<T, per_thread>};
}

template <class T, int... one_less>
void add_variants(std::vector<CopyVariant>& all, std::integer_sequence<int, one_less...>) {
  (all.push_back(kernel_variant<T, one_less + 1>()), ...);
}

template <class... T>
std::vector<CopyVariant> variants() {
  std::vector<CopyVariant> all;
  (add_variants<T>(all, std::make_integer_sequence<int, 8>()), ...);
  all.push_back({.name = "cudaMemcpyAsync", .launch = copy_bytes});
  return all;
}

}  // namespace

std::span<const CopyVariant> gpu_copy_variants() {
  static const std::vector<CopyVariant> all = variants<uchar1, ushort1, uint1, uint2, uint4>();
  return all;
}

}  // namespace poisson::lab
