#pragma once

#include <bit>

#include <cuda_runtime.h>

namespace poisson::cuda {

template <int bytes>
struct WordOf;
template <>
struct WordOf<4> {
  using Type = unsigned;
};
template <>
struct WordOf<8> {
  using Type = uint2;
};
template <>
struct WordOf<16> {
  using Type = uint4;
};
/// What a thread loads or stores with one instruction: 4, 8 or 16 bytes, aligned to as many.
template <int bytes>
using Word = typename WordOf<bytes>::Type;

/// The values in a word.
template <class T, int n>
struct Pack {
  T value[n];
};

/// n values that begin on a multiple of their n · sizeof(T) bytes.
template <int n, class T>
__device__ Pack<T, n> load_word(const T* from) {
  return std::bit_cast<Pack<T, n>>(*reinterpret_cast<const Word<n* static_cast<int>(sizeof(T))>*>(from));
}

}  // namespace poisson::cuda
