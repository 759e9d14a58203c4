#pragma once

#include <algorithm>

namespace poisson::cpu {

/// `AskFor` prefetches the next values of two lines.
template <class T>
struct AskFor {
  const T *one, *other;
  void operator()(int i) const {
    __builtin_prefetch(one + i);
    __builtin_prefetch(other + i);
  }
};
struct AskNothing {
  void operator()(int) const {}
};

/// Calls point(i) for first ≤ i < last of a line whose value 0 is aligned. The loop is vector code with aligned stores
/// of complete vectors, and calls ask(i) once for each cache line of values.
template <class T, class Ask, class Point>
[[gnu::always_inline]] inline void for_aligned(int first, int last, const Ask& ask, const Point& point) {
  constexpr int vector = 32 / sizeof(T), block = 64 / sizeof(T);
  const int begin = std::min((first + vector - 1) / vector * vector, last);
#pragma omp simd
  for (int i = first; i < begin; ++i) point(i);
  int i = begin;
  for (; i + block <= last; i += block) {
    ask(i);
#pragma omp simd
    for (int k = i; k < i + block; ++k) point(k);
  }
#pragma omp simd
  for (int k = i; k < last; ++k) point(k);
}

}  // namespace poisson::cpu
