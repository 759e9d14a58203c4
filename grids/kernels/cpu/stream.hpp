#pragma once

#include <algorithm>
#include <cstdint>

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace poisson::cpu {

/// Copies to[i] = from[i] for first ≤ i < last, with stores that bypass the caches if the processor has them: memory is
/// written without being read first. Only complete cache lines bypass the caches, because partial ones would be read
/// first.
template <class T>
void stream_line(const T* from, T* to, int first, int last) {
#ifdef __AVX__
  constexpr int line = 64 / sizeof(T);
  const auto beyond = static_cast<int>(reinterpret_cast<std::uintptr_t>(to + first) / sizeof(T) % line);
  const int begin = std::min(first + (line - beyond) % line, last), end = begin + (last - begin) / line * line;
  std::copy(from + first, from + begin, to + first);
  for (int i = begin; i < end; i += line)
    for (int half = i; half < i + line; half += line / 2)
      _mm256_stream_si256(reinterpret_cast<__m256i*>(to + half),
                          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + half)));
  std::copy(from + end, from + last, to + end);
#else
  std::copy(from + first, from + last, to + first);
#endif
}

/// Makes streamed values visible; call it before another thread reads them.
inline void end_stream() {
#ifdef __AVX__
  _mm_sfence();
#endif
}

}  // namespace poisson::cpu
