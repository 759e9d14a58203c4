#pragma once

#include <cstddef>
#include <vector>

#include "grids/kernels/cpu/sweep.hpp"
#include "grids/rows/stencil.hpp"

namespace poisson::cpu {

/// Returns scratch memory of this thread for `lines` lines of n values; each `number` has separate memory.
template <class T, int number = 0>
T* line_scratch(int n, int lines = 1) {
  thread_local std::vector<T> memory;
  const auto needed = static_cast<std::size_t>(lines) * static_cast<std::size_t>(n);
  if (memory.size() < needed) memory.resize(needed);
  return memory.data();
}

/// Returns Σ term(d, x) over a line.
template <class T, class Term>
double term_sum(const T* d, const T* x, int first, int last, const Term& term) {
  double* const terms = line_scratch<double, 1>(last);
#pragma omp simd
  for (int i = first; i < last; ++i) terms[i] = term(d[i], x[i]);
  return sum_of_terms(terms, first, last);
}
/// Returns the term of Σ x²/D.
template <class T>
constexpr double square_over_diagonal(T d, T x) {
  return static_cast<double>(x * x * stencil::reciprocal(d));
}

}  // namespace poisson::cpu
