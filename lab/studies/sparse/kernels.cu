#include "lab/harness/verify.cuh"
#include "lab/studies/sparse/study.hpp"

namespace poisson::lab::gpu_sparse {
namespace {

constexpr int threads = 256;

__global__ void __launch_bounds__(threads)
    band_kernel(const double* __restrict__ values, const double* __restrict__ x, double* __restrict__ y, int m) {
  const std::int64_t row = std::int64_t{blockIdx.x} * threads + threadIdx.x, rows = std::int64_t{m} * m;
  if (row >= rows) return;
  double sum = 0;
#pragma unroll
  for (int b = 0; b < stencil_size; ++b) sum = fma(values[b * rows + row], x[row + (b / 3 - 1) * m + b % 3 - 1], sum);
  y[row] = sum;
}

// `lanes` neighbouring threads share a row. With one lane, the loads of a warp are a row apart; with several lanes they
// are contiguous.
template <int lanes>
__global__ void __launch_bounds__(threads)
    row_kernel(const double* __restrict__ values, const std::int32_t* __restrict__ columns,
               const std::int32_t* __restrict__ begins, const double* __restrict__ x, double* __restrict__ y,
               std::int64_t rows) {
  const std::int64_t row = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / lanes;
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  double sum = 0;
  if (row < rows)
    for (std::int32_t k = begins[row] + lane; k < begins[row + 1]; k += lanes) sum = fma(values[k], x[columns[k]], sum);
#pragma unroll
  for (int offset = lanes / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset, lanes);
  if (row < rows && lane == 0) y[row] = sum;
}

unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

}  // namespace

void multiply(Backend& backend, const SparseOperands& a, std::string_view way) {
  const cudaStream_t stream = stream_of(backend);
  const std::int64_t rows = a.rows();
  if (way == sparse_names::bands)
    band_kernel<<<blocks_for(rows), threads, 0, stream>>>(a.bands.data(), a.padded_x.data() + a.m + 1, a.y.data(), a.m);
  else if (way == sparse_names::scattered)
    row_kernel<8><<<blocks_for(8 * rows), threads, 0, stream>>>(a.scattered_values.data(), a.scattered_columns.data(),
                                                                a.scattered_begins.data(), a.scattered_x.data(),
                                                                a.y.data(), rows);
  else if (way == sparse_names::scattered_threads)
    row_kernel<1><<<blocks_for(rows), threads, 0, stream>>>(a.scattered_values.data(), a.scattered_columns.data(),
                                                            a.scattered_begins.data(), a.scattered_x.data(), a.y.data(),
                                                            rows);
  else if (way == sparse_names::lanes)
    row_kernel<8><<<blocks_for(8 * rows), threads, 0, stream>>>(a.values.data(), a.columns.data(), a.begins.data(),
                                                                a.x.data(), a.y.data(), rows);
  else
    row_kernel<1><<<blocks_for(rows), threads, 0, stream>>>(a.values.data(), a.columns.data(), a.begins.data(),
                                                            a.x.data(), a.y.data(),
                                                            rows - (way == sparse_names::broken ? 1 : 0));
  cuda::launched(stream);
}

}  // namespace poisson::lab::gpu_sparse
