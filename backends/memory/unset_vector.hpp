#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace poisson {

/// Allocates values without setting them, so that the threads that compute large arrays touch their memory first.
template <class T>
struct UnsetAllocator : std::allocator<T> {
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
