#include <array>

#include "lab/harness/verify.cuh"
#include "lab/studies/compute/study.hpp"

namespace poisson::lab {
namespace {

constexpr int block_x = 64, block_y = 4, rows_per_thread = 4, block_threads = block_x * block_y;

template <class T>
struct Entries {
  T weight[5], factor[5], shift;
};

// A thread computes `rows` points of a column. All reads precede the first operation, and the chains of all entries
// advance concurrently.
template <int rows, int steps, class T>
__device__ void column(const View<const T>& x, const View<T>& y, const Entries<T>& by, int i, int j) {
  T middle[rows + 2], entry[rows][5];
#pragma unroll
  for (int r = 0; r < rows + 2; ++r) middle[r] = x(i, j - 1 + r, 0);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    entry[r][1] = x(i - 1, j + r, 0);
    entry[r][2] = x(i + 1, j + r, 0);
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    entry[r][0] = middle[r + 1];
    entry[r][3] = middle[r];
    entry[r][4] = middle[r + 2];
  }
  constexpr int unroll = steps < 16 ? (steps > 0 ? steps : 1) : 16;
#pragma unroll(unroll)
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int d = 0; d < 5; ++d) entry[r][d] = fma(by.factor[d], entry[r][d], by.shift);
    }
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    T sum = 0;
#pragma unroll
    for (int d = 0; d < 5; ++d) sum = fma(by.weight[d], entry[r][d], sum);
    y(i, j + r, 0) = sum;
  }
}

template <int steps, class T>
__global__ void __launch_bounds__(block_threads) stencil_kernel(View<const T> x, View<T> y, Entries<T> by) {
  const int i = static_cast<int>(blockIdx.x * block_x + threadIdx.x);
  const int j = static_cast<int>(blockIdx.y * block_y + threadIdx.y) * rows_per_thread;
  if (i >= x.n[0]) return;
  if (j + rows_per_thread <= x.n[1]) {
    column<rows_per_thread, steps>(x, y, by, i, j);
  } else {
#pragma unroll 1
    for (int row = j; row < x.n[1]; ++row) column<1, steps>(x, y, by, i, row);
  }
}

template <int steps>
void apply(const Field& x, Field& y) {
  dispatch(x.precision(), [&]<class T>(T) {
    Entries<T> by{};
    for (std::size_t d = 0; d < 5; ++d) {
      by.weight[d] = static_cast<T>(stencil_weights[d]);
      by.factor[d] = static_cast<T>(entry_factors[d]);
    }
    by.shift = static_cast<T>(entry_shift);
    const auto blocks = [](int n, int size) { return static_cast<unsigned>((n + size - 1) / size); };
    const dim3 grid(blocks(x.layout().n[0], block_x), blocks(x.layout().n[1], block_y * rows_per_thread));
    const cudaStream_t stream = stream_of(x.backend());
    stencil_kernel<steps, T><<<grid, dim3(block_x, block_y), 0, stream>>>(x.view<T>(), y.view<T>(), by);
    cuda::launched(stream);
  });
}

template <int... steps>
constexpr std::array<ExpensiveStencil, sizeof...(steps)> stencils{{{steps, apply<steps>}...}};

constexpr auto table = stencils<0, 1, 2, 4, 8, 12, 16, 32, 64, 128, 256>;

}  // namespace

std::span<const ExpensiveStencil> expensive_stencils() {
  return table;
}

}  // namespace poisson::lab
