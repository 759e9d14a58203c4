#pragma once

#include <type_traits>

#include "grids/kernels/cuda/weighted_columns.cuh"
#include "grids/rows/box_stencil.hpp"

/// This prolongation is for Galerkin levels that coarsen every axis of a plane or of a body. All weights exist, so no
/// branch separates the loads of a coarse value. The results equal those of WeightedProlong.
namespace poisson::cuda {

/// `NumberedColumns` numbers the columns along z of coarse values through a plane, x fastest, so that no thread is idle
/// beyond the end of a line.
struct NumberedColumns {
  int first[2], width;

  __device__ int2 operator()(int n) const { return {first[0] + n % width, first[1] + n / width}; }
};

/// For each axis and each coarse value from `first`, `FineOfCoarse` has two fine indices: at the coarse value, and
/// between it and the next one. An index of −1 means that no value is written.
struct FineOfCoarse {
  const int* fine[3];
  int first[3];

  __device__ int2 operator()(int d, int I) const {
    const int* const at = fine[d] + 2 * (I - first[d]);
    return {at[0], at[1]};
  }
};

/// Computes fine = scale P coarse, or fine += P coarse. A thread computes the eight fine values (four in two
/// dimensions) at and after a coarse value. Each weight is read once, and adjacent threads read adjacent weights.
template <class T, int dimension, bool add>
struct SpreadFromCoarse {
  static constexpr int resident_threads = 512;
  using Pair = std::conditional_t<sizeof(T) == 4, float2, double2>;
  static constexpr int planes = dimension - 1;  // number of fine planes and of coarse planes around them

  View<const T> coarse;
  View<T> fine;
  WeightColumns<T> w;
  FineOfCoarse at;
  NumberedColumns columns;
  const double* scale;

  __device__ void operator()(int n, int, int K0, int K1) const {
    const T factor = !add && scale ? static_cast<T>(*scale) : T(1);
    const auto [I, J] = columns(n);
    const int2 x = at(0, I), y = at(1, J);
    const bool paired = x.x >= 0 && x.y >= 0 && x.x % 2 == 0;
    T e[planes][2][2];  // by plane, line, value
    if constexpr (dimension == 3) load(I, J, K0, e[0]);
    for (int K = K0; K < K1; ++K) {
      const int2 z = at(2, K);
      if constexpr (dimension == 3)
        load(I, J, K + 1, e[1]);
      else
        load(I, J, K, e[0]);
      T old[planes][2][2] = {};
      if constexpr (add)
        each_line(y, z, [&](int c, int b, int j, int k) {
          const T* const p = &fine(0, j, k);
          if (paired) {
            const Pair both = *reinterpret_cast<const Pair*>(p + x.x);
            old[c][b][0] = both.x;
            old[c][b][1] = both.y;
          } else {
            if (x.x >= 0) old[c][b][0] = p[x.x];
            if (x.y >= 0) old[c][b][1] = p[x.y];
          }
        });
      T value[planes][2][2];
      unrolled<0, 4 * planes>([&](auto number) {
        constexpr int v = decltype(number)::value, a = v % 2, b = v / 2 % 2, c = v / 4;
        const T sum = sum_of_parents<a, b, c>(I, J, K, e);
        value[c][b][a] = add ? old[c][b][a] + sum : factor * sum;
      });
      each_line(y, z, [&](int c, int b, int j, int k) {
        T* const p = &fine(0, j, k);
        if (paired) {
          Pair both;
          both.x = value[c][b][0];
          both.y = value[c][b][1];
          *reinterpret_cast<Pair*>(p + x.x) = both;
        } else {
          if (x.x >= 0) p[x.x] = value[c][b][0];
          if (x.y >= 0) p[x.y] = value[c][b][1];
        }
      });
      if constexpr (dimension == 3)
        for (int b = 0; b < 2; ++b)
          for (int a = 0; a < 2; ++a) e[0][b][a] = e[1][b][a];
    }
  }

 private:
  __device__ void load(int I, int J, int K, T (&plane)[2][2]) const {
#pragma unroll
    for (int b = 0; b < 2; ++b)
#pragma unroll
      for (int a = 0; a < 2; ++a) plane[b][a] = coarse(I + a, J + b, K);
  }
  /// Calls f(c, b, j, k) for the lines of fine values that are written.
  template <class F>
  __device__ static void each_line(int2 y, int2 z, const F& f) {
#pragma unroll
    for (int c = 0; c < planes; ++c)
#pragma unroll
      for (int b = 0; b < 2; ++b) {
        const int j = b == 0 ? y.x : y.y, k = c == 0 ? z.x : z.y;
        if (j >= 0 && k >= 0) f(c, b, j, k);
      }
  }
  /// Returns P e at the fine value at offset (a, b, c) from coarse value (I, J, K).
  template <int a, int b, int c>
  __device__ T sum_of_parents(int I, int J, int K, const T (&e)[planes][2][2]) const {
    T sum = 0;
    unrolled<0, 8>([&](auto number) {
      constexpr int v = decltype(number)::value, p = v % 2, q = v / 2 % 2, r = v / 4;
      if constexpr (p <= a && q <= b && r <= c) {
        constexpr int code = code_of(a - 2 * p, b - 2 * q, c - 2 * r);  // −1 means before its second parent
        sum += code == 13 ? e[r][q][p] : product(w(code, I + p, J + q, K + r), e[r][q][p]);
      }
    });
    return sum;
  }
};

}  // namespace poisson::cuda
