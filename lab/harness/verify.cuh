#pragma once

#include <cstdint>

#include "lab/harness/array.hpp"
#include "lab/harness/noise.hpp"
#include "lab/harness/stream.cuh"

namespace poisson::lab {

/// Calls f(i) for all i in [0, count), one thread each.
template <class F>
__global__ void each_kernel(std::int64_t count, F f) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) f(i);
}

template <class F>
void on_each(Backend& backend, std::int64_t count, const F& f) {
  constexpr int threads = 256;
  if (count == 0) return;
  const cudaStream_t stream = stream_of(backend);
  each_kernel<<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, stream>>>(count, f);
  cuda::launched(stream);
}

template <class T, class Formula>
struct Assigner {
  T* to;
  Formula formula;
  __device__ void operator()(std::int64_t i) const { to[i] = formula(static_cast<std::uint64_t>(i)); }
};

/// Sets array[i] = formula(i).
template <class T, class Formula>
void fill(Backend& backend, const Array<T>& array, const Formula& formula) {
  on_each(backend, array.size(), Assigner<T, Formula>{array.data(), formula});
}

/// These wrap noise(i) and noise_float(i) as function objects for kernels.
struct Noise {
  constexpr std::uint32_t operator()(std::uint64_t i) const { return noise(i); }
};
struct NoiseFloat {
  constexpr float operator()(std::uint64_t i) const { return noise_float(i); }
};

/// Overwrites an output, so that no value of an earlier launch can pass for a result.
template <class T>
void spoil(Backend& backend, const Array<T>& array) {
  cuda::check(cudaMemsetAsync(array.data(), 0xff, array.bytes(), stream_of(backend)));
}

template <class T, class Oracle>
struct MismatchCounter {
  const T* result;
  Oracle oracle;
  unsigned long long* wrong;
  __device__ void operator()(std::int64_t i) const {
    if (result[i] != oracle(i)) atomicAdd(wrong, 1ull);
  }
};

/// Returns how many of the first `count` elements differ from oracle(i), compared on the device at the timed size. The
/// host can evaluate the oracle as well: small shapes are compared there.
template <class T, class Oracle>
std::int64_t mismatches(Backend& backend, const Array<T>& result, std::int64_t count, const Oracle& oracle) {
  const Array<unsigned long long> wrong(backend, 1);
  on_each(backend, count, MismatchCounter<T, Oracle>{result.data(), oracle, wrong.data()});
  return static_cast<std::int64_t>(wrong.host()[0]);
}

/// Returns the same count, computed on the host.
template <class T, class Oracle>
std::int64_t mismatches_on_host(const Array<T>& result, const Oracle& oracle) {
  const std::vector<T> values = result.host();
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != oracle(static_cast<std::int64_t>(i))) ++wrong;
  return wrong;
}

}  // namespace poisson::lab
