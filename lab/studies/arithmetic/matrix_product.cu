#include <array>

#include "lab/harness/verify.cuh"
#include "lab/studies/arithmetic/kernels.hpp"

namespace poisson::lab {
namespace {

// Every thread reads a row of A and a column of B from global memory or its caches.
__global__ void __launch_bounds__(256) plain_kernel(int n, const float* a, const float* b, float* c) {
  const int j = static_cast<int>(blockIdx.x * 32 + threadIdx.x), i = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  if (i >= n || j >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum = fmaf(a[std::int64_t{i} * n + k], b[std::int64_t{k} * n + j], sum);
  c[std::int64_t{i} * n + j] = sum;
}

void plain(Backend& backend, int n, const float* a, const float* b, float* c) {
  const cudaStream_t stream = stream_of(backend);
  const auto blocks = [n](int size) { return static_cast<unsigned>((n + size - 1) / size); };
  plain_kernel<<<dim3(blocks(32), blocks(8)), dim3(32, 8), 0, stream>>>(n, a, b, c);
  cuda::launched(stream);
}

// A block computes a tile of C from tiles of A and B in shared memory, with zeros beyond the matrices. A thread
// computes `rows` values, tile/rows lines apart, which share their factor from B.
template <int tile, int rows, bool unrolled>
__global__ void __launch_bounds__((tile * tile) / rows) tiled_kernel(int n, const float* a, const float* b, float* c) {
  constexpr int lines = tile / rows, steps = unrolled ? tile : 1;
  __shared__ float a_tile[tile][tile], b_tile[tile][tile];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int j = static_cast<int>(blockIdx.x) * tile + x, i0 = static_cast<int>(blockIdx.y) * tile + y;
  float sum[rows] = {};
  for (int k0 = 0; k0 < n; k0 += tile) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int i = i0 + r * lines, k = k0 + y + r * lines;
      a_tile[y + r * lines][x] = i < n && k0 + x < n ? a[std::int64_t{i} * n + k0 + x] : 0;
      b_tile[y + r * lines][x] = k < n && j < n ? b[std::int64_t{k} * n + j] : 0;
    }
    __syncthreads();
#pragma unroll(steps)
    for (int k = 0; k < tile; ++k) {
      const float b_value = b_tile[k][x];
#pragma unroll
      for (int r = 0; r < rows; ++r) sum[r] = fmaf(a_tile[y + r * lines][k], b_value, sum[r]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int i = i0 + r * lines;
    if (i < n && j < n) c[std::int64_t{i} * n + j] = sum[r];
  }
}

template <int tile, int rows, bool unrolled>
void tiled(Backend& backend, int n, const float* a, const float* b, float* c) {
  const cudaStream_t stream = stream_of(backend);
  const auto blocks = static_cast<unsigned>((n + tile - 1) / tile);
  tiled_kernel<tile, rows, unrolled><<<dim3(blocks, blocks), dim3(tile, tile / rows), 0, stream>>>(n, a, b, c);
  cuda::launched(stream);
}

constexpr std::array products{
    MatrixProduct{"no tiles", plain},
    MatrixProduct{"tile 16, rolled", tiled<16, 1, false>},
    MatrixProduct{"tile 16, unrolled", tiled<16, 1, true>},
    MatrixProduct{"tile 32, rolled", tiled<32, 1, false>},
    MatrixProduct{"tile 32, unrolled", tiled<32, 1, true>},
    MatrixProduct{"tile 32, 8 results per thread, rolled", tiled<32, 8, false>},
    MatrixProduct{"tile 32, 8 results per thread, unrolled", tiled<32, 8, true>},
};

}  // namespace

std::span<const MatrixProduct> matrix_products() {
  return products;
}

}  // namespace poisson::lab
