// The steps from a plain loop to a good transposition, each one idea further. All work on tiles of 32 × 32 elements
// with 32 × 8 threads of four elements each, so that nothing else differs.

#include <cstdint>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/utilities/cuda/transpose.cuh"
#include "lab/studies/transpose/study.hpp"

namespace poisson::lab {
namespace {

constexpr int side = 32, lines = 8;  // threads: side × lines

// Numbers the tiles of all matrices along the rows of the source.
struct Tiles {
  Transposition shape;
  unsigned down, across;

  explicit Tiles(const Transposition& s)
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
// Blocks start along diagonals: at one time neither the tiles that are read nor those that are written lie under each
// other, where with some widths they would all belong to one memory partition.
struct AlongDiagonals {
  static __device__ Place place(unsigned tile, unsigned down, unsigned across) {
    const unsigned row = tile % down;
    return {row, (tile / down + row) % across};
  }
};

// How a tile lies in shared memory, of 32 banks: element (row, column).
struct Plain {
  static constexpr int pitch = side;
  static __device__ int column(int, int c) { return c; }
};
struct Padded {
  static constexpr int pitch = side + 1;
  static __device__ int column(int, int c) { return c; }
};
struct Swizzled {
  static constexpr int pitch = side;
  static __device__ int column(int r, int c) { return c ^ r; }
};

// The source's and destination's matrix and element (row, column) of the tile's corner.
struct Corner {
  std::int64_t from, to, row, column;
};
template <class Order>
__device__ Corner corner(const Tiles& tiles) {
  const unsigned matrix = blockIdx.x / (tiles.down * tiles.across);
  const Place place = Order::place(blockIdx.x % (tiles.down * tiles.across), tiles.down, tiles.across);
  return {matrix * tiles.shape.from_stride, matrix * tiles.shape.to_stride, std::int64_t{place.down} * side,
          std::int64_t{place.across} * side};
}

// No shared memory. Neighbouring threads lie along rows of the source or along its columns, and store transposed or
// where they loaded.
template <class T, bool along_rows, bool transposes>
__global__ void __launch_bounds__(side* lines)
    element_kernel(Tiles tiles, const T* __restrict__ from, T* __restrict__ to) {
  const Transposition& s = tiles.shape;
  const Corner at = corner<AlongRows>(tiles);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
#pragma unroll
  for (int i = 0; i < side; i += lines) {
    const std::int64_t r = at.row + (along_rows ? y + i : x), c = at.column + (along_rows ? x : y + i);
    if (r >= s.rows || c >= s.columns) continue;
    const std::int64_t source = at.from + r * s.from_pitch + c;
    to[transposes ? at.to + c * s.to_pitch + r : source] = from[source];
  }
}

// By way of shared memory: rows are read along rows and written along rows.
template <class T, class Layout, class Order, bool transposes>
__global__ void __launch_bounds__(side* lines)
    tile_kernel(Tiles tiles, const T* __restrict__ from, T* __restrict__ to) {
  __shared__ T tile[side][Layout::pitch];
  const Transposition& s = tiles.shape;
  const Corner at = corner<Order>(tiles);
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

// Launches kernel(T{}), the kernel for elements of type T.
template <class Kernel>
void launch(Backend& backend, const Transposition& shape, const void* from, void* to, const Kernel& kernel) {
  const cudaStream_t stream = static_cast<cuda::CudaBackend&>(backend).stream();
  const Tiles tiles(shape);
  const auto go = [&]<class T>(T type) {
    kernel(type)<<<tiles.count(), dim3(side, lines), 0, stream>>>(tiles, static_cast<const T*>(from),
                                                                  static_cast<T*>(to));
    cuda::launched(stream);
  };
  if (shape.element == 4)
    go(std::uint32_t{});
  else
    go(std::uint64_t{});
}

template <bool along_rows, bool transposes>
void elements(Backend& backend, const Transposition& shape, const void* from, void* to) {
  launch(backend, shape, from, to, []<class T>(T) { return element_kernel<T, along_rows, transposes>; });
}

template <class Layout, class Order = AlongRows, bool transposes = true>
void by_tiles(Backend& backend, const Transposition& shape, const void* from, void* to) {
  launch(backend, shape, from, to, []<class T>(T) { return tile_kernel<T, Layout, Order, transposes>; });
}

TransposeVariant variant(std::string_view name, TransposeVariant::Launch launch, bool transposes = true) {
  return {.name = std::string(name), .transposes = transposes, .launch = std::move(launch)};
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
      variant(padded, by_tiles<Padded>),
      variant(diagonal, by_tiles<Padded, AlongDiagonals>),
      variant(swizzled, by_tiles<Swizzled>),
      variant(library, poisson::transpose),
  };
}

}  // namespace poisson::lab
