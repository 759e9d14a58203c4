#pragma once

#include <cstdint>

#include "grids/cuda/line_relaxation.cuh"

/// One thread's share of a line that is relaxed, and how it is eliminated.
namespace poisson::cuda {

/// The arrays of long segments lie in local memory, whose indices need not be constants.
template <int most>
inline constexpr int unrolled = most == long_segment ? 1 : most;

/// 1/x to rounding, without the branches of a division: for what is neither zero nor denormal.
__device__ inline float reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline double reciprocal(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  for (int step = 0; step < 2; ++step) y = fma(y, fma(-x, y, 1.0), y);
  return y;
}

/// The rows of a line along an axis: the coupling of value t to the next one, and what its diagonal has beside the
/// couplings to both sides. `at`: the place of value 0 of the line in the fields; p, q: of the line on the other axes.
template <int axis, class T, class Coefficients>
struct LineOf;
/// With constant κ rows differ by what their own axis has.
template <int axis, class T>
struct LineOf<axis, T, TensorProduct<T>> {
  static constexpr bool in_memory = false;
  const AxisTable<T>& along;
  T area, across;

  __device__ LineOf(const TensorProduct<T>& c, std::int64_t, std::int64_t, int p, int q)
      : along(axis == 0   ? c.x
              : axis == 1 ? c.y
                          : c.z) {
    const AxisTable<T>&first = axis == 0 ? c.y : c.x, &second = axis == 2 ? c.y : c.z;
    area = first.mass[p] * second.mass[q];
    across = (first.coupling[p - 1] + first.coupling[p]) * second.mass[q] +
             (second.coupling[q - 1] + second.coupling[q]) * first.mass[p] + c.sigma * area;
  }
  __device__ T coupling(int t) const { return along.coupling[t] * area; }
  __device__ T rest(int t) const { return along.mass[t] * across; }
};
template <int axis, class T>
struct LineOf<axis, T, LineBands<T>> {
  static constexpr bool in_memory = true;
  const T *couplings, *rests;
  std::int64_t stride;

  __device__ LineOf(const LineBands<T>& c, std::int64_t at, std::int64_t stride, int, int)
      : couplings(c.coupling() + at), rests(c.rest() + at), stride(stride) {}
  __device__ T coupling(int t) const { return couplings[t * stride]; }
  __device__ T rest(int t) const { return rests[t * stride]; }
};

/// One thread's share of a line: rows −lower x_{t−1} + diagonal x_t − upper x_{t+1} = rhs, of which there are `length`,
/// at most `most`. Eliminated, x_t = d + l x_before + u x_{t+1} with x_before the unknown before the segment. A is
/// symmetric: the upper coupling of a row is the lower one of the next, so that of the last row stands in the next
/// place of l, or in `last` where the segment is full. Nothing uses what comes of the places behind it.
template <class T, int most>
struct Segment {
  T d[most], l[most], u[most];  ///< at first right-hand side, lower coupling, diagonal
  T last;
  int length = 0;

  /// An equation between the last unknowns of neighbouring segments: x = rhs + below x_− + above x_+.
  struct Link {
    T below, above, rhs;
  };
  /// The first unknown in terms of the one before the segment and of its last: x = p + q x_before + r x_last.
  struct First {
    T p = 0, q = 0, r = 0;
  };

  /// The rows from place t on, on a line whose unknowns begin at `first` and end before `end`. coupling(t) and rest(t)
  /// as LineOf has them. Without branches, so that all that is read is under way at once.
  template <class Couplings, class Rests>
  __device__ void fill(int t, int first, int end, bool cyclic, const Couplings& coupling, const Rests& rest) {
    T next = coupling(t - 1);
#pragma unroll(unrolled <most>)
    for (int m = 0; m < most; ++m) {
      const int at = t + min(m, length - 1);
      const T lower = m < length ? next : last;
      next = coupling(at);
      last = at == end - 1 && !cyclic ? T(0) : next;
      l[m] = m == 0 && t == first && !cyclic ? T(0) : lower;
      u[m] = lower + next + rest(at);
    }
  }
  /// Leaves the last row in `end`.
  __device__ First eliminate(Link& end) {
    First first{T(0), T(0), T(1)};
    T dp = T(0), lp = T(0), up = T(0);
#pragma unroll unrolled < most>
    for (int m = 0; m < most; ++m) {
      const T lower = l[m], upper = m + 1 < most ? l[m + 1 < most ? m + 1 : m] : last;
      const T inverse = reciprocal(u[m] - (m > 0 ? lower * up : T(0)));
      dp = (d[m] + (m > 0 ? lower * dp : T(0))) * inverse;
      lp = (m > 0 ? lower * lp : lower) * inverse;
      up = upper * inverse;
      d[m] = dp;
      l[m] = lp;
      u[m] = up;
      if (m + 1 < length) {
        first.p += first.r * dp;
        first.q += first.r * lp;
        first.r *= up;
      } else if (m + 1 == length) {
        end = {lp, up, dp};
      }
    }
    return first;
  }
  /// The last row with the first unknown of the next segment replaced.
  __device__ static Link link(const Link& end, const First& next) {
    const T inverse = reciprocal(T(1) - end.above * next.q);
    return {end.below * inverse, end.above * next.r * inverse, (end.rhs + end.above * next.p) * inverse};
  }
  /// d becomes the solution.
  __device__ void substitute(T x_before, T x_last) {
    T next = x_last;
#pragma unroll unrolled < most>
    for (int m = most - 1; m >= 0; --m) {
      if (m < length - 1) next = d[m] + l[m] * x_before + u[m] * next;
      d[m] = next;
    }
  }
};

/// All lines of a small field, one a thread, as a step of a shared launch; b is b − A u already where there is a u.
template <class T, class Coefficients>
struct SmallLines {
  LineStep<T, Coefficients> p;
  int axis;

  __device__ void all(unsigned thread, unsigned threads) const {
    if (axis == 0)
      solve<0>(static_cast<int>(thread), static_cast<int>(threads));
    else if (axis == 1)
      solve<1>(static_cast<int>(thread), static_cast<int>(threads));
    else
      solve<2>(static_cast<int>(thread), static_cast<int>(threads));
  }

 private:
  template <int along>
  __device__ void solve(int thread, int threads) const {
    const int3 first = p.box.first, last = p.box.last;
    const int begin = along == 0 ? first.x : along == 1 ? first.y : first.z;
    const int end = along == 0 ? last.x : along == 1 ? last.y : last.z;
    // The other axes, in order.
    const int p0 = along == 0 ? first.y : first.x, p1 = along == 0 ? last.y : last.x;
    const int q0 = along == 2 ? first.y : first.z, q1 = along == 2 ? last.y : last.z;
    const std::int64_t stride = along == 0 ? 1 : along == 1 ? p.out.sy : p.out.sz;
    for (int line = thread; line < (p1 - p0) * (q1 - q0); line += threads) {
      const int a = p0 + line % (p1 - p0), b = q0 + line / (p1 - p0);
      const std::int64_t start = a * (along == 0 ? p.out.sy : 1) + b * (along == 2 ? p.out.sy : p.out.sz);
      const LineOf<along, T, Coefficients> rows(p.c, start, stride, a, b);
      Segment<T, long_segment> segment;
      segment.length = end - begin;
      const auto place = [&](int m) { return start + (begin + m) * stride; };
      for (int m = 0; m < segment.length; ++m) segment.d[m] = p.b.data[place(m)];
      segment.fill(
          begin, begin, end, p.cyclic, [&](int t) { return rows.coupling(t); }, [&](int t) { return rows.rest(t); });
      typename Segment<T, long_segment>::Link link{T(0), T(0), T(0)};
      const auto head = segment.eliminate(link);
      // Beyond both ends of a cyclic line lies the line itself; those of others couple to nothing.
      const T x_last =
          (link.rhs + link.above * head.p) * reciprocal(T(1) - link.below - link.above * (head.q + head.r));
      segment.substitute(x_last, x_last);
      for (int m = 0; m < segment.length; ++m) {
        T base = T(0);
        if (p.u.data) {
          base = p.u.data[place(m)];
          if (p.beta != T(0)) base += p.beta * (base - p.out.data[place(m)]);
        }
        p.out.data[place(m)] = base + p.alpha * segment.d[m];
      }
    }
  }
};

}  // namespace poisson::cuda
