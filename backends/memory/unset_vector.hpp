#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "backends/memory/round_up.hpp"

namespace poisson {

/// Allocates values without setting them, so that the threads that compute large arrays touch their memory first. Large
/// arrays ask for huge pages: touching a page first takes as long as filling it.
template <class T>
struct UnsetAllocator : std::allocator<T> {
  static_assert(alignof(T) <= alignof(std::max_align_t));
  T* allocate(std::size_t count) {
    constexpr std::size_t huge = std::size_t{1} << 21;
    const std::size_t bytes = count * sizeof(T);
    if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    void* const values = bytes < 2 * huge ? std::malloc(bytes) : std::aligned_alloc(huge, round_up(bytes, huge));
    if (!values && bytes > 0) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= 2 * huge) madvise(values, bytes, MADV_HUGEPAGE);  // a request only
#endif
    return static_cast<T*>(values);
  }
  void deallocate(T* values, std::size_t) {
    std::free(values);
  }

  template <class U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) == 0)
      ::new (static_cast<void*>(at)) U;
    else
      ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
};

/// Is a vector whose resize() leaves new values unset.
template <class T>
using UnsetVector = std::vector<T, UnsetAllocator<T>>;

}  // namespace poisson
