#pragma once

#include <type_traits>

#include <cuda_runtime.h>

#include "backends/cuda/sequence.cuh"
#include "backends/memory/view.hpp"

/// Defines the functors that the backend's verbs apply to the columns of a box. They are run by for_columns and in
/// sequences.
namespace poisson::cuda {

/// Applies f to every value of a column.
template <class X, class F>
struct EachValue {
  View<X> x;
  F f;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) f(x(i, j, k));
  }
};

/// Applies f to every pair of values of a column. Four pairs are loaded before the first is stored.
template <class X, class Y, class F>
struct EachPair {
  View<X> x;
  View<Y> y;
  F f;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    constexpr int n = 4;
    int k = k0;
    for (; k + n <= k1; k += n) pairs<n>(i, j, k);
    for (; k < k1; ++k) pairs<1>(i, j, k);
  }

 private:
  template <int n>
  __device__ void pairs(int i, int j, int k) const {
    std::remove_const_t<X> from[n];
    Y to[n];
#pragma unroll
    for (int m = 0; m < n; ++m) {
      from[m] = x(i, j, k + m);
      to[m] = y(i, j, k + m);
    }
#pragma unroll
    for (int m = 0; m < n; ++m) {
      f(from[m], to[m]);
      y(i, j, k + m) = to[m];
    }
  }
};

struct Fill {
  double value;
  template <class X>
  __device__ void operator()(X& x) const {
    x = static_cast<X>(value);
  }
};
struct Copy {
  template <class X, class Y>
  __device__ void operator()(const X& x, Y& y) const {
    y = static_cast<Y>(x);
  }
};
struct Scale {
  const double* a;
  template <class X, class Y>
  __device__ void operator()(const X& x, Y& y) const {
    y = static_cast<Y>(*a * x);
  }
};
struct Add {
  const double* a;
  double sign;
  template <class X, class Y>
  __device__ void operator()(const X& x, Y& y) const {
    y = static_cast<Y>(y + sign * *a * x);
  }
};
struct ScaleAndAdd {
  const double* a;
  template <class X, class Y>
  __device__ void operator()(const X& x, Y& y) const {
    y = static_cast<Y>(x + *a * y);
  }
};

template <class X, class Y>
struct Dot {
  View<const X> x;
  View<const Y> y;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
#pragma unroll 4
    for (int k = k0; k < k1; ++k) sum += static_cast<double>(x(i, j, k)) * static_cast<double>(y(i, j, k));
    return sum;
  }
};

/// Copies values into the halo of the same patch. `from` and `to` are the offsets of the copied value and of its copy
/// from each value of the box.
template <class T>
struct CopyHalo {
  View<T> v;
  int count;
  std::int64_t from[2], to[2];
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) {
      T* const at = &v(i, j, k);
      for (int piece = 0; piece < count; ++piece) at[to[piece]] = at[from[piece]];
    }
  }
};

/// Computes y = Q x over numbered values for Q with dense diagonal blocks. A warp computes each row.
template <class X, class Y>
struct DenseRows {
  const double* matrix;
  const std::int64_t* index;
  int rows, blocks;
  const X* x;
  Y* y;

  /// Computes all rows by `threads` threads (complete warps), of which the caller is number `thread`.
  __device__ void all(unsigned thread, unsigned threads) const {
    const int lane = static_cast<int>(thread % 32);
    for (int row = static_cast<int>(thread / 32); row < rows * blocks; row += static_cast<int>(threads / 32)) {
      const double* entries = matrix + std::int64_t{row} * rows;
      const std::int64_t* columns = index + row / rows * rows;
      double sum = 0;
      for (int column = lane; column < rows; column += 32)
        sum += entries[column] * static_cast<double>(x[columns[column]]);
      for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
      if (lane == 0) y[index[row]] = static_cast<Y>(sum);
    }
  }
};

/// Lists the functors that can share a launch with a grid's verbs.
template <class T>
using ValueColumns = ColumnList<EachValue<T, Fill>, EachPair<const T, T, Copy>, EachPair<const T, T, Add>,
                                EachPair<const T, T, ScaleAndAdd>, CopyHalo<T>, DenseRows<T, T>>;

/// Lets the functors of this backend's verbs join shared launches that verbs of a grid have begun.
struct SharedSteps {
  static constexpr bool joins_any = false;
  template <class T>
  using Columns = ValueColumns<T>;
  template <class T>
  static constexpr SequenceLauncher launcher = nullptr;
};

}  // namespace poisson::cuda
