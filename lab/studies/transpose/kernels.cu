// The kernels lead from a plain loop to a good transposition, one idea at a time. All use tiles of 32 × 32 elements and
// 32 × 8 threads of four elements each, so that nothing else differs. The padded tile also has other sides and threads.

#include <cstdint>

#include "backends/utilities/cuda/transpose.cuh"
#include "lab/harness/stream.cuh"
#include "lab/studies/transpose/study.hpp"

namespace poisson::lab {
namespace {

constexpr int usual_side = 32, usual_lines = 8;  // threads: side × lines

// Numbers the tiles of all matrices along the rows of the source.
struct Tiles {
  Transposition shape;
  unsigned down, across;

  Tiles(const Transposition& s, int side)
      : shape(s),
        down(static_cast<unsigned>((s.rows + side - 1) / side)),
        across(static_cast<unsigned>((s.columns + side - 1) / side)) {}
  unsigned count() const { return down * across * static_cast<unsigned>(shape.batch); }
};

struct Place {
  unsigned down, across;
};
// Blocks start along the source's rows.
struct AlongRows {
  static __device__ Place place(unsigned tile, unsigned, unsigned across) { return {tile / across, tile % across}; }
};
// Blocks start along diagonals. Concurrent blocks then neither read nor write tiles below each other, which at some
// widths would all belong to one memory partition.
struct AlongDiagonals {
  static __device__ Place place(unsigned tile, unsigned down, unsigned across) {
    const unsigned row = tile % down;
    return {row, (tile / down + row) % across};
  }
};

// A layout of a tile in shared memory with 32 banks maps element (row, column).
struct Plain {
  static constexpr int side = usual_side, pitch = side, lines = usual_lines;
  static __device__ int column(int, int c) { return c; }
};
template <int tile_side, int thread_lines = usual_lines>
struct Padded {
  static constexpr int side = tile_side, pitch = side + 1, lines = thread_lines;
  static __device__ int column(int, int c) { return c; }
};
struct Swizzled {
  static constexpr int side = usual_side, pitch = side, lines = usual_lines;
  static __device__ int column(int r, int c) { return c ^ r; }
};

// Contains the offsets of the source and destination matrices, and the element (row, column) of the tile's corner.
struct Corner {
  std::int64_t from, to, row, column;
};
template <class Order, int side>
__device__ Corner corner(const Tiles& tiles) {
  const unsigned matrix = blockIdx.x / (tiles.down * tiles.across);
  const Place place = Order::place(blockIdx.x % (tiles.down * tiles.across), tiles.down, tiles.across);
  return {matrix * tiles.shape.from_stride, matrix * tiles.shape.to_stride, std::int64_t{place.down} * side,
          std::int64_t{place.across} * side};
}

// Uses no shared memory. Neighbouring threads follow rows of the source or its columns, and store transposed or at the
// source position.
template <class T, bool along_rows, bool transposes>
__global__ void __launch_bounds__(usual_side* usual_lines)
    element_kernel(Tiles tiles, const T* __restrict__ from, T* __restrict__ to) {
  constexpr int side = usual_side, lines = usual_lines;
  const Transposition& s = tiles.shape;
  const Corner at = corner<AlongRows, side>(tiles);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
#pragma unroll
  for (int i = 0; i < side; i += lines) {
    const std::int64_t r = at.row + (along_rows ? y + i : x), c = at.column + (along_rows ? x : y + i);
    if (r >= s.rows || c >= s.columns) continue;
    const std::int64_t source = at.from + r * s.from_pitch + c;
    to[transposes ? at.to + c * s.to_pitch + r : source] = from[source];
  }
}

// Uses shared memory, so that reads and writes both follow rows.
template <class T, class Layout, class Order, bool transposes>
__global__ void __launch_bounds__(Layout::side* Layout::lines)
    tile_kernel(Tiles tiles, const T* __restrict__ from, T* __restrict__ to) {
  constexpr int side = Layout::side, lines = Layout::lines;
  __shared__ T tile[side][Layout::pitch];
  const Transposition& s = tiles.shape;
  const Corner at = corner<Order, side>(tiles);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
#pragma unroll
  for (int i = y; i < side; i += lines)
    if (at.row + i < s.rows && at.column + x < s.columns)
      tile[i][Layout::column(i, x)] = from[at.from + (at.row + i) * s.from_pitch + at.column + x];
  __syncthreads();
#pragma unroll
  for (int i = y; i < side; i += lines) {
    if constexpr (transposes) {
      if (at.column + i < s.columns && at.row + x < s.rows)
        to[at.to + (at.column + i) * s.to_pitch + at.row + x] = tile[x][Layout::column(x, i)];
    } else {
      if (at.row + i < s.rows && at.column + x < s.columns)
        to[at.from + (at.row + i) * s.from_pitch + at.column + x] = tile[i][Layout::column(i, x)];
    }
  }
}

// Contains a kernel for either element size, over tiles of side `side`.
struct Kernels {
  int side, lines;
  void (*four)(Tiles, const std::uint32_t* from, std::uint32_t* to);
  void (*eight)(Tiles, const std::uint64_t* from, std::uint64_t* to);
};
template <bool along_rows, bool transposes>
constexpr Kernels elements{usual_side, usual_lines, element_kernel<std::uint32_t, along_rows, transposes>,
                           element_kernel<std::uint64_t, along_rows, transposes>};
template <class Layout, class Order = AlongRows, bool transposes = true>
constexpr Kernels by_tiles{Layout::side, Layout::lines, tile_kernel<std::uint32_t, Layout, Order, transposes>,
                           tile_kernel<std::uint64_t, Layout, Order, transposes>};

void launch(Backend& backend, const Kernels& kernels, const Transposition& shape, const void* from, void* to) {
  const cudaStream_t stream = stream_of(backend);
  const Tiles tiles(shape, kernels.side);
  const dim3 threads(static_cast<unsigned>(kernels.side), static_cast<unsigned>(kernels.lines));
  if (shape.element == 4)
    kernels.four<<<tiles.count(), threads, 0, stream>>>(tiles, static_cast<const std::uint32_t*>(from),
                                                        static_cast<std::uint32_t*>(to));
  else
    kernels.eight<<<tiles.count(), threads, 0, stream>>>(tiles, static_cast<const std::uint64_t*>(from),
                                                         static_cast<std::uint64_t*>(to));
  cuda::launched(stream);
}

TransposeVariant variant(std::string_view name, const Kernels& kernels, bool transposes = true) {
  return {.name = std::string(name),
          .transposes = transposes,
          .launch = [kernels](Backend& backend, const Transposition& shape, const void* from, void* to) {
            launch(backend, kernels, shape, from, to);
          }};
}

}  // namespace

std::vector<TransposeVariant> gpu_transpose_variants() {
  using namespace transpose_names;
  return {
      variant(naive_read, elements<true, true>),
      variant(naive_write, elements<false, true>),
      variant(copy, elements<true, false>, false),
      variant(strided_copy, elements<false, false>, false),
      variant(tiled, by_tiles<Plain>),
      variant(in_tile_copy, by_tiles<Plain, AlongRows, false>, false),
      variant(padded, by_tiles<Padded<usual_side>>),
      variant(padded_16, by_tiles<Padded<16>>),
      variant(padded_48, by_tiles<Padded<48>>),
      variant(threads_4, by_tiles<Padded<usual_side, 4>>),
      variant(threads_16, by_tiles<Padded<usual_side, 16>>),
      variant(threads_32, by_tiles<Padded<usual_side, 32>>),
      variant(diagonal, by_tiles<Padded<usual_side>, AlongDiagonals>),
      variant(swizzled, by_tiles<Swizzled>),
      {.name = std::string(library), .launch = poisson::transpose},
  };
}

}  // namespace poisson::lab
