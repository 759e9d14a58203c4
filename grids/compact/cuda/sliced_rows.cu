#include "grids/compact/cuda/sliced_rows.cuh"

namespace poisson::cuda {
namespace {

// Sorts the rows of a window by falling length, rows of equal length by their number, and writes the groups of each
// slice.
__global__ void order_windows(int rows, const std::int64_t* start, std::uint8_t* order, std::int64_t* groups) {
  await_others();
  __shared__ int lengths[window_rows];
  const int own = static_cast<int>(threadIdx.x), window = static_cast<int>(blockIdx.x) * window_rows,
            row = window + own;
  const int length = row < rows ? static_cast<int>(start[row + 1] - start[row]) : -1;
  lengths[own] = length;
  __syncthreads();
  if (row >= rows) return;
  int before = 0;
#pragma unroll 8
  for (int other = 0; other < window_rows; ++other)
    before += lengths[other] > length || (lengths[other] == length && other < own) ? 1 : 0;
  order[window + before] = static_cast<std::uint8_t>(own);
  if (before % slice_rows == 0) groups[(window + before) / slice_rows] = length;
}

// Is the row of a lane.
struct LaneRow {
  std::int64_t first = 0;
  int length = 0;

  __device__ LaneRow(const SlicedView<float>& A, const std::int64_t* start, int slice) {
    const int position = slice * slice_rows + static_cast<int>(threadIdx.x) % 32;
    if (position >= A.rows) return;
    const int row = A.row_at(position);
    first = start[row];
    length = static_cast<int>(start[row + 1] - first);
  }
};

// Contains the smallest place of a group, and whether distances need 32 bits.
struct Reach {
  int base;
  bool wide;
  __device__ Reach(bool here, int place) {
    base = __reduce_min_sync(0xffffffffu, here ? place : 0x7fffffff);
    const int last = __reduce_max_sync(0xffffffffu, here ? place : 0);
    wide = last - base > 0xffff;
  }
};

__device__ int slice_of_warp() {
  return static_cast<int>(blockIdx.x) * (row_threads / 32) + static_cast<int>(threadIdx.x) / 32;
}

// Counts the units of each slice.
__global__ void count_units(SlicedView<float> A, RowPlaces place, const std::int64_t* start, const int* column,
                            std::int64_t* units) {
  await_others();
  const int slice = slice_of_warp();
  if (slice >= A.slices()) return;
  const LaneRow row(A, start, slice);
  const auto width = static_cast<int>(A.first[slice + 1] - A.first[slice]);
  std::int64_t count = 0;
  for (int k = 0; k < width; ++k) {
    const bool here = k < row.length;
    count += Reach(here, here ? static_cast<int>(place(column[row.first + k])) : 0).wide ? 2 : 1;
  }
  if (threadIdx.x % 32 == 0) units[slice] = count;
}

// Lanes without an entry refer to the first place of the group; their values are zero.
__global__ void fill_columns(SlicedView<float> A, RowPlaces place, const std::int64_t* start, const int* column,
                             const std::int64_t* units, int* narrow, int* base, int* unit_of, char* columns) {
  await_others();
  const int slice = slice_of_warp(), lane = static_cast<int>(threadIdx.x) % 32;
  if (slice >= A.slices()) return;
  const LaneRow row(A, start, slice);
  const std::int64_t first = A.first[slice];
  const auto width = static_cast<int>(A.first[slice + 1] - first);
  std::int64_t unit = units[slice];
  if (lane == 0) narrow[slice] = units[slice + 1] - unit == width ? static_cast<int>(unit) : -1;
  for (int k = 0; k < width; ++k) {
    const bool here = k < row.length;
    const int at = here ? static_cast<int>(place(column[row.first + k])) : 0;
    const Reach reach(here, at);
    char* const to = columns + unit * unit_bytes;
    if (reach.wide)
      reinterpret_cast<int*>(to)[lane] = here ? at : reach.base;
    else
      reinterpret_cast<std::uint16_t*>(to)[lane] = static_cast<std::uint16_t>(here ? at - reach.base : 0);
    if (lane == 0) {
      base[first + k] = reach.wide ? -1 : reach.base;
      unit_of[first + k] = static_cast<int>(unit);
    }
    unit += reach.wide ? 2 : 1;
  }
}

template <class T>
__global__ void fill_values(SlicedView<float> A, const std::int64_t* start, const double* value, double factor, T* to) {
  await_others();
  const int slice = slice_of_warp(), lane = static_cast<int>(threadIdx.x) % 32;
  if (slice >= A.slices()) return;
  const LaneRow row(A, start, slice);
  const std::int64_t first = A.first[slice];
  const auto width = static_cast<int>(A.first[slice + 1] - first);
#pragma unroll 4
  for (int k = 0; k < width; ++k)
    to[(first + k) * slice_rows + lane] = k < row.length ? static_cast<T>(factor * value[row.first + k]) : T(0);
}

}  // namespace

SlicedRows make_sliced(DeviceRows& rows, const DeviceMatrix& A) {
  SlicedRows sliced{A.rows, A.entries, 0, RowSpace(A.rows), RowSpace(A.columns), {}, {}, {}, {}, {}, {}};
  const std::int64_t slices = sliced.slices();
  const CsrView view = A.view();
  sliced.order = rows.make<std::uint8_t>(A.rows);
  sliced.first = rows.make<std::int64_t>(slices + 1);
  const auto n = static_cast<int>(A.rows);
  launch(order_windows, DeviceRows::blocks(n, window_rows), window_rows, rows.stream(), n, view.start,
         static_cast<std::uint8_t*>(sliced.order.data()), static_cast<std::int64_t*>(sliced.first.data()));
  sliced.groups = rows.sum_up(sliced.first, slices);
  sliced.narrow = rows.make<int>(slices);
  sliced.base = rows.make<int>(sliced.groups);
  sliced.unit = rows.make<int>(sliced.groups);
  Buffer units = rows.make<std::int64_t>(slices + 1);
  auto* const unit = static_cast<std::int64_t*>(units.data());
  const auto pattern = sliced.view<float>({});
  const RowPlaces place(sliced.column_space);
  const unsigned blocks = DeviceRows::blocks(slices, row_threads / 32);
  launch(count_units, blocks, row_threads, rows.stream(), pattern, place, view.start, view.column, unit);
  const std::int64_t all = rows.sum_up(units, slices);
  sliced.column = rows.make<char>(all * unit_bytes);
  launch(fill_columns, blocks, row_threads, rows.stream(), pattern, place, view.start, view.column,
         static_cast<const std::int64_t*>(unit), static_cast<int*>(sliced.narrow.data()),
         static_cast<int*>(sliced.base.data()), static_cast<int*>(sliced.unit.data()),
         static_cast<char*>(sliced.column.data()));
  return sliced;
}

template <class T>
Buffer make_values(DeviceRows& rows, const SlicedRows& sliced, const DeviceMatrix& A, double factor) {
  Buffer values = rows.make<T>(sliced.groups * slice_rows);
  launch(fill_values<T>, DeviceRows::blocks(sliced.slices(), row_threads / 32), row_threads, rows.stream(),
         sliced.view<float>({}), A.view().start, A.view().value, factor, static_cast<T*>(values.data()));
  return values;
}
template Buffer make_values<float>(DeviceRows&, const SlicedRows&, const DeviceMatrix&, double);
template Buffer make_values<double>(DeviceRows&, const SlicedRows&, const DeviceMatrix&, double);

}  // namespace poisson::cuda
