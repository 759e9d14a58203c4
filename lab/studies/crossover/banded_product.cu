#include "lab/harness/verify.cuh"
#include "lab/studies/crossover/study.hpp"

namespace poisson::lab {
namespace {

constexpr int threads = 256;

template <int bands>
__global__ void __launch_bounds__(threads) banded_kernel(BandedProduct p) {
  const std::int64_t row = std::int64_t{blockIdx.x} * threads + threadIdx.x, rows = p.rows(), stride = band_stride(p.m);
  if (row >= rows) return;
  double sum = 0;
#pragma unroll
  for (int b = 0; b < bands; ++b) sum = fma(p.values[b * stride + row], p.x[row + band_offset(bands, p.m, b)], sum);
  p.y[row] = sum;
}

__global__ void recurrence_kernel(Recurrences all) {
  const int line = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (line >= all.lines) return;
  double before = 0;
  for (int i = 0; i < all.length; ++i) {
    double& value = all.values[std::int64_t{i} * all.lines + line];
    value = before = recurrence(value, before);
  }
}

}  // namespace

void recur_on_gpu(Backend& backend, const Recurrences& all) {
  constexpr int line_threads = 64;  // small blocks spread few lines over many multiprocessors
  const cudaStream_t stream = stream_of(backend);
  recurrence_kernel<<<static_cast<unsigned>((all.lines + line_threads - 1) / line_threads), line_threads, 0, stream>>>(
      all);
  cuda::launched(stream);
}

void multiply_on_gpu(Backend& backend, const BandedProduct& product) {
  const cudaStream_t stream = stream_of(backend);
  const auto blocks = static_cast<unsigned>((product.rows() + threads - 1) / threads);
  const auto kernel = product.bands == 9 ? banded_kernel<9> : banded_kernel<5>;
  kernel<<<blocks, threads, 0, stream>>>(product);
  cuda::launched(stream);
}

}  // namespace poisson::lab
