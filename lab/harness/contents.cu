#include "lab/harness/contents.hpp"
#include "lab/harness/stream.cuh"

namespace poisson::lab::gpu {
namespace {

using cuda::check;
using cuda::launched;

constexpr unsigned threads = 256, blocks = 4096;  // every kernel strides over its array by the grid

__global__ void fill_kernel(unsigned char* data, std::size_t bytes, std::uint64_t seed) {
  const std::size_t words = bytes / sizeof(std::uint64_t), stride = std::size_t{blocks} * threads;
  const std::size_t first = std::size_t{blockIdx.x} * threads + threadIdx.x;
  for (std::size_t i = first; i < words; i += stride) reinterpret_cast<std::uint64_t*>(data)[i] = random_word(seed, i);
  if (first < bytes % sizeof(std::uint64_t))
    data[words * sizeof(std::uint64_t) + first] = static_cast<unsigned char>(random_word(seed, words) >> (8 * first));
}

__global__ void compare_kernel(const unsigned char* a, const unsigned char* b, std::size_t bytes,
                               unsigned long long* differing) {
  const std::size_t words = bytes / sizeof(std::uint64_t), stride = std::size_t{blocks} * threads;
  const std::size_t first = std::size_t{blockIdx.x} * threads + threadIdx.x;
  unsigned long long count = 0;
  for (std::size_t i = first; i < words; i += stride) {
    const std::uint64_t odd =
        reinterpret_cast<const std::uint64_t*>(a)[i] ^ reinterpret_cast<const std::uint64_t*>(b)[i];
    for (int byte = 0; byte < 8; ++byte) count += (odd >> (8 * byte) & 0xFF) != 0 ? 1 : 0;
  }
  if (first < bytes % sizeof(std::uint64_t)) {
    const std::size_t i = words * sizeof(std::uint64_t) + first;
    count += a[i] != b[i] ? 1 : 0;
  }
  if (count > 0) atomicAdd(differing, count);
}

}  // namespace

void fill_random(Backend& backend, void* data, std::size_t bytes, std::uint64_t seed) {
  fill_kernel<<<blocks, threads, 0, stream_of(backend)>>>(static_cast<unsigned char*>(data), bytes, seed);
  launched(stream_of(backend));
}

void poison(Backend& backend, void* data, std::size_t bytes) {
  check(cudaMemsetAsync(data, 0xFF, bytes, stream_of(backend)));
}

std::size_t differing_bytes(Backend& backend, const void* a, const void* b, std::size_t bytes) {
  const Buffer counter = backend.allocate(sizeof(unsigned long long));
  compare_kernel<<<blocks, threads, 0, stream_of(backend)>>>(static_cast<const unsigned char*>(a),
                                                             static_cast<const unsigned char*>(b), bytes,
                                                             static_cast<unsigned long long*>(counter.data()));
  launched(stream_of(backend));
  unsigned long long differing = 0;
  backend.read(counter.data(), &differing, sizeof differing);
  return differing;
}

void copy_bytes(Backend& backend, const void* from, void* to, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_of(backend)));
}

}  // namespace poisson::lab::gpu
