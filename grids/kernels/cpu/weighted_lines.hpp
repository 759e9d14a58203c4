#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "backends/spaces/exchange.hpp"

/// Transfers on the CPU consist of weighted sums of lines along x.
namespace poisson::cpu {

inline std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

/// Returns the thread's scratch line of n values with space for a halo; each `number` has a separate line.
template <class T, int number = 0>
T* scratch(int n) {
  thread_local std::vector<T> memory;
  if (memory.size() < index(n) + 2 * cut_halo + 1) memory.resize(index(n) + 2 * cut_halo + 1);
  return memory.data() + cut_halo;
}

/// `WeightedLines` is a weighted sum of up to 16 lines, halos included.
template <class T>
struct WeightedLines {
  std::array<const T*, 16> line{};
  std::array<T, 16> weight{};
  int count = 0;

  void add(const T* from, double w) {
    if (w == 0) return;
    line[index(count)] = from;
    weight[index(count)] = static_cast<T>(w);
    ++count;
  }
  /// Returns whether the sum equals one of the lines.
  bool is_copy() const { return count == 1 && weight[0] == T(1); }
  void sum_into(T* to, int first, int last) const {
    const T* l0 = line[0];
    const T w0 = weight[0];
#pragma omp simd
    for (int i = first; i < last; ++i) to[i] = w0 * l0[i];
    for (int c = 1; c < count; ++c) {
      const T* l = line[index(c)];
      const T w = weight[index(c)];
#pragma omp simd
      for (int i = first; i < last; ++i) to[i] += w * l[i];
    }
  }
};

}  // namespace poisson::cpu
