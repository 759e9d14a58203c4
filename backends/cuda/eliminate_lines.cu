#include "backends/cuda/eliminate_lines.hpp"
#include "backends/cuda/inverse.cuh"
#include "backends/cuda/launch.cuh"

namespace poisson::cuda {
namespace {

// So many values of a line are at hand at a time, and what elimination needs of one is kept between.
constexpr int segment = 8;
constexpr int line_threads = 128, line_blocks = 6;

// As the formulas take it.
struct Inverse {
  template <class T>
  __device__ T operator()(T x) const {
    return inverse_of(x);
  }
};

// The line of a thread.
struct Place {
  std::int64_t line;
  int lane, slow;

  template <class T>
  __device__ explicit Place(const PlacesOfLines<T>& lines)
      : line(std::int64_t{blockIdx.x} * line_threads + threadIdx.x),
        lane(static_cast<int>(line % lines.lanes)),
        slow(static_cast<int>(line / lines.lanes)) {}
};

// A line for each thread: elimination without cancellation (cpu/eliminate_lines.cpp) writes over the values, and keeps
// of the pivots what the way back begins a segment with, from where it works them out once more.
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

  // Of the row before: pivot but for its coupling, coupling over pivot, value.
  T left = ends ? 1 : 0, gain = ends ? lines.onwards(-1, own) : T(0), before = ends ? at[-step] : T(0);
  for (int s = 0; s < segments; ++s) {
    T* const here = at + s * segment * step;
    const int first = s * segment, many = min(segment, n - first);
    kept[s * count + line] = gain * left;
    T value[segment];
#pragma unroll
    for (int m = 0; m < segment; ++m) value[m] = m < many ? here[m * step] : T(0);
#pragma unroll
    for (int m = 0; m < segment; ++m)
      if (m < many) {
        const T onwards = lines.onwards(first + m, own);
        left = lines.row(first + m, own) + gain * left;
        value[m] += gain * before;
        gain = onwards * inverse_of(left + onwards);
        before = value[m];
      }
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
      if (m < many) {
        const T onwards = lines.onwards(first + m, own);
        const T remains = lines.row(first + m, own) + passed;
        const T inverse = inverse_of(remains + onwards);
        gains[m] = onwards * inverse;
        passed = gains[m] * remains;
        value[m] *= inverse;
      }
#pragma unroll
    for (int m = segment - 1; m >= 0; --m)
      if (m < many) {
        after = value[m] + gains[m] * after;
        here[m * step] = after;
      }
  }
}

// A block for one line, and sums in an order of their own.
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
    sum += weight * static_cast<double>(values[k * lines.step]);
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
  for (int k = thread; k < line.rows; k += line_threads) values[k * lines.step] -= mean;
}

template <class AnyLines>
__global__ void __launch_bounds__(line_threads)
    reduce_kernel(const __grid_constant__ AnyLines lines, const __grid_constant__ Told<typename AnyLines::Value> told) {
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
  told_of(line, lines.onwards(lines.n - 1, own),
          [&](int number, T value) { told(place.lane, place.slow, number) = value; });
}

template <class AnyLines>
__global__ void __launch_bounds__(line_threads)
    ends_kernel(const __grid_constant__ AnyLines lines, const __grid_constant__ Told<typename AnyLines::Value> told,
                int parts, int part) {
  using T = typename AnyLines::Value;
  await_others();
  const Place place(lines);
  if (place.line >= lines.count()) return;
  const EndValues<T> ends = end_values(&told(place.lane, place.slow, 0), told.number, parts, part, Inverse());
  T* const values = lines.at(place.lane, place.slow);
  values[0] = ends.first;
  values[(lines.n - 1) * lines.step] = ends.last;
}

template <class T>
unsigned blocks_of(const PlacesOfLines<T>& lines) {
  return static_cast<unsigned>((lines.count() + line_threads - 1) / line_threads);
}

}  // namespace

std::size_t kept_of_lines(int n, std::int64_t lines) {
  return static_cast<std::size_t>((n + segment - 1) / segment * lines);
}

template <class AnyLines>
void eliminate_lines(cudaStream_t stream, const AnyLines& lines, bool ends, typename AnyLines::Value* kept) {
  if (lines.count() == 0) return;
  if (ends)
    launch(lines_kernel<AnyLines, true>, blocks_of(lines), line_threads, stream, lines.between_ends(), kept);
  else
    launch(lines_kernel<AnyLines, false>, blocks_of(lines), line_threads, stream, lines, kept);
}

template <class T>
void take_mean(cudaStream_t stream, const Lines<T>& lines, const ConstantLine& line) {
  launch(mean_kernel<T>, 1, line_threads, stream, lines, line);
}

template <class AnyLines>
void reduce_lines(cudaStream_t stream, const AnyLines& lines, const Told<typename AnyLines::Value>& told) {
  if (lines.count() > 0) launch(reduce_kernel<AnyLines>, blocks_of(lines), line_threads, stream, lines, told);
}

template <class AnyLines>
void solve_ends_of_lines(cudaStream_t stream, const AnyLines& lines, const Told<typename AnyLines::Value>& told,
                         int parts, int part) {
  if (lines.count() > 0)
    launch(ends_kernel<AnyLines>, blocks_of(lines), line_threads, stream, lines, told, parts, part);
}

template void eliminate_lines(cudaStream_t, const Lines<float>&, bool, float*);
template void eliminate_lines(cudaStream_t, const Lines<double>&, bool, double*);
template void take_mean(cudaStream_t, const Lines<float>&, const ConstantLine&);
template void take_mean(cudaStream_t, const Lines<double>&, const ConstantLine&);
template void eliminate_lines(cudaStream_t, const HeldLines<float>&, bool, float*);
template void eliminate_lines(cudaStream_t, const HeldLines<double>&, bool, double*);
template void reduce_lines(cudaStream_t, const Lines<float>&, const Told<float>&);
template void reduce_lines(cudaStream_t, const Lines<double>&, const Told<double>&);
template void reduce_lines(cudaStream_t, const HeldLines<float>&, const Told<float>&);
template void reduce_lines(cudaStream_t, const HeldLines<double>&, const Told<double>&);
template void solve_ends_of_lines(cudaStream_t, const Lines<float>&, const Told<float>&, int, int);
template void solve_ends_of_lines(cudaStream_t, const Lines<double>&, const Told<double>&, int, int);
template void solve_ends_of_lines(cudaStream_t, const HeldLines<float>&, const Told<float>&, int, int);
template void solve_ends_of_lines(cudaStream_t, const HeldLines<double>&, const Told<double>&, int, int);

}  // namespace poisson::cuda
