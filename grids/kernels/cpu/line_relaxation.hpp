#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/memory/box.hpp"
#include "backends/memory/round_up.hpp"
#include "grids/rows/box_stencil.hpp"

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

/// Return the couplings of a row along an axis.
template <class T>
constexpr T before(const Row<T>& a, int axis) {
  return axis == 0 ? a.west : axis == 1 ? a.south : a.bottom;
}
template <class T>
constexpr T after(const Row<T>& a, int axis) {
  return axis == 0 ? a.east : axis == 1 ? a.north : a.top;
}

/// Solves e = B⁻¹ r for all lines of the box along `axis`. `right(j, k)` returns the function r(row, i) of a line along
/// x. `store(i, j, k, e)` receives the solution.
template <class T, class Coefficients, class Right, class Store>
void solve_lines(const Coefficients& c, const Box& box, int axis, bool cyclic, const Right& right, const Store& store) {
  // A bundle contains `width` neighbouring lines along x, or along y if the lines run along x.
  const std::size_t d = static_cast<std::size_t>(axis), across = axis == 0 ? 1 : 0, other = axis == 2 ? 1 : 2;
  constexpr int width = LineBundle<T>::width;
  const int first = box.first[d], n = box.last[d] - first;
  const int bundles = divide_up(box.last[across] - box.first[across], width);
  const int others = box.last[other] - box.first[other];
#pragma omp parallel for collapse(2) schedule(static) if (box.size() > heavy_threshold)
  for (int o = 0; o < others; ++o)
    for (int p = 0; p < bundles; ++p) {
      LineBundle<T>& bundle = LineBundle<T>::of_length(n);
      const int begin = box.first[across] + p * width, lines = std::min(width, box.last[across] - begin);
      const auto put = [&](const auto& a, T r, int t, int w) {
        bundle.lower(t)[w] = t == 0 && !cyclic ? T(0) : before(a, axis);
        bundle.upper(t)[w] = t == n - 1 && !cyclic ? T(0) : after(a, axis);
        bundle.diagonal(t)[w] = a.diagonal();
        bundle.rhs(t)[w] = r;
      };
      const int at = box.first[other] + o;
      if (axis == 0) {
        for (int w = 0; w < lines; ++w) {
          const auto line = c.line(begin + w, at);
          const auto r = right(begin + w, at);
          for (int t = 0; t < n; ++t) {
            const auto a = line.row(first + t);
            put(a, r(a, first + t), t, w);
          }
        }
      } else {
        for (int t = 0; t < n; ++t) {
          const int j = axis == 1 ? first + t : at, k = axis == 1 ? at : first + t;
          const auto line = c.line(j, k);
          const auto r = right(j, k);
          for (int w = 0; w < lines; ++w) {
            const auto a = line.row(begin + w);
            put(a, r(a, begin + w), t, w);
          }
        }
      }
      bundle.solve(lines, cyclic);
      for (int t = 0; t < n; ++t)
        for (int w = 0; w < lines; ++w) {
          if (axis == 0)
            store(first + t, begin + w, at, bundle.rhs(t)[w]);
          else
            store(begin + w, axis == 1 ? first + t : at, axis == 1 ? at : first + t, bundle.rhs(t)[w]);
        }
    }
}

}  // namespace poisson::cpu
