#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "backends/cuda/check.cuh"
#include "backends/error.hpp"
#include "grids/cuda/line_relaxation.cuh"

/// Line relaxation: tridiagonal systems along an axis, solved on the chip in one pass over memory. A line is cut into
/// segments, one a thread, whose unknowns stay in registers; a segment hands on one equation, between its last unknown
/// and those of the segments beside it, and these are solved by parallel cyclic reduction in shared memory
/// (Wang, ACM Trans. Math. Softw. 7, 1981; Hockney and Jesshope, Parallel Computers 2, 1988, section 5.4).
namespace poisson::cuda {

/// Unknowns of a segment that stay in registers, and of one of a line that is too long for that.
inline constexpr int short_segment = 8, long_segment = 64;

/// Threads of a block at the most: what its registers hold.
template <class T>
inline constexpr int line_threads = sizeof(T) == 4 ? 1024 : 512;
/// Longest line along y or z; along x a quarter of it fits into shared memory.
template <class T>
inline constexpr int axis_limit = line_threads<T>* long_segment;

/// The couplings of a row along an axis.
template <int axis, class T>
__device__ T before(const Row<T>& a) {
  return axis == 0 ? a.west : axis == 1 ? a.south : a.bottom;
}
template <int axis, class T>
__device__ T after(const Row<T>& a) {
  return axis == 0 ? a.east : axis == 1 ? a.north : a.top;
}

/// One thread's share of a line: rows −lower x_{t−1} + diagonal x_t − upper x_{t+1} = rhs, of which there are at most
/// `most`. Eliminated, x_t = d + l x_before + u x_{t+1} with x_before the unknown before the segment.
template <class T, int most>
struct Segment {
  T d[most], l[most], u[most];  ///< at first right-hand side, lower coupling, diagonal
  T last_upper;
  int length = 0;

  /// An equation between the last unknowns of neighbouring segments: x = rhs + below x_− + above x_+.
  struct Link {
    T below, above, rhs;
  };
  /// The first unknown in terms of the one before the segment and of its last: x = p + q x_before + r x_last.
  struct First {
    T p, q, r;
  };

  __device__ First eliminate() {
    First first{T(0), T(0), T(1)};
    T dp = T(0), lp = T(0), up = T(0);
#pragma unroll
    for (int m = 0; m < most; ++m) {
      if (m >= length) break;
      const T lower = l[m];
      const T upper = m + 1 < length ? (m + 1 < most ? l[m + 1 < most ? m + 1 : m] : last_upper) : last_upper;
      const T inverse = T(1) / (u[m] - (m > 0 ? lower * up : T(0)));
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
      }
    }
    return first;
  }
  /// The last row with the first unknown of the next segment replaced.
  __device__ Link link(const First& next) const {
    T dl = d[0], ll = l[0], ul = u[0];
#pragma unroll
    for (int m = 1; m < most; ++m)
      if (m == length - 1) {
        dl = d[m];
        ll = l[m];
        ul = u[m];
      }
    const T inverse = T(1) / (T(1) - ul * next.q);
    return {ll * inverse, ul * next.r * inverse, (dl + ul * next.p) * inverse};
  }
  /// d becomes the solution.
  __device__ void substitute(T x_before, T x_last) {
    T next = x_last;
#pragma unroll
    for (int m = most - 1; m >= 0; --m) {
      if (m >= length) continue;
      if (m < length - 1) next = d[m] + l[m] * x_before + u[m] * next;
      d[m] = next;
    }
  }
};

/// Shared memory for the equations between segments: `segments` of a line, a power of two, by `lines` lines, in three
/// arrays. All threads of the block call solve together.
template <class T>
struct Links {
  T* memory;
  int segments, lines;

  __device__ T& at(int array, int segment, int line) const {
    return memory[(array * segments + (segment & (segments - 1))) * lines + line];
  }
  /// Puts a value into each of three arrays and waits for the others.
  __device__ void exchange(int segment, int line, T a, T b, T c) const {
    __syncthreads();
    at(0, segment, line) = a;
    at(1, segment, line) = b;
    at(2, segment, line) = c;
    __syncthreads();
  }
  /// The last unknowns of segment and of the one before it.
  template <class Link>
  __device__ void solve(int segment, int line, Link own, T& x_before, T& x_last) const {
    // In the last step both neighbours are the same equation, on cyclic lines the segment's own opposite; what is left
    // couples the unknown with itself.
    for (int stride = 1; stride < segments; stride *= 2) {
      exchange(segment, line, own.below, own.above, own.rhs);
      const int below = segment - stride, above = segment + stride;
      const T inverse = T(1) / (T(1) - own.below * at(1, below, line) - own.above * at(0, above, line));
      own.rhs = (own.rhs + own.below * at(2, below, line) + own.above * at(2, above, line)) * inverse;
      const T a = own.below * at(0, below, line) * inverse, c = own.above * at(1, above, line) * inverse;
      own.below = a;
      own.above = c;
    }
    x_last = own.rhs / (T(1) - own.below - own.above);
    exchange(segment, line, x_last, T(0), T(0));
    x_before = at(0, segment - 1, line);
  }
};

/// Where segment `s` of so many begins on a line of n unknowns.
__device__ inline int segment_begin(int n, int segments, int s) {
  return static_cast<int>(static_cast<std::int64_t>(n) * s / segments);
}

/// Lines along y or z. A block has so many values along x (threadIdx.x), segments (y) and neighbours along the third
/// axis (z).
template <int axis, int most, class T, class Coefficients>
__global__ void __launch_bounds__(line_threads<T>) across_kernel(LineStep<T, Coefficients> p) {
  static_assert(axis == 1 || axis == 2);
  extern __shared__ unsigned char shared[];
  const Links<T> links{reinterpret_cast<T*>(shared), static_cast<int>(blockDim.y),
                       static_cast<int>(blockDim.x * blockDim.z)};
  const int i = (p.box.first.x & -32) + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = axis == 1 ? p.box.first.y : p.box.first.z, last = axis == 1 ? p.box.last.y : p.box.last.z;
  const int other =
      (axis == 1 ? p.box.first.z : p.box.first.y) + static_cast<int>(blockIdx.y * blockDim.z + threadIdx.z);
  const bool inside = i >= p.box.first.x && i < p.box.last.x && other < (axis == 1 ? p.box.last.z : p.box.last.y);
  const int s = static_cast<int>(threadIdx.y), n = last - first;
  const int begin = first + segment_begin(n, links.segments, s);
  const int line = static_cast<int>(threadIdx.z * blockDim.x + threadIdx.x);

  Segment<T, most> segment;
  typename Segment<T, most>::First ends{T(0), T(0), T(0)};
  if (inside) {
    segment.length = first + segment_begin(n, links.segments, s + 1) - begin;
#pragma unroll
    for (int m = 0; m < most; ++m) {
      if (m >= segment.length) break;
      const int t = begin + m, j = axis == 1 ? t : other, k = axis == 1 ? other : t;
      const Row<T> a = p.c.line(j, k).row(i);
      segment.d[m] = p.right(a, i, j, k);
      segment.l[m] = t == first && !p.cyclic ? T(0) : before<axis>(a);
      segment.u[m] = a.diagonal();
      if (m == segment.length - 1) segment.last_upper = t == last - 1 && !p.cyclic ? T(0) : after<axis>(a);
    }
    ends = segment.eliminate();
  }
  links.exchange(s, line, ends.p, ends.q, ends.r);
  typename Segment<T, most>::Link link{T(0), T(0), T(0)};
  if (inside) link = segment.link({links.at(0, s + 1, line), links.at(1, s + 1, line), links.at(2, s + 1, line)});
  T x_before, x_last;
  links.solve(s, line, link, x_before, x_last);
  if (!inside) return;
  segment.substitute(x_before, x_last);
#pragma unroll
  for (int m = 0; m < most; ++m) {
    if (m >= segment.length) break;
    const int t = begin + m;
    p.store(i, axis == 1 ? t : other, axis == 1 ? other : t, segment.d[m]);
  }
}

/// Lines along x. A block has so many segments (threadIdx.x) of so many lines (y). Rows are worked out side by side
/// and go to the segments through shared memory, as the solution goes back.
template <int most, class T, class Coefficients>
__global__ void __launch_bounds__(line_threads<T>) along_kernel(LineStep<T, Coefficients> p) {
  extern __shared__ unsigned char shared[];
  const int first = p.box.first.x, n = p.box.last.x - first;
  const int s = static_cast<int>(threadIdx.x), segments = static_cast<int>(blockDim.x);
  const int line = static_cast<int>(threadIdx.y), lines = static_cast<int>(blockDim.y);
  const Links<T> links{reinterpret_cast<T*>(shared), segments, lines};
  // One value in every `most` stays free, so that the segments' accesses fall into different banks.
  const auto place = [](int t) { return t + t / most; };
  const int pitch = place(n - 1) + 1;
  T* right = links.memory + 3 * segments * lines + line * 3 * pitch;
  T *lower = right + pitch, *diagonal = lower + pitch;

  const int j = p.box.first.y + static_cast<int>(blockIdx.x) * lines + line;
  const int k = p.box.first.z + static_cast<int>(blockIdx.y);
  const bool inside = j < p.box.last.y;
  T upper_end = T(0);
  if (inside) {
    const auto along = p.c.line(j, k);
    for (int t = s; t < n; t += segments) {
      const Row<T> a = along.row(first + t);
      right[place(t)] = p.right(a, first + t, j, k);
      lower[place(t)] = t == 0 && !p.cyclic ? T(0) : a.west;
      diagonal[place(t)] = a.diagonal();
    }
    if (s == segments - 1 && p.cyclic) upper_end = along.row(first + n - 1).east;
  }
  __syncthreads();
  Segment<T, most> segment;
  typename Segment<T, most>::First ends{T(0), T(0), T(0)};
  const int begin = segment_begin(n, segments, s);
  if (inside) {
    segment.length = segment_begin(n, segments, s + 1) - begin;
#pragma unroll
    for (int m = 0; m < most; ++m) {
      if (m >= segment.length) break;
      segment.d[m] = right[place(begin + m)];
      segment.l[m] = lower[place(begin + m)];
      segment.u[m] = diagonal[place(begin + m)];
    }
    // A is symmetric: the upper coupling of an unknown is the lower one of the next.
    segment.last_upper = s == segments - 1 ? upper_end : lower[place(begin + segment.length)];
    ends = segment.eliminate();
  }
  links.exchange(s, line, ends.p, ends.q, ends.r);
  typename Segment<T, most>::Link link{T(0), T(0), T(0)};
  if (inside) link = segment.link({links.at(0, s + 1, line), links.at(1, s + 1, line), links.at(2, s + 1, line)});
  T x_before, x_last;
  links.solve(s, line, link, x_before, x_last);
  if (inside) {
    segment.substitute(x_before, x_last);
#pragma unroll
    for (int m = 0; m < most; ++m)
      if (m < segment.length) right[place(begin + m)] = segment.d[m];
  }
  __syncthreads();
  if (inside)
    for (int t = s; t < n; t += segments) p.store(first + t, j, k, right[place(t)]);
}

/// The least power of two that is not below n.
inline int power_of_two(int n) {
  int p = 1;
  while (p < n) p *= 2;
  return p;
}

template <int axis, int most, class T, class Coefficients>
void launch_across(cudaStream_t stream, const LineStep<T, Coefficients>& p, int segments) {
  const int columns = p.box.last.x - (p.box.first.x & -32);
  const int others = axis == 1 ? p.box.last.z - p.box.first.z : p.box.last.y - p.box.first.y;
  const int width = std::min(std::min(32, power_of_two(columns)), line_threads<T> / segments);
  const int depth = std::max(1, std::min(256 / (width * segments), power_of_two(others)));
  const dim3 threads(static_cast<unsigned>(width), static_cast<unsigned>(segments), static_cast<unsigned>(depth));
  const dim3 blocks(static_cast<unsigned>((columns + width - 1) / width),
                    static_cast<unsigned>((others + depth - 1) / depth));
  const std::size_t shared = 3 * sizeof(T) * static_cast<std::size_t>(width * segments * depth);
  across_kernel<axis, most><<<blocks, threads, shared, stream>>>(p);
  launched(stream);
}

template <int most, class T, class Coefficients>
void launch_along(cudaStream_t stream, const LineStep<T, Coefficients>& p, int segments) {
  const int n = p.box.last.x - p.box.first.x, height = p.box.last.y - p.box.first.y;
  const int lines = std::max(1, std::min(256 / segments, power_of_two(height)));
  const dim3 blocks(static_cast<unsigned>((height + lines - 1) / lines),
                    static_cast<unsigned>(p.box.last.z - p.box.first.z));
  const std::size_t pitch = static_cast<std::size_t>((n - 1) + (n - 1) / most + 1);
  const std::size_t shared =
      3 * sizeof(T) * static_cast<std::size_t>(lines) * (static_cast<std::size_t>(segments) + pitch);
  if (shared > (48u << 10))
    check(cudaFuncSetAttribute(along_kernel<most, T, Coefficients>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared)));
  along_kernel<most>
      <<<blocks, dim3(static_cast<unsigned>(segments), static_cast<unsigned>(lines)), shared, stream>>>(p);
  launched(stream);
}

template <class T, class Coefficients>
void relax_lines(cudaStream_t stream, int axis, const LineStep<T, Coefficients>& p) {
  const Range& box = p.box;
  const int n = axis == 0 ? box.last.x - box.first.x : axis == 1 ? box.last.y - box.first.y : box.last.z - box.first.z;
  if (box.last.x <= box.first.x || box.last.y <= box.first.y || box.last.z <= box.first.z) return;
  constexpr int longest = axis_limit<T>;
  if (n > (axis == 0 ? longest / 4 : longest))
    throw RunError("a line of " + std::to_string(n) + " unknowns is too long to be relaxed at once on a GPU (at most " +
                   std::to_string(longest / 4) + " along x, " + std::to_string(longest) +
                   " along y and z): use solver.smoother: {type: chebyshev} or backend.device: cpu");
  const auto launch = [&]<int most>() {
    const int segments = power_of_two((n + most - 1) / most);  // each of at least one unknown
    if (axis == 0)
      launch_along<most>(stream, p, segments);
    else if (axis == 1)
      launch_across<1, most>(stream, p, segments);
    else
      launch_across<2, most>(stream, p, segments);
  };
  if (n <= line_threads<T> / 8 * short_segment)
    launch.template operator()<short_segment>();
  else
    launch.template operator()<long_segment>();
}

}  // namespace poisson::cuda
