#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <cuda_runtime.h>

#include "backends/cuda/check.cuh"
#include "backends/cuda/words.cuh"
#include "backends/memory/round_up.hpp"
#include "backends/utilities/transpose.hpp"

namespace poisson::cuda {

/// Describes how a transposition divides a matrix: into tiles of `rows` rows and `columns` columns of the source. A
/// block of `threads` threads moves each tile. All three are powers of two. `streaming`: loads and stores carry a hint
/// that their data need not stay in the caches.
template <int rows_, int columns_, int threads_, bool streaming_ = false>
struct TileShape {
  static constexpr int rows = rows_, columns = columns_, threads = threads_;
  static constexpr bool streaming = streaming_;
};

namespace detail {

template <bool streaming, class W>
__device__ W load(const W* from) {
  if constexpr (streaming) return __ldcs(from);
  return *from;
}
template <bool streaming, class W>
__device__ void store(W word, W* to) {
  if constexpr (streaming)
    __stcs(to, word);
  else
    *to = word;
}

/// Contains the kernel's arguments. The tiles of a matrix are numbered down before across, so blocks that run together
/// write long pieces of few destination rows. (Measured on an H200 at 4000² to 32768²: the other order, and groups of 1
/// to 256 rows of tiles, are up to 8 % slower.)
struct TiledMatrices {
  std::int64_t rows, columns, from_pitch, to_pitch, from_stride, to_stride;
  unsigned down, across;  ///< tiles per matrix

  struct Place {
    unsigned matrix, row, column;
  };
  __device__ Place place(unsigned tile) const {
    const unsigned matrix = tile / (down * across), in_matrix = tile % (down * across);
    return {matrix, in_matrix % down, in_matrix / down};
  }
};

/// Moves one tile. A thread processes units of n × n elements, n to a word. It loads n words of n source rows,
/// transposes them in registers, and passes n words of n destination rows through shared memory. A thread issues all
/// its loads before it stores anything, which keeps enough bytes in flight.
template <class Element, int n, class TileShape>
class TileMover {
  static constexpr int down = TileShape::rows / n, across = TileShape::columns / n;  // in units
  static constexpr int units = down * across / TileShape::threads;                   // per thread
  // Rows of units that the block reads together, and columns of units that it writes together.
  static constexpr int lines_read = TileShape::threads / across, lines_written = TileShape::threads / down;
  static_assert(units > 0 && lines_read > 0 && lines_written > 0, "threads share the units equally");
  static constexpr int word = n * static_cast<int>(sizeof(Element));
  using Words = Word<word>;
  using Elements = Pack<Element, n>;

 public:
  using Tile = Words[TileShape::columns][down];
  static_assert(sizeof(Tile) <= 48 * 1024, "static shared memory");

  /// Moves the tile. `full`: the tile lies inside the matrix; otherwise height × width elements of it do.
  template <bool full>
  static __device__ void move(Tile& tile, const Element* from, std::int64_t from_pitch, Element* to,
                              std::int64_t to_pitch, int height, int width) {
    const int thread = static_cast<int>(threadIdx.x);
    const int i0 = thread / across, j0 = thread % across;  // first unit to read; the others are below it
    Elements loaded[units][n] = {};
    from += i0 * n * from_pitch + j0 * n;
#pragma unroll
    for (int u = 0; u < units; ++u) {
#pragma unroll
      for (int m = 0; m < n; ++m)
        if (full || ((i0 + u * lines_read) * n + m < height && j0 * n < width))
          loaded[u][m] = std::bit_cast<Elements>(
              load<TileShape::streaming>(reinterpret_cast<const Words*>(from + m * from_pitch)));
      from += lines_read * n * from_pitch;
    }
#pragma unroll
    for (int u = 0; u < units; ++u)
#pragma unroll
      for (int k = 0; k < n; ++k) {
        Elements column;
#pragma unroll
        for (int m = 0; m < n; ++m) column.value[m] = loaded[u][m].value[k];
        tile[j0 * n + k][swizzled(i0 + u * lines_read, j0)] = std::bit_cast<Words>(column);
      }
    __syncthreads();
    const int i1 = thread % down, j1 = thread / down;  // first unit to write; the others are right of it
    to += j1 * n * to_pitch + i1 * n;
#pragma unroll
    for (int u = 0; u < units; ++u) {
      const int j = j1 + u * lines_written;
#pragma unroll
      for (int k = 0; k < n; ++k)
        if (full || (j * n + k < width && i1 * n < height))
          store<TileShape::streaming>(tile[j * n + k][swizzled(i1, j)], reinterpret_cast<Words*>(to + k * to_pitch));
      to += lines_written * n * to_pitch;
    }
  }

 private:
  /// Returns the place of the word of unit (i, j) in its row of the tile. Shared memory serves 128 bytes at a time.
  /// Neighbouring threads write neighbouring j, whose rows are a multiple of 128 bytes apart; the exclusive or spreads
  /// them over all banks. Neighbouring threads read neighbouring i of one j, and these remain a permutation of each
  /// other.
  static __device__ int swizzled(int i, int j) {
    constexpr int together = 128 / word;
    constexpr int spread = together > across ? together / across : 1;
    return i ^ (j * spread % down);
  }
};

/// Returns the threads that must fit on a multiprocessor together. A thread keeps its share of the tile in registers,
/// which limits their number. Loads of 64 KB in flight cover bandwidth times latency of a multiprocessor's memory
/// accesses (about 40 KB on an H200).
template <class Element, class TileShape>
constexpr int resident_threads() {
  constexpr int share =
      TileShape::rows * TileShape::columns / TileShape::threads * static_cast<int>(sizeof(Element));  // in bytes
  return share <= 128 ? 1024 : 512;
}

template <class Element, int n, class TileShape>
__global__ void __launch_bounds__(TileShape::threads, resident_threads<Element, TileShape>() / TileShape::threads)
    transpose_kernel(TiledMatrices m, const Element* __restrict__ from, Element* __restrict__ to) {
  using Mover = TileMover<Element, n, TileShape>;
  __shared__ typename Mover::Tile tile;
  const auto [matrix, down, across] = m.place(blockIdx.x);
  const std::int64_t row = std::int64_t{down} * TileShape::rows, column = std::int64_t{across} * TileShape::columns;
  const int height = static_cast<int>(min(m.rows - row, std::int64_t{TileShape::rows}));
  const int width = static_cast<int>(min(m.columns - column, std::int64_t{TileShape::columns}));
  from += matrix * m.from_stride + row * m.from_pitch + column;
  to += matrix * m.to_stride + column * m.to_pitch + row;
  if (height == TileShape::rows && width == TileShape::columns)
    Mover::template move<true>(tile, from, m.from_pitch, to, m.to_pitch, height, width);
  else
    Mover::template move<false>(tile, from, m.from_pitch, to, m.to_pitch, height, width);
}

template <class Element, int n, class TileShape>
void launch_tiles(cudaStream_t stream, const Transposition& s, const void* from, void* to) {
  const auto tiles = [](std::int64_t extent, int size) { return static_cast<unsigned>(divide_up(extent, size)); };
  TiledMatrices m{s.rows, s.columns, s.from_pitch, s.to_pitch, s.from_stride, s.to_stride, 0, 0};
  m.down = tiles(s.rows, TileShape::rows);
  m.across = tiles(s.columns, TileShape::columns);
  constexpr std::int64_t most_blocks = 0x7fffffff;
  const std::int64_t of_matrix = std::int64_t{m.down} * m.across;
  const std::int64_t matrices = std::max<std::int64_t>(1, most_blocks / of_matrix);  // matrices per launch
  for (std::int64_t first = 0; first < s.batch; first += matrices) {
    const auto blocks = static_cast<unsigned>(std::min(matrices, s.batch - first) * of_matrix);
    transpose_kernel<Element, n, TileShape><<<blocks, TileShape::threads, 0, stream>>>(
        m, static_cast<const Element*>(from) + first * s.from_stride, static_cast<Element*>(to) + first * s.to_stride);
    launched(stream);
  }
}

}  // namespace detail

/// Returns whether every row can be moved in words of n elements: all rows begin at multiples of a word and consist of
/// entire words.
inline bool moves_in_words(const Transposition& s, const void* from, const void* to, int n) {
  const auto address = reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
  std::int64_t lengths = s.rows | s.columns | s.from_pitch | s.to_pitch;
  if (s.batch > 1) lengths |= s.from_stride | s.to_stride;
  return address % (static_cast<std::size_t>(n) * s.element) == 0 && lengths % n == 0;
}

/// Calls f<n>() with the elements of the widest words that the alignment permits, up to 16 bytes.
template <class Element, class F>
void in_widest_words(const Transposition& shape, const void* from, const void* to, const F& f) {
  constexpr int widest = 16 / static_cast<int>(sizeof(Element));
  if constexpr (widest >= 4)
    if (moves_in_words(shape, from, to, 4)) return f.template operator()<4>();
  if constexpr (widest >= 2)
    if (moves_in_words(shape, from, to, 2)) return f.template operator()<2>();
  f.template operator()<1>();
}

/// Transposes with one shape of tiles.
template <class TileShape, class Element>
void transpose_tiled(cudaStream_t stream, const Transposition& shape, const void* from, void* to) {
  in_widest_words<Element>(shape, from, to,
                           [&]<int n>() { detail::launch_tiles<Element, n, TileShape>(stream, shape, from, to); });
}

}  // namespace poisson::cuda
