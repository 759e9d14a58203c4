#pragma once

#include "backends/memory/view.hpp"
#include "grids/rows/stencil.hpp"

/// These column functors implement the transfers between two levels; for_columns and sequences run them. Rows are those
/// of grids/axes/axis_transfer.hpp, on the device.
namespace poisson::cuda {

/// `DeviceLinear` is the linear prolongation of an axis: fine value i = weight[i] · coarse[left[i]] + (1 − weight[i]) ·
/// coarse[left[i] + 1]. It may be read one value past its ends.
struct DeviceLinear {
  const int* left;
  const double* weight;
};
/// `DeviceRows` contains AxisRows on the device, with four entries for each row.
struct DeviceRows {
  const int* at;
  const double* weight;
};
/// `DeviceRuns` contains rows of consecutive values, with four weights for each row. Row I begins with value first[I].
struct DeviceRuns {
  const int* first;
  const double* weight;
};
/// `DeviceSpans` assigns the fine values start[I] … stop[I] − 1 of the marched axis to coarse value I.
struct DeviceSpans {
  const int *start, *stop;
};
template <class Rows>
struct Axes {
  Rows axis[3];
};

__device__ inline double factor_of(const double* scale) {
  return scale ? *scale : 1.0;
}

/// `Restrict` computes a column of coarse values by Pᵀ, in a walk over the fine planes. Each plane is summed once with
/// its weights in x and y, and contributes to the one or two adjacent coarse values. All inputs of a batch of planes
/// are loaded before the first is added.
template <class F, class C>
struct Restrict {
  static constexpr int resident_threads = sizeof(F) == 4 ? 768 : 640;
  View<const F> fine;
  View<C> coarse;
  DeviceRuns x, y;
  int x_width, y_width;  ///< row widths are 3 or 4, along y also 1
  DeviceLinear z;
  DeviceSpans spans;  ///< fine planes of each coarse value
  const double* scale;

  __device__ void operator()(int I, int J, int K0, int K1) const {
    constexpr int planes = sizeof(F) == 4 ? 4 : 2;
    if (y_width == 1 && x_width == 3)
      walk<3, 1, 4>(I, J, K0, K1);
    else if (y_width == 1)
      walk<4, 1, 4>(I, J, K0, K1);
    else if (x_width == 3)
      walk<3, 3, planes>(I, J, K0, K1);
    else
      walk<4, 4, 2>(I, J, K0, K1);
  }

 private:
  /// Walks with rows of at most `wide` values along x and `high` along y, in batches of n planes.
  template <int wide, int high, int n>
  __device__ void walk(int I, int J, int K0, int K1) const {
    const F* const column = &fine(x.first[I], y.first[J], 0);
    F wx[wide], wy[high];
#pragma unroll
    for (int a = 0; a < wide; ++a) wx[a] = static_cast<F>(x.weight[4 * I + a]);
#pragma unroll
    for (int b = 0; b < high; ++b) wy[b] = static_cast<F>(y.weight[4 * J + b]);
    const F factor = static_cast<F>(factor_of(scale));
    const int begin = spans.start[K0], end = spans.stop[K1 - 1];
    int K = K0 - 1;  // the first plane may contribute to the value before
    F here = 0, next = 0;
    for (int k = begin; k < end; k += n) {
      F value[n][high][wide], share[n];
      int left[n];
#pragma unroll
      for (int m = 0; m < n; ++m) {
        const int plane = min(k + m, end - 1);
        left[m] = z.left[plane];
        share[m] = static_cast<F>(z.weight[plane]);
        const F* const p = column + plane * fine.sz;
#pragma unroll
        for (int b = 0; b < high; ++b)
#pragma unroll
          for (int a = 0; a < wide; ++a) value[m][b][a] = p[a + b * fine.sy];
      }
#pragma unroll
      for (int m = 0; m < n; ++m) {
        if (k + m >= end) break;
        F sum = 0;
#pragma unroll
        for (int b = 0; b < high; ++b) {
          F line = 0;
#pragma unroll
          for (int a = 0; a < wide; ++a) line += wx[a] * value[m][b][a];
          sum += wy[b] * line;
        }
        if (left[m] != K) {
          if (K >= K0) coarse(I, J, K) = static_cast<C>(factor * here);
          here = next;
          next = F(0);
          ++K;
        }
        here += share[m] * sum;
        next += (F(1) - share[m]) * sum;
      }
    }
    if (K >= K0) coarse(I, J, K) = static_cast<C>(factor * here);
    if (K + 1 < K1) coarse(I, J, K + 1) = static_cast<C>(factor * next);
  }
};

/// `Prolong` computes a column of fine values by P, in a walk over the intervals between coarse planes. The
/// interpolants in the coarse planes on both sides stay in registers. An interval has one or two fine planes; four
/// intervals load all inputs before the first store.
template <class C, class F, bool add>
struct Prolong {
  View<const C> coarse;
  View<F> fine;
  Axes<DeviceLinear> w;
  DeviceSpans spans;  ///< fine planes between coarse planes K and K + 1

  __device__ void operator()(int i, int j, int K0, int K1) const {
    const DeviceLinear &x = w.axis[0], &y = w.axis[1];
    const C wx = static_cast<C>(x.weight[i]), wy = static_cast<C>(y.weight[j]);
    if (coarse.n[1] == 1)
      walk(Plane<1>{&coarse(x.left[i], 0, 0), wx == C(1) ? 0 : 1, 0, wx, wy}, i, j, K0, K1);
    else  // if a weight is 1, the second value has weight 0, and the first one is read again
      walk(Plane<2>{&coarse(x.left[i], y.left[j], 0), wx == C(1) ? 0 : 1, wy == C(1) ? 0 : coarse.sy, wx, wy}, i, j, K0,
           K1);
  }

 private:
  /// Rounds equally wherever it is compiled: for four intervals together, and for the remaining ones.
  static __device__ C mean(C weight, C first, C second) {
    return sum_of_products(weight, first, C(1) - weight, second);
  }

  /// `Plane` interpolates in a coarse plane at the position of a column, from values of one line along x or of two.
  template <int lines>
  struct Plane {
    const C* p;
    std::int64_t dx, dy;
    C wx, wy;

    __device__ C value(std::int64_t offset) const {
      const C* q = p + offset;
      const C first = mean(wx, q[0], q[dx]);
      if constexpr (lines == 1)
        return first;
      else
        return mean(wy, first, mean(wx, q[dy], q[dy + dx]));
    }
  };

  template <class Plane>
  __device__ void walk(const Plane& plane, int i, int j, int K0, int K1) const {
    C below = plane.value(K0 * coarse.sz);
    int K = K0;
    for (; K + 4 <= K1; K += 4) intervals<4>(plane, i, j, K, below);
    for (; K < K1; ++K) intervals<1>(plane, i, j, K, below);
  }
  template <int n, class Plane>
  __device__ void intervals(const Plane& plane, int i, int j, int K, C& below) const {
    const DeviceLinear& z = w.axis[2];
    int k[n];
    bool two[n];
    C above[n], first[n], second[n];
    F at[n], next[n];
#pragma unroll
    for (int m = 0; m < n; ++m) {
      k[m] = spans.start[K + m];
      two[m] = spans.stop[K + m] > k[m] + 1;
      first[m] = static_cast<C>(z.weight[k[m]]);
      second[m] = static_cast<C>(z.weight[k[m] + 1]);
      above[m] = plane.value((K + m + 1) * coarse.sz);
      if (add) {
        at[m] = fine(i, j, k[m]);
        next[m] = two[m] ? fine(i, j, k[m] + 1) : F(0);
      }
    }
#pragma unroll
    for (int m = 0; m < n; ++m) {
      const auto between = [&](C share) { return static_cast<F>(mean(share, below, above[m])); };
      fine(i, j, k[m]) = (add ? at[m] : F(0)) + between(first[m]);
      if (two[m]) fine(i, j, k[m] + 1) = (add ? next[m] : F(0)) + between(second[m]);
      below = above[m];
    }
  }
};

/// `Interpolate` computes a column of fine values by four-point interpolation. The interpolants in x and y of four
/// coarse planes stay in registers, as a window that slides along z.
template <class C, class F>
struct Interpolate {
  static constexpr int resident_threads = 640;
  View<const C> coarse;
  View<F> fine;
  Axes<DeviceRows> w;
  const double* scale;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    const DeviceRows& z = w.axis[2];
    const double factor = factor_of(scale);
    const Plane plane(*this, i, j);
    constexpr int none = -8;
    int loaded[4] = {none, none, none, none};
    double value[4] = {};
    for (int k = k0; k < k1; ++k) {
      slide(plane, &z.at[4 * k], loaded, value);
      double sum = 0;
#pragma unroll
      for (int p = 0; p < 4; ++p) sum += z.weight[4 * k + p] * value[p];
      fine(i, j, k) = static_cast<F>(factor * sum);
    }
  }

 private:
  struct Plane {
    const View<const C>& coarse;
    int xs[4], ys[4];
    double wx[4], wy[4];

    __device__ Plane(const Interpolate& t, int i, int j) : coarse(t.coarse) {
#pragma unroll
      for (int p = 0; p < 4; ++p) {
        xs[p] = t.w.axis[0].at[4 * i + p];
        wx[p] = t.w.axis[0].weight[4 * i + p];
        ys[p] = t.w.axis[1].at[4 * j + p];
        wy[p] = t.w.axis[1].weight[4 * j + p];
      }
    }
    __device__ double value(int K) const {
      double sum = 0;
#pragma unroll
      for (int b = 0; b < 4; ++b) {
        if (wy[b] == 0) continue;  // equal in a line of threads
        double line = 0;
#pragma unroll
        for (int a = 0; a < 4; ++a) line += wx[a] * static_cast<double>(coarse(xs[a], ys[b], K));
        sum += wy[b] * line;
      }
      return sum;
    }
  };

  // Moves the window `loaded` to the four planes `wanted`; away from ends only the last plane is new.
  __device__ void slide(const Plane& plane, const int* wanted, int (&loaded)[4], double (&value)[4]) const {
    const bool one = wanted[0] == loaded[1] && wanted[1] == loaded[2] && wanted[2] == loaded[3];
#pragma unroll
    for (int p = 0; p < 4; ++p) {
      if (one && p < 3)
        value[p] = value[p + 1];
      else if (wanted[p] != loaded[p])
        value[p] = plane.value(wanted[p]);
    }
#pragma unroll
    for (int p = 0; p < 4; ++p) loaded[p] = wanted[p];
  }
};

/// `Gather` computes values by rows of all axes whose nonzero weights come first: sums and means of data, and
/// injection. Row I has the index I + shift.
template <class F, class C>
struct Gather {
  View<const F> fine;
  View<C> coarse;
  Axes<DeviceRows> w;
  int shift;
  const double* scale;

  __device__ void operator()(int I, int J, int K0, int K1) const {
    const DeviceRows &x = w.axis[0], &y = w.axis[1], &z = w.axis[2];
    const int xs = 4 * (I + shift), ys = 4 * (J + shift);
    for (int K = K0; K < K1; ++K) {
      const int zs = 4 * (K + shift);
      double sum = 0;
      for (int c = zs; c < zs + 4 && z.weight[c] != 0; ++c)
        for (int b = ys; b < ys + 4 && y.weight[b] != 0; ++b)
          for (int a = xs; a < xs + 4 && x.weight[a] != 0; ++a)
            sum += x.weight[a] * y.weight[b] * z.weight[c] * static_cast<double>(fine(x.at[a], y.at[b], z.at[c]));
      coarse(I, J, K) = static_cast<C>(factor_of(scale) * sum);
    }
  }
};

}  // namespace poisson::cuda
