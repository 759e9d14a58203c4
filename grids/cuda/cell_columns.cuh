#pragma once

#include "grids/cuda/transfer_columns.cuh"

/// What the transfers between two cell-centred levels do to the columns of a box. Weights are those of
/// grids/cell_weights.hpp, on the device.
namespace poisson::cuda {

/// The weights of one axis: `restriction` has four per coarse value.
struct CellAxis {
  const int *left, *first, *count;
  const double *weight, *restriction, *share;
};

/// A column of coarse values: up to 4 × 4 values of a fine plane are added up with their weights in x and y, and planes
/// that two coarse values share stay in registers. Where a weight is zero nothing is read.
template <class F, class C>
struct RestrictCells {
  View<const F> fine;
  View<C> coarse;
  Axes<CellAxis> w;
  const double* scale;

  __device__ void operator()(int I, int J, int K0, int K1) const {
    const CellAxis &x = w.axis[0], &y = w.axis[1], &z = w.axis[2];
    const F factor = static_cast<F>(factor_of(scale));
    Plane plane{&fine(x.first[I] - 1, y.first[J] - 1, 0), fine.sy, {}, {}};
#pragma unroll
    for (int s = 0; s < 4; ++s) {
      plane.wx[s] = static_cast<F>(x.restriction[4 * I + s]);
      plane.wy[s] = static_cast<F>(y.restriction[4 * J + s]);
    }
    constexpr int none = -8;
    int at[2] = {none, none};  // the last two planes of the value before
    F held[2] = {};
    for (int K = K0; K < K1; ++K) {
      const int k = z.first[K] - 1;
      int next_at[2] = {none, none};
      F next[2] = {}, sum = 0;
#pragma unroll
      for (int s = 0; s < 4; ++s) {
        const F weight = static_cast<F>(z.restriction[4 * K + s]);
        if (weight == F(0)) continue;  // alike in a whole warp
        const F value = s < 2 && at[s & 1] == k + s ? held[s & 1] : plane.sum((k + s) * fine.sz);
        if (s >= 2) {
          next[s & 1] = value;
          next_at[s & 1] = k + s;
        }
        sum += weight * value;
      }
      coarse(I, J, K) = static_cast<C>(factor * sum);
      at[0] = next_at[0];
      at[1] = next_at[1];
      held[0] = next[0];
      held[1] = next[1];
    }
  }

 private:
  struct Plane {
    const F* p;
    std::int64_t sy;
    F wx[4], wy[4];

    __device__ F sum(std::int64_t offset) const {
      F total = 0;
#pragma unroll
      for (int b = 0; b < 4; ++b) {
        if (wy[b] == F(0)) continue;
        const F* q = p + offset + b * sy;
        F line = 0;
#pragma unroll
        for (int a = 0; a < 4; ++a)
          if (wx[a] != F(0)) line += wx[a] * q[a];
        total += wy[b] * line;
      }
      return total;
    }
  };
};

/// Coarse values as the sums of their cells.
template <class F, class C>
struct SumCells {
  View<const F> fine;
  View<C> coarse;
  Axes<CellAxis> w;
  const double* scale;

  __device__ void operator()(int I, int J, int K0, int K1) const {
    const CellAxis &x = w.axis[0], &y = w.axis[1], &z = w.axis[2];
    for (int K = K0; K < K1; ++K) {
      F sum = 0;
      for (int k = z.first[K]; k < z.first[K] + z.count[K]; ++k)
        for (int j = y.first[J]; j < y.first[J] + y.count[J]; ++j)
          for (int i = x.first[I]; i < x.first[I] + x.count[I]; ++i) sum += fine(i, j, k);
      coarse(I, J, K) = static_cast<C>(static_cast<F>(factor_of(scale)) * sum);
    }
  }
};

/// A column of fine values: the value of a coarse plane in x and y serves the fine planes on both its sides.
template <class C, class F, bool add>
struct ProlongCells {
  View<const C> coarse;
  View<F> fine;
  Axes<CellAxis> w;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    const CellAxis &x = w.axis[0], &y = w.axis[1], &z = w.axis[2];
    const C wx = static_cast<C>(x.weight[i]), wy = static_cast<C>(y.weight[j]);
    // Where a weight is 1 the second value has weight 0 and is the first once more.
    const Plane plane{&coarse(x.left[i], y.left[j], 0), wx == C(1) ? 0 : 1, wy == C(1) ? 0 : coarse.sy, wx, wy};
    constexpr int none = -8;
    int low_at = none, high_at = none;
    C low = 0, high = 0;
    for (int k = k0; k < k1; ++k) {
      const int K = z.left[k];
      const C wz = static_cast<C>(z.weight[k]);
      if (K != low_at) low = K == high_at ? high : plane.value(K * coarse.sz);
      low_at = K;
      C value = low;
      if (wz != C(1)) {
        if (K + 1 != high_at) high = plane.value((K + 1) * coarse.sz);
        high_at = K + 1;
        value = wz * low + (C(1) - wz) * high;
      }
      fine(i, j, k) = (add ? fine(i, j, k) : F(0)) + static_cast<F>(value);
    }
  }

 private:
  struct Plane {
    const C* p;
    std::int64_t dx, dy;
    C wx, wy;

    __device__ C value(std::int64_t offset) const {
      const C* q = p + offset;
      return wy * (wx * q[0] + (C(1) - wx) * q[dx]) + (C(1) - wy) * (wx * q[dy] + (C(1) - wx) * q[dy + dx]);
    }
  };
};

/// A column of fine values: the interpolants in x and y of the last four coarse planes stay in registers.
template <class C, class F>
struct InterpolateCells {
  View<const C> coarse;
  View<F> fine;
  Axes<Cubic> w;
  const double* scale;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    const Cubic &x = w.axis[0], &y = w.axis[1], &z = w.axis[2];
    const double factor = factor_of(scale);
    int xs[4], ys[4];
    double wx[4], wy[4];
#pragma unroll
    for (int p = 0; p < 4; ++p) {
      xs[p] = x.at[4 * i + p];
      wx[p] = x.weight[4 * i + p];
      ys[p] = y.at[4 * j + p];
      wy[p] = y.weight[4 * j + p];
    }
    const auto plane = [&](int K) {
      double sum = 0;
#pragma unroll
      for (int b = 0; b < 4; ++b) {
        if (wy[b] == 0) continue;
        double line = 0;
#pragma unroll
        for (int a = 0; a < 4; ++a) line += wx[a] * static_cast<double>(coarse(xs[a], ys[b], K));
        sum += wy[b] * line;
      }
      return sum;
    };
    constexpr int none = -8;
    int at[4] = {none, none, none, none};
    double held[4] = {};
    for (int k = k0; k < k1; ++k) {
      int next_at[4];
      double next[4], sum = 0;
#pragma unroll
      for (int p = 0; p < 4; ++p) {
        const double weight = z.weight[4 * k + p];
        const int K = z.at[4 * k + p];
        next_at[p] = none;
        next[p] = 0;
        if (weight == 0) continue;  // alike in a whole warp
        bool found = false;
#pragma unroll
        for (int q = 0; q < 4; ++q)
          if (at[q] == K) {
            next[p] = held[q];
            found = true;
          }
        if (!found) next[p] = plane(K);
        next_at[p] = K;
        sum += weight * next[p];
      }
#pragma unroll
      for (int p = 0; p < 4; ++p) {
        at[p] = next_at[p];
        held[p] = next[p];
      }
      fine(i, j, k) = static_cast<F>(factor * sum);
    }
  }
};

/// Coarse values as the means of their cells; past the ends, where data of faces lie in the halo, as those of the
/// faces.
template <class F, class C>
struct InjectCells {
  View<const F> fine;
  View<C> coarse;
  Axes<CellAxis> w;
  const double* scale;

  __device__ void operator()(int I, int J, int K0, int K1) const {
    const Span x = span(0, I), y = span(1, J);
    for (int K = K0; K < K1; ++K) {
      const Span z = span(2, K);
      double sum = 0;
      for (int k = 0; k < z.count; ++k)
        for (int j = 0; j < y.count; ++j)
          for (int i = 0; i < x.count; ++i)
            sum +=
                x.share(i) * y.share(j) * z.share(k) * static_cast<double>(fine(x.first + i, y.first + j, z.first + k));
      coarse(I, J, K) = static_cast<C>(factor_of(scale) * sum);
    }
  }

 private:
  struct Span {
    int first, count;
    double lower;
    __device__ double share(int i) const { return i == 0 ? lower : 1 - lower; }
  };
  __device__ Span span(int d, int I) const {
    const CellAxis& axis = w.axis[d];
    if (I < 0) return {-1, 1, 1.0};
    if (I >= coarse.n[d]) return {fine.n[d], 1, 1.0};
    return {axis.first[I], axis.count[I], axis.share[I]};
  }
};

}  // namespace poisson::cuda
