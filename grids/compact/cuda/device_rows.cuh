#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/memory/round_up.hpp"
#include "grids/compact/block_steps.hpp"
#include "grids/compact/device_matrix.hpp"

namespace poisson::cuda {

inline constexpr int row_threads = 256, scan_values = 8, scan_tile = row_threads * scan_values;
/// Sums have at most this number of partial results.
inline constexpr int most_row_blocks = 2048;

/// Adds a value of every thread of a block in a fixed order; the first thread receives the sum.
template <int threads>
__device__ double sum_of_block(double value) {
  __shared__ double parts[threads / 32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < threads / 32 ? parts[threadIdx.x] : 0;
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  }
  __syncthreads();
  return value;
}

template <class F>
__global__ void __launch_bounds__(row_threads) each_row(std::int64_t n, F f) {
  await_others();
  const std::int64_t i = std::int64_t{blockIdx.x} * row_threads + threadIdx.x;
  if (i < n) f(i);
}
template <class F>
__global__ void __launch_bounds__(row_threads) sum_rows_of(std::int64_t n, F f, double* partial) {
  await_others();
  double sum = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * row_threads + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * row_threads)
    sum += f(i);
  sum = sum_of_block<row_threads>(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}
template <class F>
__global__ void __launch_bounds__(row_threads) most_of_rows(std::int64_t n, F f, double least, double* partial) {
  await_others();
  __shared__ double parts[row_threads / 32];
  double most = least;
  for (std::int64_t i = std::int64_t{blockIdx.x} * row_threads + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * row_threads)
    most = max(most, f(i));
  for (int offset = 16; offset > 0; offset /= 2) most = max(most, __shfl_down_sync(0xffffffffu, most, offset));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = most;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < row_threads / 32; ++w) most = max(most, parts[w]);
  partial[blockIdx.x] = most;
}

/// Returns the sum of the values of preceding threads of a block, and adds the sum of all to `total`.
__device__ inline std::int64_t sum_before(std::int64_t value, std::int64_t& total) {
  __shared__ std::int64_t parts[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  std::int64_t sum = value;
  for (int offset = 1; offset < 32; offset *= 2) {
    const std::int64_t other = __shfl_up_sync(0xffffffffu, sum, offset);
    if (lane >= offset) sum += other;
  }
  if (lane == 31) parts[warp] = sum;
  __syncthreads();
  std::int64_t before = 0, all = 0;
  for (int w = 0; w < warps; ++w) {
    if (w < warp) before += parts[w];
    all += parts[w];
  }
  __syncthreads();
  total += all;
  return before + sum - value;
}
/// Sums the counts of each tile.
template <class Count>
__global__ void __launch_bounds__(row_threads) sum_tiles(std::int64_t n, Count count, std::int64_t* tile) {
  await_others();
  const std::int64_t first = std::int64_t{blockIdx.x} * scan_tile + threadIdx.x * scan_values;
  std::int64_t sum = 0, total = 0;
  for (int v = 0; v < scan_values; ++v)
    if (first + v < n) sum += count(first + v);
  sum_before(sum, total);
  if (threadIdx.x == 0) tile[blockIdx.x] = total;
}
/// Replaces sums of tiles by the sums of preceding tiles, in one block.
__global__ void __launch_bounds__(1024) scan_tiles(std::int64_t tiles, std::int64_t* tile, std::int64_t* all);
/// Calls put(i, count, sum of preceding counts).
template <class Count, class Put>
__global__ void __launch_bounds__(row_threads)
    scan_rows(std::int64_t n, Count count, const std::int64_t* tile, Put put) {
  await_others();
  const std::int64_t first = std::int64_t{blockIdx.x} * scan_tile + threadIdx.x * scan_values;
  std::int64_t own[scan_values], sum = 0, total = 0;
  for (int v = 0; v < scan_values; ++v) {
    own[v] = first + v < n ? count(first + v) : 0;
    sum += own[v];
  }
  std::int64_t before = tile[blockIdx.x] + sum_before(sum, total);
  for (int v = 0; v < scan_values; ++v) {
    if (first + v < n) put(first + v, own[v], before);
    before += own[v];
  }
}

struct ReadCount {
  const std::int64_t* count;
  __device__ std::int64_t operator()(std::int64_t i) const { return count[i]; }
};
struct PutStart {
  std::int64_t* start;
  __device__ void operator()(std::int64_t i, std::int64_t, std::int64_t before) const { start[i] = before; }
};
template <class F>
struct CountKept {
  const int* list;
  F f;
  __device__ std::int64_t operator()(std::int64_t k) const { return f(list[k]) ? 1 : 0; }
};
struct PutKept {
  const int* list;
  int* kept;
  __device__ void operator()(std::int64_t k, std::int64_t keeps, std::int64_t before) const {
    if (keeps) kept[before] = list[k];
  }
};

/// Performs steps for rows on a CUDA device (row_builder.hpp).
class DeviceRows {
 public:
  using Matrix = DeviceMatrix;

  explicit DeviceRows(CudaBackend& backend)
      : backend_(backend), partial_(backend.allocate((most_row_blocks + 1) * sizeof(double))) {}

  CudaBackend& backend() const { return backend_; }
  cudaStream_t stream() const { return backend_.stream(); }
  static unsigned blocks(std::int64_t n, std::int64_t of) {
    return static_cast<unsigned>(std::max<std::int64_t>(1, divide_up(n, of)));
  }

  template <class T>
  Buffer make(std::int64_t n) {
    return backend_.allocate(static_cast<std::size_t>(std::max<std::int64_t>(1, n)) * sizeof(T));
  }
  /// Returns the address of memory as any type.
  struct Address {
    void* data;
    template <class T>
    operator T*() const {
      return static_cast<T*>(data);
    }
  };
  Address at(const Buffer& memory) const { return {memory.data()}; }
  void resize(Matrix& A, std::int64_t rows, std::int64_t columns, std::int64_t entries) {
    A.rows = rows;
    A.columns = columns;
    A.entries = entries;
    A.column = make<int>(entries);
    A.value = make<double>(entries);
  }
  template <class T>
  T value(const Buffer& memory, std::int64_t at) {
    T found{};
    backend_.read(static_cast<const T*>(memory.data()) + at, &found, sizeof found);
    return found;
  }
  template <class F>
  void each(std::int64_t n, const F& f) {
    if (n > 0) launch(each_row<F>, blocks(n, row_threads), row_threads, stream(), n, f);
  }
  template <class F>
  double sum(std::int64_t n, const F& f) {
    const unsigned count = partials(n);
    launch(sum_rows_of<F>, count, row_threads, stream(), n, f, partial());
    double all = 0;
    for (const double part : read_partials(count)) all += part;
    return all;
  }
  template <class F>
  double most(std::int64_t n, const F& f, double least) {
    const unsigned count = partials(n);
    launch(most_of_rows<F>, count, row_threads, stream(), n, f, least, partial());
    return std::ranges::max(read_partials(count));
  }
  std::int64_t sum_up(Buffer& counts, std::int64_t n) {
    auto* const start = static_cast<std::int64_t*>(counts.data());
    scan(n, ReadCount{start}, PutStart{start}, start + n);
    return value<std::int64_t>(counts, n);
  }
  template <class F>
  std::int64_t keep(Buffer& list, std::int64_t n, const F& f) {
    if (n == 0) return 0;
    Buffer kept = make<int>(n);
    const Buffer all = make<std::int64_t>(1);
    const auto* const from = static_cast<const int*>(list.data());
    scan(n, CountKept<F>{from, f}, PutKept{from, static_cast<int*>(kept.data())},
         static_cast<std::int64_t*>(all.data()));
    list = std::move(kept);
    return value<std::int64_t>(all, 0);
  }
  /// Calls put(i, count, sum of preceding counts), and writes the sum of all.
  template <class Count, class Put>
  void scan(std::int64_t n, const Count& count, const Put& put, std::int64_t* all) {
    const std::int64_t tiles = divide_up(n, std::int64_t{scan_tile});
    const Buffer tile = make<std::int64_t>(tiles);
    auto* const sums = static_cast<std::int64_t*>(tile.data());
    if (n > 0) launch(sum_tiles<Count>, blocks(n, scan_tile), row_threads, stream(), n, count, sums);
    launch(scan_tiles, 1, 1024, stream(), tiles, sums, all);
    if (n > 0) launch(scan_rows<Count, Put>, blocks(n, scan_tile), row_threads, stream(), n, count, sums, put);
  }

 private:
  static unsigned partials(std::int64_t n) { return std::min<unsigned>(most_row_blocks, blocks(n, 4 * row_threads)); }
  double* partial() const { return static_cast<double*>(partial_.data()); }
  std::vector<double> read_partials(unsigned count) {
    std::vector<double> parts(count);
    backend_.read(partial(), parts.data(), count * sizeof(double));
    return parts;
  }

  CudaBackend& backend_;
  Buffer partial_;
};

/// Inverts the diagonal blocks of lists of rows, one warp for each list.
void invert_blocks(DeviceRows& rows, std::int64_t lists, const BlockInverse& step);

/// Is thrown if a row has more entries than the tables of a GPU hold: the host computes such levels.
struct TooDense {};

/// Returns Aᵀ, and at `places` the place in A of each of its entries, if there are at most 2³¹. Throws TooDense if a
/// row is too long for the device.
DeviceMatrix transpose(DeviceRows& rows, const DeviceMatrix& A, Buffer* places = nullptr);
/// Owns rows that may lie anywhere in memory, with columns in any order.
struct LooseRows {
  std::int64_t rows = 0, columns = 0, entries = 0;
  Buffer first, end;  ///< int64 of each row
  Buffer column, value;
};
/// Returns A B. `likely` is the number of entries that is allocated at first. Throws TooDense if a row is too long for
/// the device.
LooseRows loose_product(DeviceRows& rows, const DeviceMatrix& A, const DeviceMatrix& B, std::int64_t likely);
LooseRows loose_product(DeviceRows& rows, const DeviceMatrix& A, const LooseRows& B, std::int64_t likely);
/// Computes the values of C = A B, whose pattern is known. Throws TooDense like loose_product.
void update_product(DeviceRows& rows, const DeviceMatrix& A, const LooseRows& B, DeviceMatrix& C);
/// Computes the values of T = Aᵀ, whose pattern is known. `places` are those of transpose(), or empty.
void update_transpose(DeviceRows& rows, const DeviceMatrix& A, const Buffer& places, DeviceMatrix& T);
/// Returns the rows with rising columns.
DeviceMatrix sorted(DeviceRows& rows, const LooseRows& loose);
/// Copies a matrix to the device.
DeviceMatrix to_device(DeviceRows& rows, const CsrView& A);

}  // namespace poisson::cuda
