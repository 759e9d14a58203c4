#pragma once

#include <cstddef>
#include <vector>

namespace poisson::cpu {

/// `LineBundle` is a bundle of independent tridiagonal systems −lower x_{t−1} + diagonal x_t − upper x_{t+1} = rhs.
/// Entry t of all systems is contiguous in memory, so the elimination is vector code.
template <class T>
class LineBundle {
 public:
  static constexpr int width = 32;

  /// Returns the calling thread's bundle for systems of n entries.
  static LineBundle& of_length(int n) {
    thread_local LineBundle bundle;
    bundle.n_ = n;
    const auto needed = static_cast<std::size_t>(n) * width * 5;
    if (bundle.memory_.size() < needed) bundle.memory_.resize(needed);
    return bundle;
  }

  T* lower(int t) { return array(0, t); }
  T* diagonal(int t) { return array(1, t); }
  T* upper(int t) { return array(2, t); }
  T* rhs(int t) { return array(3, t); }  ///< the solution after solve

  /// Solves the first `lines` systems by Thomas's algorithm. If `cyclic`, lower of the first entry couples to the last
  /// entry, and upper of the last entry to the first.
  void solve(int lines, bool cyclic) {
    if (n_ == 1) {
      for (int w = 0; w < lines; ++w) rhs(0)[w] /= cyclic ? diagonal(0)[w] - lower(0)[w] - upper(0)[w] : diagonal(0)[w];
      return;
    }
    // In cyclic systems the last entry is eliminated last; `last` carries its column.
    const int m = cyclic ? n_ - 1 : n_;
    for (int t = 0; t < m; ++t) {
      T *a = lower(t), *b = diagonal(t), *c = upper(t), *d = rhs(t), *f = array(4, t);
      const T *c0 = t > 0 ? upper(t - 1) : nullptr, *d0 = t > 0 ? rhs(t - 1) : nullptr;
      const T* f0 = t > 0 ? array(4, t - 1) : nullptr;
#pragma omp simd
      for (int w = 0; w < lines; ++w) {
        T pivot = b[w], right = d[w], last = T(0);
        if (t > 0) {
          pivot -= a[w] * c0[w];
          right += a[w] * d0[w];
          if (cyclic) last = a[w] * f0[w];
        } else if (cyclic) {
          last = a[w];
        }
        if (cyclic && t == m - 1) {
          last += c[w];
          c[w] = T(0);
        }
        const T inverse = T(1) / pivot;
        c[w] *= inverse;
        d[w] = right * inverse;
        if (cyclic) f[w] = last * inverse;
      }
    }
    for (int t = m - 2; t >= 0; --t) {
      const T *c = upper(t), *d1 = rhs(t + 1), *f1 = array(4, t + 1);
      T *d = rhs(t), *f = array(4, t);
#pragma omp simd
      for (int w = 0; w < lines; ++w) {
        d[w] += c[w] * d1[w];
        if (cyclic) f[w] += c[w] * f1[w];
      }
    }
    if (!cyclic) return;
    const T *a = lower(m), *b = diagonal(m), *c = upper(m);
    T* x = rhs(m);
    for (int w = 0; w < lines; ++w)
      x[w] =
          (x[w] + a[w] * rhs(m - 1)[w] + c[w] * rhs(0)[w]) / (b[w] - a[w] * array(4, m - 1)[w] - c[w] * array(4, 0)[w]);
    for (int t = 0; t < m; ++t) {
      T* d = rhs(t);
      const T* f = array(4, t);
#pragma omp simd
      for (int w = 0; w < lines; ++w) d[w] += f[w] * x[w];
    }
  }

 private:
  T* array(int which, int t) {
    return memory_.data() +
           (static_cast<std::size_t>(which) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(t)) * width;
  }
  int n_ = 0;
  std::vector<T> memory_;
};

}  // namespace poisson::cpu
