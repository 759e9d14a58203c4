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
/// Names the type that a thread loads or stores with one instruction: 4, 8 or 16 bytes, aligned to its size.
template <int bytes>
using Word = typename WordOf<bytes>::Type;

/// Contains the values of a word.
template <class T, int n>
struct Pack {
  T value[n];
};

/// Loads n values whose address is a multiple of n · sizeof(T) bytes.
template <int n, class T>
__device__ Pack<T, n> load_word(const T* from) {
  return std::bit_cast<Pack<T, n>>(*reinterpret_cast<const Word<n* static_cast<int>(sizeof(T))>*>(from));
}

}  // namespace poisson::cuda
