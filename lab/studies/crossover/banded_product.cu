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

}  // namespace

void multiply_on_gpu(Backend& backend, const BandedProduct& product) {
  const cudaStream_t stream = stream_of(backend);
  const auto blocks = static_cast<unsigned>((product.rows() + threads - 1) / threads);
  const auto kernel = product.bands == 9 ? banded_kernel<9> : banded_kernel<5>;
  kernel<<<blocks, threads, 0, stream>>>(product);
  cuda::launched(stream);
}

}  // namespace poisson::lab
