#pragma once

#include "backends/view.hpp"

/// What the transfers between two levels do to the columns of a box, as functors that for_columns and sequences run.
/// Rows are those of grids/axis_transfer.hpp, on the device.
namespace poisson::cuda {

/// The linear prolongation of an axis, which may be read one value past its ends: fine value i takes weight[i] of
/// coarse value left[i] and the rest from the next one.
struct DeviceLinear {
  const int* left;
  const double* weight;
};
/// AxisRows: four entries for each row.
struct DeviceRows {
  const int* at;
  const double* weight;
};
/// Which fine values a coarse one takes part in, on an axis that is marched along: from start[I] to stop[I].
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

/// A column of coarse values, Pᵀ: a walk over the fine planes, each of which is added up once with its weights in x and
/// y, two planes at a time, and counts for the one or two coarse values between which it lies.
template <class F, class C>
struct Restrict {
  static constexpr int resident_threads = 1024;
  View<const F> fine;
  View<C> coarse;
  DeviceRows x, y;
  int x_width, y_width;  ///< the most values that a row takes
  DeviceLinear z;
  DeviceSpans spans;
  const double* scale;

  __device__ void operator()(int I, int J, int K0, int K1) const {
    Plane plane{fine, {}, {}, {}, {}};
#pragma unroll
    for (int s = 0; s < 4; ++s) {
      plane.at[s] = x.at[4 * I + s];
      plane.wx[s] = static_cast<F>(x.weight[4 * I + s]);
      plane.line[s] = y.at[4 * J + s] * fine.sy;
      plane.wy[s] = static_cast<F>(y.weight[4 * J + s]);
    }
    const F factor = static_cast<F>(factor_of(scale));
    const int last = spans.stop[K1 - 1];
    int k = spans.start[K0], K = z.left[k];
    F here = 0, next = 0;  // what has been added up of coarse values K and K + 1
    const auto put = [&] {
      if (K >= K0) coarse(I, J, K) = static_cast<C>(factor * here);
    };
    const auto take = [&](int at, F sum) {
      if (z.left[at] != K) {
        put();
        ++K;
        here = next;
        next = F(0);
      }
      const F w = static_cast<F>(z.weight[at]);
      here += w * sum;
      next += (F(1) - w) * sum;
    };
    for (; k + 2 <= last; k += 2) {
      F sum[2];
      sums<2>(plane, k, sum);
      take(k, sum[0]);
      take(k + 1, sum[1]);
    }
    if (k < last) {
      F sum[1];
      sums<1>(plane, k, sum);
      take(k, sum[0]);
    }
    put();
    if (K + 1 < K1) {
      ++K;
      here = next;
      put();
    }
  }

 private:
  struct Plane {
    const View<const F>& fine;
    int at[4];
    F wx[4];
    std::int64_t line[4];
    F wy[4];
  };

  /// Of n planes from k on, in turn past the ends of a periodic axis. All is loaded before it is added up.
  template <int n>
  __device__ void sums(const Plane& p, int k, F (&sum)[n]) const {
    const F* plane[n];
#pragma unroll
    for (int m = 0; m < n; ++m) {
      const int at = k + m < 0 ? k + m + fine.n[2] : k + m >= fine.n[2] ? k + m - fine.n[2] : k + m;
      plane[m] = fine.data + at * fine.sz;
      sum[m] = 0;
    }
#pragma unroll
    for (int b = 0; b < 4; ++b) {
      if (b >= y_width) break;
      F value[n][4];
#pragma unroll
      for (int m = 0; m < n; ++m) {
        const F* line = plane[m] + p.line[b];
        value[m][0] = line[p.at[0]];
        value[m][1] = line[p.at[1]];
        value[m][2] = line[p.at[2]];
        value[m][3] = x_width > 3 ? line[p.at[3]] : F(0);
      }
#pragma unroll
      for (int m = 0; m < n; ++m)
        sum[m] +=
            p.wy[b] * (p.wx[0] * value[m][0] + p.wx[1] * value[m][1] + p.wx[2] * value[m][2] + p.wx[3] * value[m][3]);
    }
  }
};

/// A column of fine values, P: the coarse planes on both sides of a fine one stay in registers, and what four fine
/// planes read is loaded before the first of them is stored.
template <class C, class F, bool add>
struct Prolong {
  static constexpr int resident_threads = 1024;
  View<const C> coarse;
  View<F> fine;
  Axes<DeviceLinear> w;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    const DeviceLinear &x = w.axis[0], &y = w.axis[1], &z = w.axis[2];
    const C wx = static_cast<C>(x.weight[i]), wy = static_cast<C>(y.weight[j]);
    // Where a weight is 1 the second value has weight 0 and is the first once more.
    const Plane plane{&coarse(x.left[i], y.left[j], 0), wx == C(1) ? 0 : 1, wy == C(1) ? 0 : coarse.sy, wx, wy};
    Window window{z.left[k0], plane.value(z.left[k0] * coarse.sz), plane.value((z.left[k0] + 1) * coarse.sz)};
    int k = k0;
    for (; k + 4 <= k1; k += 4) planes<4>(plane, window, i, j, k);
    for (; k < k1; ++k) planes<1>(plane, window, i, j, k);
  }

 private:
  struct Window {
    int at;  // coarse plane `at` and the next one
    C below, above;
  };
  struct Plane {
    const C* p;
    std::int64_t dx, dy;
    C wx, wy;

    __device__ C value(std::int64_t offset) const {
      const C* q = p + offset;
      return wy * (wx * q[0] + (C(1) - wx) * q[dx]) + (C(1) - wy) * (wx * q[dy] + (C(1) - wx) * q[dy + dx]);
    }
  };

  template <int n>
  __device__ void planes(const Plane& plane, Window& window, int i, int j, int k) const {
    const DeviceLinear& z = w.axis[2];
    int K[n];
    C share[n], above[n];
    F at[n];
    // Where a fine plane lies between the same coarse ones as the one before, it loads them once more from the cache:
    // a choice would have the loads wait for each other.
#pragma unroll
    for (int m = 0; m < n; ++m) {
      K[m] = z.left[k + m];
      share[m] = static_cast<C>(z.weight[k + m]);
      above[m] = plane.value((K[m] + 1) * coarse.sz);
      if (add) at[m] = fine(i, j, k + m);
    }
#pragma unroll
    for (int m = 0; m < n; ++m) {
      if (K[m] != window.at) window.below = window.above;
      window.at = K[m];
      window.above = above[m];
      fine(i, j, k + m) =
          (add ? at[m] : F(0)) + static_cast<F>(share[m] * window.below + (C(1) - share[m]) * window.above);
    }
  }
};

/// A column of fine values, four-point interpolation: the interpolants in x and y of four coarse planes stay in
/// registers, a window that slides along z.
template <class C, class F>
struct Interpolate {
  View<const C> coarse;
  View<F> fine;
  Axes<DeviceRows> w;
  const double* scale;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    const DeviceRows& z = w.axis[2];
    const double factor = factor_of(scale);
    const Plane plane(*this, i, j);
    constexpr int none = -8;
    int held[4] = {none, none, none, none};
    double value[4] = {};
    for (int k = k0; k < k1; ++k) {
      slide(plane, &z.at[4 * k], held, value);
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
        if (wy[b] == 0) continue;  // alike in a whole line of threads
        double line = 0;
#pragma unroll
        for (int a = 0; a < 4; ++a) line += wx[a] * static_cast<double>(coarse(xs[a], ys[b], K));
        sum += wy[b] * line;
      }
      return sum;
    }
  };

  // Makes `held` the four planes `wanted`: inside, the last one alone is new.
  __device__ void slide(const Plane& plane, const int* wanted, int (&held)[4], double (&value)[4]) const {
    const bool one = wanted[0] == held[1] && wanted[1] == held[2] && wanted[2] == held[3];
#pragma unroll
    for (int p = 0; p < 4; ++p) {
      if (one && p < 3)
        value[p] = value[p + 1];
      else if (wanted[p] != held[p])
        value[p] = plane.value(wanted[p]);
    }
#pragma unroll
    for (int p = 0; p < 4; ++p) held[p] = wanted[p];
  }
};

/// Values by rows of all axes that begin with what counts: sums and means of data, injection. Row I stands at
/// I + shift.
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
