#pragma once

namespace poisson {

/// Refers to numbers that nobody writes while they are read. A GPU loads them by __ldg, so it can request several
/// numbers before it stores the first result. Uses nothing of the standard library.
template <class T>
struct Table {
  const T* numbers = nullptr;

  constexpr T operator[](int i) const {
#ifdef __CUDA_ARCH__
    return unchanged(numbers + i);
#else
    return numbers[i];
#endif
  }

 private:
#ifdef __CUDA_ARCH__
  static __device__ T unchanged(const double* at) {
    return __ldg(at);
  }
  static __device__ T unchanged(const float* at) {
    return __ldg(at);
  }
  static __device__ T unchanged(const int* at) {
    return __ldg(at);
  }
  // Loads a number of two parts.
  template <class Pair>
  static __device__ T unchanged(const Pair* at) {
    using Words = decltype(words(at->re));
    const Words pair = __ldg(reinterpret_cast<const Words*>(at));
    return {pair.x, pair.y};
  }
  static __device__ double2 words(double);
  static __device__ float2 words(float);
#endif
};

}  // namespace poisson
