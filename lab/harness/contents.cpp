#include "lab/harness/contents.hpp"

#include <algorithm>
#include <cstring>

#include "lab/harness/with_cuda.hpp"

namespace poisson::lab {
namespace {

constexpr std::int64_t share = 1 << 20;  // bytes

// Calls f(first byte, bytes) for every share, on all threads.
template <class F>
void for_shares(std::size_t bytes, const F& f) {
  const auto shares = static_cast<std::int64_t>((bytes + share - 1) / share);
#pragma omp parallel for schedule(static) if (shares > 1)
  for (std::int64_t s = 0; s < shares; ++s) {
    const auto first = static_cast<std::size_t>(s * share);
    f(first, std::min<std::size_t>(share, bytes - first));
  }
}

bool on_gpu(const Backend& backend) {
  return backend.kind() == BackendKind::cuda;
}

}  // namespace

void fill_random(Backend& backend, void* data, std::size_t bytes, std::uint64_t seed) {
  if constexpr (with_cuda)
    if (on_gpu(backend)) return gpu::fill_random(backend, data, bytes, seed);
  for_shares(bytes, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; i += sizeof(std::uint64_t)) {
      const std::uint64_t word = random_word(seed, (first + i) / sizeof(word));
      std::memcpy(static_cast<char*>(data) + first + i, &word, std::min(sizeof(word), count - i));
    }
  });
}

void poison(Backend& backend, void* data, std::size_t bytes) {
  if constexpr (with_cuda)
    if (on_gpu(backend)) return gpu::poison(backend, data, bytes);
  for_shares(bytes,
             [&](std::size_t first, std::size_t count) { std::memset(static_cast<char*>(data) + first, 0xFF, count); });
}

std::size_t differing_bytes(Backend& backend, const void* a, const void* b, std::size_t bytes) {
  if constexpr (with_cuda)
    if (on_gpu(backend)) return gpu::differing_bytes(backend, a, b, bytes);
  const auto *x = static_cast<const unsigned char*>(a), *y = static_cast<const unsigned char*>(b);
  std::size_t differing = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : differing)
  for (std::size_t i = 0; i < bytes; ++i) differing += x[i] != y[i] ? 1 : 0;
  return differing;
}

void copy_bytes(Backend& backend, const void* from, void* to, std::size_t bytes) {
  if constexpr (with_cuda)
    if (on_gpu(backend)) return gpu::copy_bytes(backend, from, to, bytes);
  for_shares(bytes, [&](std::size_t first, std::size_t count) {
    std::memcpy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first, count);
  });
}

}  // namespace poisson::lab
