#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "backends/cuda/check.cuh"
#include "backends/memory/error.hpp"
#include "backends/memory/round_up.hpp"
#include "grids/kernels/cuda/line_segment.cuh"
#include "grids/rows/band_coefficients.hpp"

/// Line relaxation solves tridiagonal systems along an axis on the chip. Small fields with constant κ need one pass
/// over memory; all others need a preceding pass for the residual. A line is partitioned into segments, one per thread,
/// whose unknowns stay in registers. Each segment yields one equation between its last unknown and those of the
/// adjacent segments. Parallel cyclic reduction in shared memory solves these equations (Wang, ACM Trans. Math. Softw.
/// 7, 1981; Hockney and Jesshope, Parallel Computers 2, 1988, section 5.4).
namespace poisson::cuda {

/// `axis_limit` is the longest line along y or z. A quarter of it is the limit along x, where lines must fit shared
/// memory.
template <class T>
inline constexpr int axis_limit = line_threads<T>* long_segment;

/// `Links` is the shared memory for the equations between segments. It has two halves, each with three arrays of
/// `segments` (a power of two) by `lines` values: one half is read while the other one is filled. All threads of the
/// block must call its functions together.
template <class T>
struct Links {
  T* memory;
  int segments, lines;
  int half = 0;

  static constexpr int arrays = 6;
  __device__ T& at(int array, int segment, int line) const {
    return memory[((3 * half + array) * segments + (segment & (segments - 1))) * lines + line];
  }
  /// Stores a value in each of the three arrays and waits for the other threads.
  __device__ void exchange(int segment, int line, T a, T b, T c) {
    half ^= 1;
    at(0, segment, line) = a;
    at(1, segment, line) = b;
    at(2, segment, line) = c;
    __syncthreads();
  }
  /// Computes the last unknowns of a segment and of the segment before it.
  template <class Link>
  __device__ void solve(int segment, int line, Link own, T& x_before, T& x_last) {
    // In the last step both neighbours are the same equation; on cyclic lines it belongs to the opposite segment. The
    // remaining terms couple the unknown with itself.
    for (int stride = 1; stride < segments; stride *= 2) {
      exchange(segment, line, own.below, own.above, own.rhs);
      const int below = segment - stride, above = segment + stride;
      const T inverse = stencil::reciprocal(T(1) - own.below * at(1, below, line) - own.above * at(0, above, line));
      own.rhs = (own.rhs + own.below * at(2, below, line) + own.above * at(2, above, line)) * inverse;
      const T a = own.below * at(0, below, line) * inverse, c = own.above * at(1, above, line) * inverse;
      own.below = a;
      own.above = c;
    }
    x_last = own.rhs * stencil::reciprocal(T(1) - own.below - own.above);
    exchange(segment, line, x_last, T(0), T(0));
    x_before = at(0, segment - 1, line);
  }
};

/// `across_threads` is the number of threads of a block whose lines run along y or z.
template <class T, int most>
inline constexpr int across_threads = most == streaming_segment<T> ? 512 : line_threads<T>;

/// Relaxes lines along y or z. The threads of a block are values along x (threadIdx.x), segments (y) and neighbours
/// along the third axis (z). Short segments keep the base of the update in registers. Longer segments expect b − A u in
/// place of b, and read u later.
template <int axis, int most, class T, class Coefficients>
__global__ void __launch_bounds__(across_threads<T, most>) across_kernel(LineStep<T, Coefficients> p) {
  static_assert(axis == 1 || axis == 2);
  constexpr bool keeps = most == short_segment;
  extern __shared__ unsigned char shared[];
  Links<T> links{reinterpret_cast<T*>(shared), static_cast<int>(blockDim.y), static_cast<int>(blockDim.x * blockDim.z)};
  const auto width = static_cast<int>(blockDim.x), left = p.box.first.x & -32;
  const int tiles = (p.box.last.x - left + width - 1) / width, tile = static_cast<int>(blockIdx.x);
  const int i = left + tile % tiles * width + static_cast<int>(threadIdx.x);
  const int first = axis == 1 ? p.box.first.y : p.box.first.z, last = axis == 1 ? p.box.last.y : p.box.last.z;
  const int other = (axis == 1 ? p.box.first.z : p.box.first.y) + tile / tiles * static_cast<int>(blockDim.z) +
                    static_cast<int>(threadIdx.z);
  const bool inside = i >= p.box.first.x && i < p.box.last.x && other < (axis == 1 ? p.box.last.z : p.box.last.y);
  const int s = static_cast<int>(threadIdx.y), n = last - first;
  const int begin = first + segment_begin(n, links.segments, s);
  const int line = static_cast<int>(threadIdx.z * blockDim.x + threadIdx.x);
  const std::int64_t stride = axis == 1 ? p.out.sy : p.out.sz;
  const std::int64_t start = i + other * (axis == 1 ? p.out.sz : p.out.sy), at = start + begin * stride;

  Segment<T, most> segment;
  typename Segment<T, most>::First ends;
  typename Segment<T, most>::Link link{T(0), T(0), T(0)};
  T base[most];
  const auto place = [&](int m) { return at + min(m, segment.length - 1) * stride; };
  if (inside) {
    segment.length = first + segment_begin(n, links.segments, s + 1) - begin;
    const LineOf<axis, T, Coefficients> rows(p.c, start, stride, i, other);
    if constexpr (keeps) {
      p.load_right(segment.d, place, [&](int m) {
        const int t = begin + min(m, segment.length - 1);
        return axis == 1 ? int3{i, t, other} : int3{i, other, t};
      });
      p.load_base(base, place);
    } else {
      p.template for_each<most>([&](int m) { segment.d[m] = p.b.data[place(m)]; });
    }
    segment.fill(
        begin, first, last, p.cyclic, [&](int t) { return rows.coupling(t); }, [&](int t) { return rows.rest(t); });
    ends = segment.eliminate(link);
  }
  links.exchange(s, line, ends.p, ends.q, ends.r);
  if (inside) link = segment.link(link, {links.at(0, s + 1, line), links.at(1, s + 1, line), links.at(2, s + 1, line)});
  T x_before, x_last;
  links.solve(s, line, link, x_before, x_last);
  if (!inside) return;
  segment.substitute(x_before, x_last);
  if constexpr (!keeps) p.load_base(base, place);
#pragma unroll(unrolled <most>)
  for (int m = 0; m < most; ++m)
    if (m < segment.length) p.out.data[at + m * stride] = base[m] + p.alpha * segment.d[m];
}

/// `staged_arrays` counts the arrays of a line along x in shared memory: right-hand sides, and couplings and rests if
/// these come from memory.
template <class T, class Coefficients>
inline constexpr int staged_arrays = LineOf<0, T, Coefficients>::in_memory ? 3 : 1;
/// After every `most` values, one value is padding, so that the segments access different banks.
template <int most>
constexpr int staged_place(int t) {
  return t + t / most;
}

/// Fills a segment of a line along x from staged rows if rows are in memory, otherwise from `rows`, whose line begins
/// at `first`.
template <int most, class Line, class T>
__device__ __forceinline__ void fill_segment(Segment<T, most>& segment, int begin, int n, bool cyclic,
                                             const T* couplings, const T* rests, const Line& rows, int first) {
  if constexpr (Line::in_memory)
    segment.fill(
        begin, 0, n, cyclic, [&](int t) { return couplings[staged_place<most>(t + 1)]; },
        [&](int t) { return rests[staged_place<most>(t)]; });
  else
    segment.fill(
        begin, 0, n, cyclic, [&](int t) { return rows.coupling(first + t); },
        [&](int t) { return rows.rest(first + t); });
}

/// Relaxes lines along x. The threads of a block are segments (threadIdx.x) of lines (y). Threads read adjacent values
/// and pass them to the segments through shared memory; the solution returns in the same way.
template <int most, class T, class Coefficients>
__global__ void __launch_bounds__(line_threads<T>) along_kernel(LineStep<T, Coefficients> p) {
  using Line = LineOf<0, T, Coefficients>;
  extern __shared__ unsigned char shared[];
  const int first = p.box.first.x, n = p.box.last.x - first;
  const int s = static_cast<int>(threadIdx.x), segments = static_cast<int>(blockDim.x);
  const int line = static_cast<int>(threadIdx.y), lines = static_cast<int>(blockDim.y);
  Links<T> links{reinterpret_cast<T*>(shared), segments, lines};
  const auto place = [](int t) { return staged_place<most>(t); };
  const int pitch = place(n) + 1;  // the first coupling precedes the line
  T* right = links.memory + Links<T>::arrays * segments * lines + line * staged_arrays<T, Coefficients> * pitch;
  T *couplings = right + pitch, *rests = couplings + pitch;

  const int tiles = (p.box.last.y - p.box.first.y + lines - 1) / lines, tile = static_cast<int>(blockIdx.x);
  const int j = p.box.first.y + tile % tiles * lines + line, k = p.box.first.z + tile / tiles;
  const std::int64_t start = j * p.out.sy + k * p.out.sz;
  const bool inside = j < p.box.last.y;
  T base[most];
  if (inside) {
    const Line rows(p.c, start, 1, j, k);
    T d[most], c[Line::in_memory ? most : 1], r[Line::in_memory ? most : 1];
    const auto index = [&](int m) { return first + min(s + m * segments, n - 1); };
    const auto in_field = [&](int m) { return start + index(m); };
    p.load_right(d, in_field, [&](int m) { return int3{index(m), j, k}; });
    p.load_base(base, in_field);
    if constexpr (Line::in_memory)
      p.template for_each<most>([&](int m) {
        c[m] = rows.coupling(index(m));
        r[m] = rows.rest(index(m));
      });
    if (Line::in_memory && s == 0) couplings[0] = rows.coupling(first - 1);
#pragma unroll(unrolled <most>)
    for (int m = 0; m < most; ++m) {
      const int t = s + m * segments;
      if (t >= n) continue;
      right[place(t)] = d[m];
      if constexpr (Line::in_memory) {
        couplings[place(t + 1)] = c[m];
        rests[place(t)] = r[m];
      }
    }
  }
  __syncthreads();
  Segment<T, most> segment;
  typename Segment<T, most>::First ends;
  typename Segment<T, most>::Link link{T(0), T(0), T(0)};
  const int begin = segment_begin(n, segments, s);
  if (inside) {
    segment.length = segment_begin(n, segments, s + 1) - begin;
#pragma unroll(unrolled <most>)
    for (int m = 0; m < most; ++m) segment.d[m] = right[place(begin + min(m, segment.length - 1))];
    fill_segment<most, Line>(segment, begin, n, p.cyclic, couplings, rests, Line(p.c, start, 1, j, k), first);
    ends = segment.eliminate(link);
  }
  links.exchange(s, line, ends.p, ends.q, ends.r);
  if (inside) link = segment.link(link, {links.at(0, s + 1, line), links.at(1, s + 1, line), links.at(2, s + 1, line)});
  T x_before, x_last;
  links.solve(s, line, link, x_before, x_last);
  if (inside) {
    segment.substitute(x_before, x_last);
#pragma unroll(unrolled <most>)
    for (int m = 0; m < most; ++m)
      if (m < segment.length) right[place(begin + m)] = segment.d[m];
  }
  __syncthreads();
  if (inside)
#pragma unroll(unrolled <most>)
    for (int m = 0; m < most; ++m)
      if (const int t = s + m * segments; t < n) p.out.data[start + first + t] = base[m] + p.alpha * right[place(t)];
}

/// Returns the least power of two ≥ n.
inline int power_of_two(int n) {
  int p = 1;
  while (p < n) p *= 2;
  return p;
}

template <int axis, int most, class T, class Coefficients>
void launch_across(cudaStream_t stream, const LineStep<T, Coefficients>& p, int segments) {
  constexpr int limit = across_threads<T, most>, filled = most == short_segment ? 256 : limit;
  const int columns = p.box.last.x - (p.box.first.x & -32);
  const int others = axis == 1 ? p.box.last.z - p.box.first.z : p.box.last.y - p.box.first.y;
  const int width = std::min({32, power_of_two(columns), std::max(8, filled / segments), limit / segments});
  constexpr int most_deep = 64;  // maximum along z
  const int depth = std::clamp(256 / (width * segments), 1, std::min(most_deep, power_of_two(others)));
  const dim3 threads(static_cast<unsigned>(width), static_cast<unsigned>(segments), static_cast<unsigned>(depth));
  const auto blocks = static_cast<unsigned>(divide_up(columns, width) * divide_up(others, depth));
  const std::size_t shared = Links<T>::arrays * sizeof(T) * static_cast<std::size_t>(width * segments * depth);
  across_kernel<axis, most><<<blocks, threads, shared, stream>>>(p);
  launched(stream);
}

template <int most, class T, class Coefficients>
void launch_along(cudaStream_t stream, const LineStep<T, Coefficients>& p, int segments) {
  const int n = p.box.last.x - p.box.first.x, height = p.box.last.y - p.box.first.y;
  // Blocks have few threads: while one block waits at a barrier, others run.
  const int lines = std::max(1, std::min(64 / segments, power_of_two(height)));
  const auto blocks = static_cast<unsigned>(divide_up(height, lines) * (p.box.last.z - p.box.first.z));
  const std::size_t shared = sizeof(T) * static_cast<std::size_t>(lines) *
                             (Links<T>::arrays * static_cast<std::size_t>(segments) +
                              staged_arrays<T, Coefficients> * static_cast<std::size_t>(staged_place<most>(n) + 1));
  if (shared > (48u << 10))
    check(cudaFuncSetAttribute(along_kernel<most, T, Coefficients>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared)));
  along_kernel<most>
      <<<blocks, dim3(static_cast<unsigned>(segments), static_cast<unsigned>(lines)), shared, stream>>>(p);
  launched(stream);
}

template <class T, class Coefficients>
void relax_lines(cudaStream_t stream, int axis, const LineStep<T, Coefficients>& p) {
  const Box box{{p.box.first.x, p.box.first.y, p.box.first.z}, {p.box.last.x, p.box.last.y, p.box.last.z}};
  if (box.size() == 0) return;
  const int n = line_length(axis, box);
  constexpr int longest = axis_limit<T>;
  if (n > (axis == 0 ? longest / 4 : longest))
    throw RunError("a line of " + std::to_string(n) + " unknowns is too long to be relaxed at once on a GPU (at most " +
                       std::to_string(longest / 4) + " along x, " + std::to_string(longest) + " along y and z)",
                   Remedy::other_smoother_or_host);
  const auto segments = [&](int most) { return power_of_two(divide_up(n, most)); };  // each has at least one unknown
  const auto across = [&]<int most>() {
    if (axis == 1)
      launch_across<1, most>(stream, p, segments(most));
    else
      launch_across<2, most>(stream, p, segments(most));
  };
  constexpr int streaming = streaming_segment<T>;
  if (axis == 0 && is_long_line<T>(axis, box))
    launch_along<long_segment>(stream, p, segments(long_segment));
  else if (axis == 0)
    launch_along<short_segment>(stream, p, segments(short_segment));
  else if (n > across_threads<T, streaming> / 8 * streaming)
    across.template operator()<long_segment>();
  else if (takes_residual<T>(axis, box))
    across.template operator()<streaming>();
  else
    across.template operator()<short_segment>();
}

}  // namespace poisson::cuda
