#include "backends/cuda/eliminate_lines.hpp"
#include "backends/cuda/inverse.cuh"
#include "backends/cuda/launch.cuh"
#include "backends/memory/round_up.hpp"
#include "backends/transforms/fold.hpp"

namespace poisson::cuda {
namespace {

// A thread processes this many values of a line at a time. One number per segment is stored between elimination and
// back substitution.
constexpr int segment = values_of_kept;
constexpr int line_threads = 128, line_blocks = 6, folded_blocks = 3;

// Passes 1/x to the formulas of reduced_line.hpp.
struct Inverse {
  template <class T>
  __device__ T operator()(T x) const {
    return inverse_of(x);
  }
};

// Locates the line of the calling thread.
struct Place {
  std::int64_t line;
  int lane, slow;

  template <class T>
  __device__ explicit Place(const PlacesOfLines<T>& lines)
      : line(std::int64_t{blockIdx.x} * line_threads + threadIdx.x),
        lane(static_cast<int>(line % lines.lanes)),
        slow(static_cast<int>(line / lines.lanes)) {}
};

// Describes the preceding row. `left` is its pivot without its coupling, `gain` its coupling over its pivot, `before`
// its value.
template <class T>
struct Eliminated {
  T left, gain, before;

  __device__ void go_on(T row, T onwards, T& value) {
    left = row + gain * left;
    value += gain * before;
    gain = onwards * inverse_of(left + onwards);
    before = value;
  }
};

// Recomputes the elimination of a row from the number that the preceding row passes on. Divides the value by the pivot,
// sets the gain, and returns the number for the next row.
template <class T>
__device__ T divide(T row, T onwards, T passed, T& value, T& gain) {
  const T remains = row + passed;
  const T inverse = inverse_of(remains + onwards);
  gain = onwards * inverse;
  value *= inverse;
  return gain * remains;
}

// Solves one line per thread by elimination without cancellation (cpu/eliminate_lines.cpp), which overwrites the
// values. One number per segment is stored in `kept`. Back substitution recomputes the pivots of a segment from it.
template <class AnyLines, bool ends>
__global__ void __launch_bounds__(line_threads, line_blocks)
    lines_kernel(const __grid_constant__ AnyLines lines, typename AnyLines::Value* kept) {
  using T = typename AnyLines::Value;
  await_others();
  const Place place(lines);
  const std::int64_t line = place.line, count = lines.count(), step = lines.step;
  if (line >= count) return;
  T* const at = lines.at(place.lane, place.slow);
  const auto own = lines.own(place.lane, place.slow);
  const int n = lines.n, segments = (n + segment - 1) / segment;
  Eliminated<T> row{ends ? T(1) : T(0), ends ? lines.onwards(-1, own) : T(0), ends ? at[-step] : T(0)};
  for (int s = 0; s < segments; ++s) {
    T* const here = at + s * segment * step;
    const int first = s * segment, many = min(segment, n - first);
    kept[s * count + line] = row.gain * row.left;
    T value[segment];
#pragma unroll
    for (int m = 0; m < segment; ++m) value[m] = m < many ? here[m * step] : T(0);
#pragma unroll
    for (int m = 0; m < segment; ++m)
      if (m < many) row.go_on(lines.row(first + m, own), lines.onwards(first + m, own), value[m]);
#pragma unroll
    for (int m = 0; m < segment; ++m)
      if (m < many) here[m * step] = value[m];
  }
  T after = ends ? at[n * step] : T(0);
  for (int s = segments - 1; s >= 0; --s) {
    T* const here = at + s * segment * step;
    const int first = s * segment, many = min(segment, n - first);
    T value[segment], gains[segment];
#pragma unroll
    for (int m = 0; m < segment; ++m) value[m] = m < many ? here[m * step] : T(0);
    T passed = kept[s * count + line];
#pragma unroll
    for (int m = 0; m < segment; ++m)
      if (m < many)
        passed = divide(lines.row(first + m, own), lines.onwards(first + m, own), passed, value[m], gains[m]);
#pragma unroll
    for (int m = segment - 1; m >= 0; --m)
      if (m < many) {
        after = value[m] + gains[m] * after;
        here[m * step] = after;
      }
  }
}

// Solves both halves of a folded line together, from the ends to the middle. Values are therefore folded as they are
// read and unfolded as they are written. The odd half is stored from the middle to the end and is eliminated backwards.
template <class T>
__global__ void __launch_bounds__(line_threads, folded_blocks)
    folded_lines_kernel(const __grid_constant__ Lines<T> lines, T* kept) {
  await_others();
  const Place place(lines);
  const std::int64_t line = place.line, count = lines.count(), step = lines.step;
  if (line >= count) return;
  T* const at = lines.at(place.lane, place.slow);
  const T own = lines.own(place.lane, place.slow);
  const int n = lines.n, half = n - n / 2, segments = (half + segment - 1) / segment;

  Eliminated<T> even{}, odd{};
  for (int s = 0; s < segments; ++s) {
    const int first = s * segment, many = min(segment, half - first), pairs = min(segment, n / 2 - first);
    T *const lower = at + first * step, *const upper = at + (n - 1 - first) * step;
    kept[2 * s * count + line] = even.gain * even.left;
    kept[(2 * s + 1) * count + line] = odd.gain * odd.left;
    T values[segment], images[segment];
#pragma unroll
    for (int m = 0; m < segment; ++m) {
      values[m] = m < many ? lower[m * step] : T(0);
      images[m] = m < pairs ? upper[-m * step] : T(0);
    }
#pragma unroll
    for (int m = 0; m < segment; ++m) {
      const int k = first + m, image = n - 1 - k;
      if (m < pairs) {
        fold_pair<false>(values[m], images[m]);
        odd.go_on(lines.row(image, own), lines.onwards(image - 1, own), images[m]);
      } else {
        fold_middle(values[m]);
      }
      if (m < many) even.go_on(lines.row(k, own), lines.onwards(k, own), values[m]);
    }
#pragma unroll
    for (int m = 0; m < segment; ++m) {
      if (m < many) lower[m * step] = values[m];
      if (m < pairs) upper[-m * step] = images[m];
    }
  }
  T after = 0, image_after = 0;
  for (int s = segments - 1; s >= 0; --s) {
    const int first = s * segment, many = min(segment, half - first), pairs = min(segment, n / 2 - first);
    T *const lower = at + first * step, *const upper = at + (n - 1 - first) * step;
    T values[segment], images[segment], gains[segment], image_gains[segment];
#pragma unroll
    for (int m = 0; m < segment; ++m) {
      values[m] = m < many ? lower[m * step] : T(0);
      images[m] = m < pairs ? upper[-m * step] : T(0);
    }
    T passed = kept[2 * s * count + line], image_passed = kept[(2 * s + 1) * count + line];
#pragma unroll
    for (int m = 0; m < segment; ++m) {
      const int k = first + m, image = n - 1 - k;
      if (m < many) passed = divide(lines.row(k, own), lines.onwards(k, own), passed, values[m], gains[m]);
      if (m < pairs)
        image_passed =
            divide(lines.row(image, own), lines.onwards(image - 1, own), image_passed, images[m], image_gains[m]);
    }
#pragma unroll
    for (int m = segment - 1; m >= 0; --m) {
      if (m < many) after = values[m] + gains[m] * after;
      T value = after;
      if (m < pairs) {
        image_after = images[m] + image_gains[m] * image_after;
        T image = image_after;
        fold_pair<true>(value, image);
        upper[-m * step] = image;
      } else {
        fold_middle(value);
      }
      if (m < many) lower[m * step] = value;
    }
  }
}

// One block computes the mean of a line. Its threads determine the order of the sums.
template <class T>
__global__ void __launch_bounds__(line_threads) mean_kernel(const __grid_constant__ Lines<T> lines, ConstantLine line) {
  __shared__ double sums[line_threads], masses[line_threads];
  await_others();
  const int thread = static_cast<int>(threadIdx.x);
  T* const values = lines.at(line.lane, line.slow);
  double sum = 0, mass = 0;
  for (int k = thread; k < line.rows; k += line_threads) {
    const auto weight = static_cast<double>(lines.mass_sum[k]);
    mass += weight;
    sum += weight * line.value(k, lines.n, values, lines.step);
  }
  sums[thread] = sum;
  masses[thread] = mass;
  for (int half = line_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread >= half) continue;
    sums[thread] += sums[thread + half];
    masses[thread] += masses[thread + half];
  }
  __syncthreads();
  const auto mean = static_cast<T>(sums[0] / masses[0]);
  for (int k = thread; k < lines.n; k += line_threads) values[k * lines.step] -= mean;
}

template <class AnyLines>
__global__ void __launch_bounds__(line_threads)
    reduce_kernel(const __grid_constant__ AnyLines lines,
                  const __grid_constant__ SendBuffer<typename AnyLines::Value> sent) {
  using T = typename AnyLines::Value;
  await_others();
  const Place place(lines);
  if (place.line >= lines.count()) return;
  const T* const from = lines.at(place.lane, place.slow);
  const auto own = lines.own(place.lane, place.slow);
  ReducedLine<T> line = beginning(lines, from, own);
  for (int first = 2; first < lines.n; first += segment) {
    const int many = min(segment, lines.n - first);
    T value[segment];
#pragma unroll
    for (int m = 0; m < segment; ++m) value[m] = m < many ? from[(first + m) * lines.step] : T(0);
#pragma unroll
    for (int m = 0; m < segment; ++m)
      if (m < many) go_on(line, lines, first + m - 1, value[m], own, Inverse());
  }
  T* const to = sent.of(place.lane, place.slow);
  visit_sent(line, lines.onwards(lines.n - 1, own),
             [&](int number, T value) { to[std::int64_t{number} * sent.share] = value; });
}

template <class T>
__global__ void __launch_bounds__(line_threads) ends_kernel(const __grid_constant__ EndSystems<T> systems) {
  await_others();
  const int line = static_cast<int>(blockIdx.x * line_threads + threadIdx.x);
  if (line < systems.lines) systems.solve(line, Inverse());
}

template <class T>
__global__ void __launch_bounds__(line_threads)
    take_ends_kernel(const __grid_constant__ PlacesOfLines<T> lines, const __grid_constant__ SendBuffer<T> ends) {
  await_others();
  const Place place(lines);
  if (place.line >= lines.count()) return;
  const T* const from = ends.of(place.lane, place.slow);
  T* const values = lines.at(place.lane, place.slow);
  values[0] = from[0];
  values[(lines.n - 1) * lines.step] = from[ends.share];
}

unsigned blocks_of(std::int64_t lines) {
  return static_cast<unsigned>(divide_up(lines, line_threads));
}
template <class T>
unsigned blocks_of(const PlacesOfLines<T>& lines) {
  return blocks_of(lines.count());
}

}  // namespace

template <class AnyLines>
void eliminate_lines(cudaStream_t stream, const AnyLines& lines, bool ends, typename AnyLines::Value* kept) {
  if (lines.count() == 0) return;
  if (ends)
    launch(lines_kernel<AnyLines, true>, blocks_of(lines), line_threads, stream, lines.between_ends(), kept);
  else
    launch(lines_kernel<AnyLines, false>, blocks_of(lines), line_threads, stream, lines, kept);
}

template <class T>
void eliminate_folded_lines(cudaStream_t stream, const Lines<T>& lines, T* kept) {
  if (lines.count() > 0) launch(folded_lines_kernel<T>, blocks_of(lines), line_threads, stream, lines, kept);
}

template <class T>
void take_mean(cudaStream_t stream, const Lines<T>& lines, const ConstantLine& line) {
  launch(mean_kernel<T>, 1, line_threads, stream, lines, line);
}

template <class AnyLines>
void reduce_lines(cudaStream_t stream, const AnyLines& lines, const SendBuffer<typename AnyLines::Value>& sent) {
  if (lines.count() > 0) launch(reduce_kernel<AnyLines>, blocks_of(lines), line_threads, stream, lines, sent);
}

template <class T>
void solve_ends(cudaStream_t stream, const EndSystems<T>& systems) {
  if (systems.lines > 0) launch(ends_kernel<T>, blocks_of(systems.lines), line_threads, stream, systems);
}

template <class T>
void take_ends(cudaStream_t stream, const PlacesOfLines<T>& lines, const SendBuffer<T>& ends) {
  if (lines.count() > 0) launch(take_ends_kernel<T>, blocks_of(lines), line_threads, stream, lines, ends);
}

template void eliminate_lines(cudaStream_t, const Lines<float>&, bool, float*);
template void eliminate_lines(cudaStream_t, const Lines<double>&, bool, double*);
template void eliminate_folded_lines(cudaStream_t, const Lines<float>&, float*);
template void eliminate_folded_lines(cudaStream_t, const Lines<double>&, double*);
template void take_mean(cudaStream_t, const Lines<float>&, const ConstantLine&);
template void take_mean(cudaStream_t, const Lines<double>&, const ConstantLine&);
template void eliminate_lines(cudaStream_t, const StoredLines<float>&, bool, float*);
template void eliminate_lines(cudaStream_t, const StoredLines<double>&, bool, double*);
template void reduce_lines(cudaStream_t, const Lines<float>&, const SendBuffer<float>&);
template void reduce_lines(cudaStream_t, const Lines<double>&, const SendBuffer<double>&);
template void reduce_lines(cudaStream_t, const StoredLines<float>&, const SendBuffer<float>&);
template void reduce_lines(cudaStream_t, const StoredLines<double>&, const SendBuffer<double>&);
template void solve_ends(cudaStream_t, const EndSystems<float>&);
template void solve_ends(cudaStream_t, const EndSystems<double>&);
template void take_ends(cudaStream_t, const PlacesOfLines<float>&, const SendBuffer<float>&);
template void take_ends(cudaStream_t, const PlacesOfLines<double>&, const SendBuffer<double>&);

}  // namespace poisson::cuda
