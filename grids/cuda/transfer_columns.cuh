#pragma once

#include "backends/view.hpp"

/// What the transfers between two levels do to the columns of a box, as functors that for_columns and sequences run.
/// Weights are those of grids/transfer_weights.hpp, on the device.
namespace poisson::cuda {

/// The multilinear weights of one axis.
struct Linear {
  const int *left, *centre;
  const double *weight, *before, *after;
};
/// The cubic weights of one axis, four per fine value.
struct Cubic {
  const int* at;
  const double* weight;
};
template <class Weights>
struct Axes {
  Weights axis[3];
};
/// The unknowns among the fine planes.
struct FinePlanes {
  int first, last;
  __device__ bool hold(int k) const { return k >= first && k < last; }
};

__device__ inline double factor_of(const double* scale) {
  return scale ? *scale : 1.0;
}

/// A column of coarse values, two at a time: the nine values of a fine plane are added up with their weights in x and
/// y, all of them loaded before the first store; planes between two coarse ones count for both. Weights are zero where
/// a coarse value has no neighbour on that side; what is read there, at the utmost the halo, is finite.
template <class F, class C>
struct Restrict {
  View<const F> fine;
  View<C> coarse;
  Axes<Linear> w;
  const double* scale;

  __device__ void operator()(int I, int J, int K0, int K1) const {
    const Linear &x = w.axis[0], &y = w.axis[1], &z = w.axis[2];
    const F factor = static_cast<F>(factor_of(scale));
    const Plane plane{&fine(x.centre[I], y.centre[J], 0), fine.sy,
                      static_cast<F>(x.before[I]),        static_cast<F>(x.after[I]),
                      static_cast<F>(y.before[J]),        static_cast<F>(y.after[J])};
    F shared =
        z.before[K0] == 0 ? F(0) : plane.sum((z.centre[K0] - 1) * fine.sz);  // of the plane before the next value
    int K = K0;
    for (; K + 2 <= K1; K += 2) planes<2>(plane, I, J, K, factor, shared);
    for (; K < K1; ++K) planes<1>(plane, I, J, K, factor, shared);
  }

 private:
  struct Plane {
    const F* p;
    std::int64_t sy;
    F west, east, south, north;

    __device__ F sum(std::int64_t offset) const {
      const F* q = p + offset;
      const auto line = [&](const F* l) { return l[0] + west * l[-1] + east * l[1]; };
      return line(q) + south * line(q - sy) + north * line(q + sy);
    }
  };

  template <int n>
  __device__ void planes(const Plane& plane, int I, int J, int K, F factor, F& shared) const {
    const Linear& z = w.axis[2];
    F centre[n], above[n], before[n], after[n];
#pragma unroll
    for (int m = 0; m < n; ++m) {
      const int k = z.centre[K + m];
      before[m] = static_cast<F>(z.before[K + m]);
      after[m] = static_cast<F>(z.after[K + m]);
      centre[m] = plane.sum(k * fine.sz);
      above[m] = after[m] == F(0) ? F(0) : plane.sum((k + 1) * fine.sz);
    }
#pragma unroll
    for (int m = 0; m < n; ++m) {
      coarse(I, J, K + m) = static_cast<C>(factor * (before[m] * shared + centre[m] + after[m] * above[m]));
      shared = above[m];
    }
  }
};

/// A column of fine values over four coarse planes at a time: the value of a plane in x and y, and the mean with the
/// next one where a fine plane lies between them.
template <class C, class F, bool add>
struct Prolong {
  View<const C> coarse;
  View<F> fine;
  Axes<Linear> w;
  FinePlanes unknowns;

  __device__ void operator()(int i, int j, int K0, int K1) const {
    const Linear &x = w.axis[0], &y = w.axis[1];
    const C wx = static_cast<C>(x.weight[i]), wy = static_cast<C>(y.weight[j]);
    // Where a weight is 1 the second value has weight 0 and is the first once more.
    const Plane plane{&coarse(x.left[i], y.left[j], 0), wx == C(1) ? 0 : 1, wy == C(1) ? 0 : coarse.sy, wx, wy};
    C below = plane.value(K0 * coarse.sz);
    int K = K0;
    for (; K + 4 <= K1; K += 4) planes<4>(plane, i, j, K, below);
    for (; K < K1; ++K) planes<1>(plane, i, j, K, below);
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

  template <int n>
  __device__ void planes(const Plane& plane, int i, int j, int K, C& below) const {
    const Linear& z = w.axis[2];
    int k[n];
    C next[n], share[n];  // of the coarse plane below in the fine plane between; 0 where there is none
    F at[n], between[n];
#pragma unroll
    for (int m = 0; m < n; ++m) {
      k[m] = z.centre[K + m];
      share[m] = static_cast<C>(z.after[K + m]);
      next[m] = plane.value((K + m + 1) * coarse.sz);  // at the utmost the halo
      if (add) {
        at[m] = fine(i, j, k[m]);
        between[m] = fine(i, j, k[m] + 1);
      }
    }
#pragma unroll
    for (int m = 0; m < n; ++m) {
      if (unknowns.hold(k[m])) fine(i, j, k[m]) = (add ? at[m] : F(0)) + static_cast<F>(below);
      if (share[m] != C(0) && unknowns.hold(k[m] + 1))
        fine(i, j, k[m] + 1) =
            (add ? between[m] : F(0)) + static_cast<F>(share[m] * below + (C(1) - share[m]) * next[m]);
      below = next[m];
    }
  }
};

/// A column of fine values over coarse planes: the interpolants in x and y of four planes stay in registers, a window
/// that slides along z.
template <class C, class F>
struct Interpolate {
  View<const C> coarse;
  View<F> fine;
  Axes<Cubic> w;
  Linear planes;
  FinePlanes unknowns;
  const double* scale;

  __device__ void operator()(int i, int j, int K0, int K1) const {
    const Cubic& z = w.axis[2];
    const double factor = factor_of(scale);
    const Plane plane(*this, i, j);
    int held[4] = {-1, -1, -1, -1};
    double value[4] = {};
    for (int K = K0; K < K1; ++K) {
      const int k = planes.centre[K];
      const bool between = planes.after[K] != 0;
      if (between) slide(plane, &z.at[4 * (k + 1)], held, value);
      if (unknowns.hold(k)) {
        double here = 0;
        bool found = false;
#pragma unroll
        for (int p = 0; p < 4; ++p)
          if (held[p] == K) {
            here = value[p];
            found = true;
          }
        fine(i, j, k) = static_cast<F>(factor * (found ? here : plane.value(K)));
      }
      if (between && unknowns.hold(k + 1)) {
        double sum = 0;
#pragma unroll
        for (int p = 0; p < 4; ++p) sum += z.weight[4 * (k + 1) + p] * value[p];
        fine(i, j, k + 1) = static_cast<F>(factor * sum);
      }
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

/// Coarse values from the fine ones at their places.
template <class F, class C>
struct Inject {
  View<const F> fine;
  View<C> coarse;
  Axes<Linear> w;
  const double* scale;

  __device__ void operator()(int I, int J, int K0, int K1) const {
    for (int K = K0; K < K1; ++K)
      coarse(I, J, K) = static_cast<C>(
          factor_of(scale) * static_cast<double>(fine(w.axis[0].centre[I], w.axis[1].centre[J], w.axis[2].centre[K])));
  }
};

}  // namespace poisson::cuda
