#pragma once

#include <cstdint>

/// These functions read and change numbers that other threads change at the same time, on any backend. They use no
/// containers of the standard library.
namespace poisson {

template <class T>
constexpr T read_shared(const T* at) {
#ifdef __CUDA_ARCH__
  return *const_cast<const volatile T*>(at);
#else
  return __atomic_load_n(at, __ATOMIC_RELAXED);
#endif
}
template <class T>
constexpr void write_shared(T* at, T value) {
#ifdef __CUDA_ARCH__
  *const_cast<volatile T*>(at) = value;
#else
  __atomic_store_n(at, value, __ATOMIC_RELAXED);
#endif
}
/// Adds `value` and returns the previous number.
template <class T>
constexpr T add_shared(T* at, T value) {
#ifdef __CUDA_ARCH__
  return atomicAdd(at, value);
#else
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
#endif
}
/// Adds 1 and returns the previous number. The threads of a warp that call it together send one request to the memory.
constexpr std::uint32_t count_shared(std::uint32_t* at) {
#ifdef __CUDA_ARCH__
  const unsigned together = __activemask(), lane = threadIdx.x % 32;
  const int first = __ffs(static_cast<int>(together)) - 1;
  std::uint32_t before = 0;
  if (static_cast<int>(lane) == first) before = atomicAdd(at, static_cast<std::uint32_t>(__popc(together)));
  before = __shfl_sync(together, before, first);
  return before + static_cast<std::uint32_t>(__popc(together & ((1u << lane) - 1)));
#else
  return add_shared(at, 1u);
#endif
}
template <class T>
constexpr void or_shared(T* at, T bits) {
#ifdef __CUDA_ARCH__
  atomicOr(at, bits);
#else
  __atomic_fetch_or(at, bits, __ATOMIC_RELAXED);
#endif
}
/// Replaces the number by `value` if it equals `expected`. Returns the previous number.
template <class T>
constexpr T swap_shared(T* at, T expected, T value) {
#ifdef __CUDA_ARCH__
  return atomicCAS(at, expected, value);
#else
  __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
#endif
}

}  // namespace poisson
