#pragma once

#include <type_traits>

#include "backends/memory/division.hpp"
#include "grids/compact/cuda/device_rows.cuh"
#include "grids/compact/row_space.hpp"

namespace poisson::cuda {

/// Returns the offset of a row in a field (RowSpace::place).
struct RowPlaces {
  Division line;
  int gap = 0;

  explicit RowPlaces(const RowSpace& space)
      : line(static_cast<int>(space.length())),
        gap(static_cast<int>(space.lines() > 1 ? space.place(space.length()) - space.length() : 0)) {}
  __device__ std::int64_t operator()(int row) const { return std::int64_t{row} + std::int64_t{line(row)} * gap; }
};

/// Sorts the rows of each window by their length, and multiplies slices of 32 rows.
inline constexpr int window_rows = 256, slice_rows = 32, slice_warps = 8;

/// Group k of a slice contains entry k of its rows. Its base is the smallest place of their columns, and the 16-bit
/// distances from the base are a unit of the columns. If distances are larger, the base is −1 and two units contain the
/// places themselves.
inline constexpr int unit_bytes = 64;

/// Refers to rows in slices, whose values have type T.
template <class T>
struct SlicedView {
  int rows;
  const std::uint8_t* order;  ///< row − window of each position
  const std::int64_t* first;  ///< group of each slice; slices + 1
  const int* narrow;          ///< of each slice: the unit of group 0 if all groups have one unit, else −1
  const int *base, *unit;     ///< of each group
  const char* column;
  const T* value;  ///< 32 of each group
  RowPlaces place;

  __device__ int slices() const { return (rows + slice_rows - 1) / slice_rows; }
  __device__ int row_at(int position) const { return position / window_rows * window_rows + order[position]; }
  /// Multiplies every `parts`-th group of a slice, from number `part`: the share of this lane's row.
  template <int parts>
  __device__ T multiply(int slice, int part, const T* u) const {
    const int own_unit = narrow[slice];
    const std::int64_t begin = first[slice];
    const int width = static_cast<int>(first[slice + 1] - begin);
    return own_unit >= 0 ? multiply_narrow<parts>(begin, own_unit, width, part, u)
                         : multiply_any<parts>(begin, width, part, u);
  }

 private:
  // Loads several groups before it needs them. The number of groups is the same for all lanes.
  template <int parts>
  __device__ T multiply_narrow(std::int64_t begin, int first_unit, int width, int part, const T* u) const {
    constexpr int ahead = 8;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const T* const values = value + begin * slice_rows + lane;
    const auto* const distance =
        reinterpret_cast<const std::uint16_t*>(column) + std::int64_t{first_unit} * slice_rows + lane;
    const int* const bases = base + begin;
    T sum = 0;
    for (int g0 = part; g0 < width; g0 += ahead * parts) {
      T factor[ahead];
      int at[ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        const int g = g0 + k * parts;
        if (g >= width) continue;
        factor[k] = __ldcs(values + std::int64_t{g} * slice_rows);
        at[k] = __ldg(bases + g) + __ldcs(distance + std::int64_t{g} * slice_rows);
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k)
        if (g0 + k * parts < width) sum += factor[k] * u[at[k]];
    }
    return sum;
  }
  template <int parts>
  __device__ T multiply_any(std::int64_t begin, int width, int part, const T* u) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    T sum = 0;
#pragma unroll 4
    for (int g = part; g < width; g += parts) {
      const int from = base[begin + g];
      const char* const columns = column + std::int64_t{unit[begin + g]} * unit_bytes;
      const int at = from >= 0 ? from + reinterpret_cast<const std::uint16_t*>(columns)[lane]
                               : reinterpret_cast<const int*>(columns)[lane];
      sum += value[(begin + g) * slice_rows + lane] * u[at];
    }
    return sum;
  }
};

/// Owns the pattern of compact rows in slices, for values of any precision.
struct SlicedRows {
  std::int64_t rows = 0, entries = 0, groups = 0;
  RowSpace row_space, column_space;
  Buffer order, first, narrow, base, unit, column;

  std::int64_t slices() const { return divide_up(rows, std::int64_t{slice_rows}); }
  std::size_t bytes() const {
    return order.bytes() + first.bytes() + narrow.bytes() + base.bytes() + unit.bytes() + column.bytes();
  }
  template <class T>
  SlicedView<T> view(const Buffer& values) const {
    return {static_cast<int>(rows),
            static_cast<const std::uint8_t*>(order.data()),
            static_cast<const std::int64_t*>(first.data()),
            static_cast<const int*>(narrow.data()),
            static_cast<const int*>(base.data()),
            static_cast<const int*>(unit.data()),
            static_cast<const char*>(column.data()),
            static_cast<const T*>(values.data()),
            RowPlaces(row_space)};
  }
  /// Returns the warps that share a slice, so that small levels occupy the device.
  int parts() const {
    const double width = static_cast<double>(groups) / static_cast<double>(std::max<std::int64_t>(1, slices()));
    int parts = 1;
    while (parts < slice_warps && slices() * parts < 8192 && width >= 4 * parts) parts *= 2;
    return parts;
  }
  unsigned blocks() const { return DeviceRows::blocks(slices() * parts(), slice_warps); }
};

/// Arranges the pattern of a matrix in slices.
SlicedRows make_sliced(DeviceRows& rows, const DeviceMatrix& A);
/// Returns the values of a matrix times a factor, in the order of slices.
template <class T>
Buffer make_values(DeviceRows& rows, const SlicedRows& sliced, const DeviceMatrix& A, double factor);

/// Computes A u and calls end(row, place, product). If it returns numbers, their sums by block are stored.
template <int parts, class T, class End>
__global__ void __launch_bounds__(slice_warps * 32, sizeof(T) == 4 ? 6 : 4)
    multiply_slices(SlicedView<T> A, const T* u, End end, double* partial) {
  await_others();
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32, part = warp % parts;
  const int slice = static_cast<int>(blockIdx.x) * (slice_warps / parts) + warp / parts;
  T sum = 0;
  if (slice < A.slices()) sum = A.template multiply<parts>(slice, part, u);
  if constexpr (parts > 1) {
    __shared__ T sums[slice_warps][32];
    sums[warp][lane] = sum;
    __syncthreads();
    if (part == 0)
      for (int p = 1; p < parts; ++p) sum += sums[warp + p][lane];
  }
  const int position = slice * slice_rows + lane;
  const bool here = part == 0 && slice < A.slices() && position < A.rows;
  if constexpr (std::is_void_v<decltype(end(0, std::int64_t{0}, sum))>) {
    if (!here) return;
    const int row = A.row_at(position);
    end(row, A.place(row), sum);
  } else {
    double own = 0;
    if (here) {
      const int row = A.row_at(position);
      own = end(row, A.place(row), sum);
    }
    own = sum_of_block<slice_warps * 32>(own);
    if (threadIdx.x == 0) partial[blockIdx.x] = own;
  }
}

/// Adds partial sums in a fixed order and calls put(sum).
template <class Put>
__global__ void __launch_bounds__(1024) add_partials(const double* partial, std::int64_t n, Put put) {
  await_others();
  double sum = 0;
  for (std::int64_t k = threadIdx.x; k < n; k += 1024) sum += partial[k];
  sum = sum_of_block<1024>(sum);
  if (threadIdx.x == 0) put(sum);
}

template <class T, class End>
void multiply(CudaBackend& backend, const SlicedRows& rows, const Buffer& values, const T* u, const End& end,
              double* partial = nullptr) {
  if (rows.rows == 0) return;
  const SlicedView<T> view = rows.view<T>(values);
  const auto go = [&](auto* kernel) {
    launch(kernel, rows.blocks(), slice_warps * 32, backend.stream(), view, u, end, partial);
  };
  switch (rows.parts()) {
    case 1:
      return go(multiply_slices<1, T, End>);
    case 2:
      return go(multiply_slices<2, T, End>);
    case 4:
      return go(multiply_slices<4, T, End>);
    default:
      return go(multiply_slices<8, T, End>);
  }
}

/// Calls f(row, place) for all rows; the second kernel sums what it returns.
template <class F>
__global__ void __launch_bounds__(row_threads) visit_rows(int rows, RowPlaces place, F f) {
  await_others();
  const int row = static_cast<int>(blockIdx.x) * row_threads + static_cast<int>(threadIdx.x);
  if (row < rows) f(row, place(row));
}
template <class F>
__global__ void __launch_bounds__(row_threads) sum_visited(int rows, RowPlaces place, F f, double* partial) {
  await_others();
  const int row = static_cast<int>(blockIdx.x) * row_threads + static_cast<int>(threadIdx.x);
  const double sum = sum_of_block<row_threads>(row < rows ? f(row, place(row)) : 0);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

}  // namespace poisson::cuda
