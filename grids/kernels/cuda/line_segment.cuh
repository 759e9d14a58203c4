#pragma once

#include <cstdint>

#include "grids/kernels/cuda/line_relaxation.cuh"

/// This file has one thread's share of a relaxed line, and its elimination.
namespace poisson::cuda {

/// The arrays of long segments are in local memory, whose indices need not be constants, so their loops are not
/// unrolled.
template <int most>
inline constexpr int unrolled = most == long_segment ? 1 : most;

/// `LineOf` gives the rows of a line along an axis: the coupling of value t to the next value, and the rest of the
/// diagonal, which excludes those couplings. `at` is the place of value 0 of the line in the fields; p and q are the
/// indices of the line on the other axes.
template <int axis, class T, class Coefficients>
struct LineOf;
/// With constant κ, only the tables of the line's axis vary along a line.
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

/// `Segment` is one thread's share of a line: `length` ≤ `most` rows. Each row is −lower x_{t−1} + diagonal x_t − upper
/// x_{t+1} = rhs. After elimination x_t = d + l x_before + u x_{t+1}, where x_before is the unknown before the segment.
/// A is symmetric, so the upper coupling of a row is the lower coupling of the next row. The upper coupling of the last
/// row is stored in the next place of l, or in `last` if the segment is full. Nothing uses the results of the places
/// after it.
template <class T, int most>
struct Segment {
  T d[most], l[most], u[most];  ///< begin as right-hand side, lower coupling and diagonal
  T last;
  int length = 0;

  /// `Link` is an equation between the last unknowns of adjacent segments: x = rhs + below x_− + above x_+.
  struct Link {
    T below, above, rhs;
  };
  /// `First` expresses the first unknown, x = p + q x_before + r x_last, by the unknown before the segment and by the
  /// segment's last unknown.
  struct First {
    T p = 0, q = 0, r = 0;
  };

  /// Fills in the rows, beginning at place t, on a line whose unknowns begin at `first` and end before `end`.
  /// `coupling(t)` and `rest(t)` are defined as in LineOf. The loop has no branches, so that all loads are in flight
  /// together.
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
  /// Eliminates the rows, and stores the last one in `end`.
  __device__ First eliminate(Link& end) {
    First first{T(0), T(0), T(1)};
    T dp = T(0), lp = T(0), up = T(0);
#pragma unroll unrolled < most>
    for (int m = 0; m < most; ++m) {
      const T lower = l[m], upper = m + 1 < most ? l[m + 1 < most ? m + 1 : m] : last;
      const T inverse = stencil::reciprocal(u[m] - (m > 0 ? lower * up : T(0)));
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
  /// Returns the last row after elimination of the first unknown of the next segment.
  __device__ static Link link(const Link& end, const First& next) {
    const T inverse = stencil::reciprocal(T(1) - end.above * next.q);
    return {end.below * inverse, end.above * next.r * inverse, (end.rhs + end.above * next.p) * inverse};
  }
  /// Overwrites d with the solution.
  __device__ void substitute(T x_before, T x_last) {
    T next = x_last;
#pragma unroll unrolled < most>
    for (int m = most - 1; m >= 0; --m) {
      if (m < length - 1) next = d[m] + l[m] * x_before + u[m] * next;
      d[m] = next;
    }
  }
};

/// Returns the beginning of segment `s` of `segments` on a line of n unknowns.
__device__ inline int segment_begin(int n, int segments, int s) {
  return static_cast<int>(static_cast<std::int64_t>(n) * s / segments);
}

/// A warp solves lines up to this length, with one short segment per lane.
inline constexpr int warp_line = 32 * short_segment;

/// `SmallLines` relaxes all lines of a small field as one step of a shared launch. If there is a u, b contains b − A u
/// already. The algorithm is that of the line kernels (line_kernels.cuh), but lanes exchange the equations between
/// segments by shuffles.
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
  using Piece = Segment<T, short_segment>;

  /// `Team` describes the lanes that share a line. Their number is a power of two; `rank` is the thread's lane.
  struct Team {
    int size, rank;
    /// Returns the value of the lane that is `by` further, cyclically.
    __device__ T from(T value, int by) const { return __shfl_sync(0xffffffffu, value, (rank + by) & (size - 1), size); }
  };
  /// Computes the last unknowns of the lane's segment and of the segment before it by cyclic reduction (Links::solve).
  __device__ static void reduce(const Team& team, typename Piece::Link own, T& x_before, T& x_last) {
    for (int stride = 1; stride < team.size; stride *= 2) {
      const T below_below = team.from(own.below, -stride), below_above = team.from(own.above, -stride),
              below_rhs = team.from(own.rhs, -stride);
      const T above_below = team.from(own.below, stride), above_above = team.from(own.above, stride),
              above_rhs = team.from(own.rhs, stride);
      const T inverse = stencil::reciprocal(T(1) - own.below * below_above - own.above * above_below);
      own.rhs = (own.rhs + own.below * below_rhs + own.above * above_rhs) * inverse;
      own.below = own.below * below_below * inverse;
      own.above = own.above * above_above * inverse;
    }
    x_last = own.rhs * stencil::reciprocal(T(1) - own.below - own.above);
    x_before = team.from(x_last, -1);
  }

  template <int along>
  __device__ void solve(int thread, int threads) const {
    const int3 first = p.box.first, last = p.box.last;
    const int begin = along == 0 ? first.x : along == 1 ? first.y : first.z;
    const int end = along == 0 ? last.x : along == 1 ? last.y : last.z;
    // The ranges p and q are those of the other axes, in order.
    const int p0 = along == 0 ? first.y : first.x, p1 = along == 0 ? last.y : last.x;
    const int q0 = along == 2 ? first.y : first.z, q1 = along == 2 ? last.y : last.z;
    const std::int64_t stride = along == 0 ? 1 : along == 1 ? p.out.sy : p.out.sz;
    int size = 1;
    while (size * short_segment < end - begin) size *= 2;
    const Team team{size, thread & (size - 1)};
    const int lines = (p1 - p0) * (q1 - q0), at_once = threads / size;
    const int from = begin + segment_begin(end - begin, size, team.rank);
    Piece piece;
    piece.length = begin + segment_begin(end - begin, size, team.rank + 1) - from;
    // All lanes continue together; lanes beyond the last line have no values.
    for (int done = 0; done < lines; done += at_once) {
      const int line = done + thread / size;
      const bool inside = line < lines;
      const int a = p0 + line % (p1 - p0), b = q0 + line / (p1 - p0);
      const std::int64_t start = a * (along == 0 ? p.out.sy : 1) + b * (along == 2 ? p.out.sy : p.out.sz);
      const auto place = [&](int m) { return start + (from + min(m, piece.length - 1)) * stride; };
      T base[short_segment];
      typename Piece::First ends;
      typename Piece::Link link{T(0), T(0), T(0)};
      if (inside) {
        const LineOf<along, T, Coefficients> rows(p.c, start, stride, a, b);
        p.template for_each<short_segment>([&](int m) { piece.d[m] = p.b.data[place(m)]; });
        p.load_base(base, place);
        piece.fill(
            from, begin, end, p.cyclic, [&](int t) { return rows.coupling(t); }, [&](int t) { return rows.rest(t); });
        ends = piece.eliminate(link);
      }
      const typename Piece::First next{team.from(ends.p, 1), team.from(ends.q, 1), team.from(ends.r, 1)};
      if (inside) link = Piece::link(link, next);
      T x_before, x_last;
      reduce(team, link, x_before, x_last);
      if (!inside) continue;
      piece.substitute(x_before, x_last);
#pragma unroll
      for (int m = 0; m < short_segment; ++m)
        if (m < piece.length) p.out.data[start + (from + m) * stride] = base[m] + p.alpha * piece.d[m];
    }
  }
};

}  // namespace poisson::cuda
