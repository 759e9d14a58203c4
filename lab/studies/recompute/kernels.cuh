#pragma once

#include "lab/harness/verify.cuh"
#include "lab/studies/recompute/study.hpp"

namespace poisson::lab::recompute_kernels {

constexpr int block_x = 64, block_y = 4, block_threads = block_x * block_y;

// Returns g at (i, j), which are floating-point numbers: converting integers runs at an eighth of the rate of a
// multiply-add.
template <int steps, class T>
__device__ T evaluated(const CoefficientStart<T>& start, T i, T j) {
  T g = fma(start.of_i, i, fma(start.of_j, j, start.constant));
  constexpr int unroll = steps < 16 ? (steps > 0 ? steps : 1) : 16;
#pragma unroll unroll
  for (int step = 0; step < steps; ++step)
    g = fma(g, static_cast<T>(coefficient_factor), static_cast<T>(coefficient_shift));
  return g;
}

// Sources of entries. All threads of a block call prepare(i, j) with the first point of the block; then row(i, j, e)
// returns the nine entries of a point.

template <class T>
struct Full {
  static constexpr int rows = 2;
  const T* bands[band_count];
  std::int64_t sy;
  __device__ void prepare(int, int) const {}
  __device__ void row(int i, int j, T (&e)[band_count]) const {
#pragma unroll
    for (int b = 0; b < band_count; ++b) e[b] = bands[b][i + j * sy];
  }
};

template <class T>
struct Half {
  static constexpr int rows = 2;
  const T* bands[band_count - centre_band];  // from the centre
  std::int64_t sy;
  __device__ void prepare(int, int) const {}
  __device__ void row(int i, int j, T (&e)[band_count]) const {
#pragma unroll
    for (int b = 0; b < band_count; ++b)
      e[b] = b >= centre_band ? bands[b - centre_band][i + j * sy]
                              // This is the neighbour's entry that points back.
                              : bands[centre_band - b][i + offset_x(b) + (j + offset_y(b)) * sy];
  }
};

// Computes e = w_b g(p) g(p + o_b) from coefficients g(i, j) with any origin.
template <class T, class G>
__device__ void multiply(const G& g, T (&e)[band_count]) {
  constexpr T weights[band_count]{T(recompute_weights[0]), T(recompute_weights[1]), T(recompute_weights[2]),
                                  T(recompute_weights[3]), T(recompute_weights[4]), T(recompute_weights[5]),
                                  T(recompute_weights[6]), T(recompute_weights[7]), T(recompute_weights[8])};
  const T here = g(0, 0);
#pragma unroll
  for (int b = 0; b < band_count; ++b) e[b] = weights[b] * here * g(offset_x(b), offset_y(b));
}

template <class T>
struct Partial {
  static constexpr int rows = 4;
  const T* g;
  std::int64_t sy;
  __device__ void prepare(int, int) const {}
  __device__ void row(int i, int j, T (&e)[band_count]) const {
    multiply([&](int dx, int dy) { return g[i + dx + (j + dy) * sy]; }, e);
  }
};

template <int steps, class T>
struct Fly {
  static constexpr int rows = 1;  // with more, the compiler would share coefficients among them
  CoefficientStart<T> start;
  __device__ void prepare(int, int) const {}
  __device__ void row(int i, int j, T (&e)[band_count]) const {
    const T x = static_cast<T>(i), y = static_cast<T>(j);
    T g[band_count];
#pragma unroll
    for (int b = 0; b < band_count; ++b)
      g[b] = fma(start.of_i, x + offset_x(b), fma(start.of_j, y + offset_y(b), start.constant));
    constexpr int unroll = steps < 8 ? (steps > 0 ? steps : 1) : 8;
#pragma unroll unroll
    for (int step = 0; step < steps; ++step) {
#pragma unroll
      for (int b = 0; b < band_count; ++b)
        g[b] = fma(g[b], static_cast<T>(coefficient_factor), static_cast<T>(coefficient_shift));
    }
    multiply([&](int dx, int dy) { return g[centre_band + dx + 3 * dy]; }, e);
  }
};

template <int steps, class T>
struct Once {
  static constexpr int rows = 4;
  static constexpr int columns = block_x + 2, lines = block_y * rows + 2;
  CoefficientStart<T> start;

  static __device__ T* tile() {
    __shared__ T values[columns * lines];
    return values;
  }
  __device__ void prepare(int i, int j) const {
    constexpr int rounds = (columns * lines + block_threads - 1) / block_threads;
    const int thread = static_cast<int>(threadIdx.y * block_x + threadIdx.x);
#pragma unroll
    for (int round = 0; round < rounds; ++round) {
      const int at = thread + round * block_threads;
      if (at < columns * lines)
        tile()[at] =
            evaluated<steps>(start, static_cast<T>(i - 1 + at % columns), static_cast<T>(j - 1 + at / columns));
    }
    __syncthreads();
  }
  __device__ void row(int, int j, T (&e)[band_count]) const {
    const T* const g = tile() + (j - static_cast<int>(blockIdx.y) * block_y * rows + 1) * columns + threadIdx.x + 1;
    multiply([&](int dx, int dy) { return g[dx + dy * columns]; }, e);
  }
};

// Reads u from memory, where caches serve its neighbours, or from a tile of shared memory.
template <class T>
struct InMemory {
  View<const T> u;
  template <int rows>
  __device__ void prepare(int, int) const {}
  template <int rows>
  __device__ T at(int i, int j) const {
    return u(i, j, 0);
  }
};

template <class T>
struct InTile {
  View<const T> u;
  static constexpr int columns = block_x + 2;
  template <int rows>
  static __device__ T* tile() {
    __shared__ T values[columns * (block_y * rows + 2)];
    return values;
  }
  template <int rows>
  __device__ void prepare(int i, int j) const {
    const int thread = static_cast<int>(threadIdx.y * block_x + threadIdx.x);
#pragma unroll
    for (int at = thread; at < columns * (block_y * rows + 2); at += block_threads) {
      const int k = i - 1 + at % columns, l = j - 1 + at / columns;
      tile<rows>()[at] = k <= u.n[0] && l <= u.n[1] ? u(k, l, 0) : T(0);
    }
    __syncthreads();
  }
  template <int rows>
  __device__ T at(int i, int j) const {
    return tile<rows>()[(j - static_cast<int>(blockIdx.y) * block_y * rows + 1) * columns + i -
                        static_cast<int>(blockIdx.x) * block_x + 1];
  }
};

// All reads precede the first write, so that rows of a column share common values.
template <RecomputeVerb verb, int rows, class T, class U, class Entries>
__device__ void column(const U& u, const View<const T>& f, const View<T>& y, const Entries& entries, int i, int j) {
  constexpr int tile_rows = Entries::rows;
  T result[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    T e[band_count], sum = 0;
    entries.row(i, j + r, e);
#pragma unroll
    for (int b = 0; b < band_count; ++b)
      sum = fma(e[b], u.template at<tile_rows>(i + offset_x(b), j + r + offset_y(b)), sum);
    result[r] = sum;
    if constexpr (verb == RecomputeVerb::jacobi)
      result[r] = u.template at<tile_rows>(i, j + r) +
                  static_cast<T>(jacobi_relaxation) * (f(i, j + r, 0) - sum) / e[centre_band];
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) y(i, j + r, 0) = result[r];
}

template <RecomputeVerb verb, class T, class U, class Entries>
__global__ void __launch_bounds__(block_threads) kernel(U u, View<const T> f, View<T> y, Entries entries) {
  constexpr int rows = Entries::rows;
  const int i0 = static_cast<int>(blockIdx.x) * block_x, j0 = static_cast<int>(blockIdx.y) * block_y * rows;
  entries.prepare(i0, j0);
  u.template prepare<rows>(i0, j0);
  const int i = i0 + static_cast<int>(threadIdx.x), j = j0 + static_cast<int>(threadIdx.y) * rows;
  if (i >= y.n[0]) return;
  if (j + rows <= y.n[1]) {
    column<verb, rows>(u, f, y, entries, i, j);
  } else {
#pragma unroll 1
    for (int row = j; row < y.n[1]; ++row) column<verb, 1>(u, f, y, entries, i, row);
  }
}

template <class T, class U, class Entries>
void launch(RecomputeData& data, RecomputeVerb verb, const U& u, const Entries& entries) {
  const auto blocks = [](int n, int size) { return static_cast<unsigned>((n + size - 1) / size); };
  const dim3 grid(blocks(data.n()[0], block_x), blocks(data.n()[1], block_y * Entries::rows));
  const cudaStream_t stream = stream_of(data.u.backend());
  const View<const T> f = data.f.view<T>();
  const View<T> y = data.y.view<T>();
  if (verb == RecomputeVerb::product)
    kernel<RecomputeVerb::product, T><<<grid, dim3(block_x, block_y), 0, stream>>>(u, f, y, entries);
  else
    kernel<RecomputeVerb::jacobi, T><<<grid, dim3(block_x, block_y), 0, stream>>>(u, f, y, entries);
  cuda::launched(stream);
}

// Calls f with the number of steps as a constant.
template <int... steps, class F>
void with_steps(int wanted, const F& f) {
  [[maybe_unused]] const bool found = ((wanted == steps ? (f.template operator()<steps>(), true) : false) || ...);
}

template <class T>
void apply(RecomputeData& data, EntrySource source, RecomputeVerb verb) {
  const InMemory<T> u{data.u.view<T>()};
  const CoefficientStart<T> start(data.n()[0], data.n()[1]);
  const auto on_fly = [&]<int steps>() {
    source == EntrySource::fly ? launch<T>(data, verb, u, Fly<steps, T>{start})
                               : launch<T>(data, verb, u, Once<steps, T>{start});
  };
  const std::int64_t sy = u.u.sy;
  Full<T> full{{}, sy};
  for (int b = 0; b < band_count; ++b) full.bands[b] = data.bands[static_cast<std::size_t>(b)].view<T>().data;
  switch (source) {
    case EntrySource::full:
      return launch<T>(data, verb, u, full);
    case EntrySource::full_tiled:
      return launch<T>(data, verb, InTile<T>{u.u}, full);
    case EntrySource::half: {
      Half<T> half{{}, sy};
      for (int b = centre_band; b < band_count; ++b) half.bands[b - centre_band] = full.bands[b];
      return launch<T>(data, verb, u, half);
    }
    case EntrySource::partial:
      return launch<T>(data, verb, u, Partial<T>{data.g.view<T>().data, sy});
    case EntrySource::fly:
    case EntrySource::once:
      return with_steps<0, 2, 4, 8, 16, 32, 64, 128, 256>(data.steps, on_fly);
  }
}

extern template void apply<float>(RecomputeData&, EntrySource, RecomputeVerb);
extern template void apply<double>(RecomputeData&, EntrySource, RecomputeVerb);

}  // namespace poisson::lab::recompute_kernels
