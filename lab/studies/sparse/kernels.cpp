#include "backends/cpu/launch.hpp"
#include "lab/harness/with_cuda.hpp"
#include "lab/studies/sparse/study.hpp"

namespace poisson::lab {
namespace {

void by_bands(const SparseOperands& a) {
  const std::int64_t rows = a.rows();
  const double *const values = a.bands.data(), *const x = a.padded_x.data() + a.m + 1;
  double* const y = a.y.data();
#pragma omp parallel for simd schedule(static) if (rows > cpu::parallel_threshold)
  for (std::int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (int b = 0; b < stencil_size; ++b) sum += values[b * rows + row] * x[row + (b / 3 - 1) * a.m + b % 3 - 1];
    y[row] = sum;
  }
}

void by_rows(std::int64_t rows, const double* values, const std::int32_t* columns, const std::int32_t* begins,
             const double* x, double* y) {
#pragma omp parallel for schedule(static) if (rows > cpu::parallel_threshold)
  for (std::int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::int32_t k = begins[row]; k < begins[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}

}  // namespace

void multiply_sparse(Backend& backend, const SparseOperands& a, std::string_view way) {
  if constexpr (with_cuda)
    if (backend.on_gpu()) return gpu_sparse::multiply(backend, a, way);
  if (way == sparse_names::bands)
    by_bands(a);
  else if (way == sparse_names::scattered)
    by_rows(a.rows(), a.scattered_values.data(), a.scattered_columns.data(), a.scattered_begins.data(),
            a.scattered_x.data(), a.y.data());
  else  // the broken variant omits the last row
    by_rows(a.rows() - (way == sparse_names::broken ? 1 : 0), a.values.data(), a.columns.data(), a.begins.data(),
            a.x.data(), a.y.data());
}

}  // namespace poisson::lab
