#include <algorithm>
#include <cstdint>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/functions.hpp"
#include "backends/memory/round_up.hpp"

namespace poisson::cuda {
namespace {

constexpr int threads = 256;

// Each thread copies one word. The first threads also copy the bytes after the last complete word.
template <class Word>
__global__ void __launch_bounds__(threads)
    copy_kernel(const Word* __restrict__ from, Word* __restrict__ to, std::size_t words, int tail) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i < words) to[i] = from[i];
  if (i < static_cast<std::size_t>(tail))
    reinterpret_cast<unsigned char*>(to + words)[i] = reinterpret_cast<const unsigned char*>(from + words)[i];
}

template <class Word>
void launch(cudaStream_t stream, const void* from, void* to, std::size_t bytes) {
  const std::size_t words = bytes / sizeof(Word);
  const auto blocks = static_cast<unsigned>(std::max<std::size_t>(1, divide_up(words, threads)));
  copy_kernel<<<blocks, threads, 0, stream>>>(static_cast<const Word*>(from), static_cast<Word*>(to), words,
                                              static_cast<int>(bytes % sizeof(Word)));
  launched(stream);
}

}  // namespace

void copy_by_kernel(Backend& backend, const void* from, void* to, std::size_t bytes) {
  const cudaStream_t stream = static_cast<CudaBackend&>(backend).stream();
  const auto addresses = reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
  if (addresses % sizeof(uint4) == 0)
    launch<uint4>(stream, from, to, bytes);
  else
    launch<unsigned char>(stream, from, to, bytes);
}

void copy_by_driver(Backend& backend, const void* from, void* to, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, static_cast<CudaBackend&>(backend).stream()));
}

}  // namespace poisson::cuda
