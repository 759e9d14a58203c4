#pragma once

#include <cstdint>

#include "grids/compact/cuda/device_rows.cuh"
#include "grids/compact/product_steps.hpp"
#include "grids/compact/short_row.hpp"

namespace poisson::cuda {

/// Describes where a kernel appends rows.
struct Appended {
  unsigned long long* next;
  std::int64_t capacity, *first, *end;  // end < first: the table was too small
  int* column;
  double* value;
};

/// Computes rows with few entries, each by one thread in registers, and appends them. Blocks write their rows together.
inline constexpr int short_threads = 128, short_entries = 16;
static __global__ void __launch_bounds__(short_threads) append_short(RowProduct product, Appended to) {
  __shared__ double values[short_threads * short_entries];
  __shared__ int columns[short_threads * short_entries];
  __shared__ unsigned long long base;
  const std::int64_t i = std::int64_t{blockIdx.x} * short_threads + threadIdx.x;
  const bool here = i < product.A.rows;
  ShortEntries<short_entries> row;
  bool fits = true;
  if (here)
    for (std::int64_t k = product.A.start[i]; k < product.A.start[i + 1] && fits; ++k) {
      const int j = product.A.column[k];
      const double a = product.A.value[k];
      const std::int64_t end = product.B_end[j];
      for (std::int64_t l = product.B_first[j]; l < end && fits; ++l)
        fits = row.add(product.B_column[l], a * product.B_value[l]);
    }
  const int n = here && fits ? row.n : 0;
  std::int64_t total = 0;
  const auto before = static_cast<int>(sum_before(n, total));
  if (threadIdx.x == 0) base = atomicAdd(to.next, static_cast<unsigned long long>(total));
#pragma unroll
  for (int m = 0; m < short_entries; ++m)
    if (m < n) {
      columns[before + m] = row.column[m];
      values[before + m] = row.value[m];
    }
  __syncthreads();
  const auto first = static_cast<std::int64_t>(base);
  if (here) {
    to.first[i] = first + before;
    to.end[i] = first + before + (fits ? n : -1);
  }
  if (first + total > to.capacity) return;
  for (int k = static_cast<int>(threadIdx.x); k < static_cast<int>(total); k += short_threads) {
    to.column[first + k] = columns[k];
    to.value[first + k] = values[k];
  }
}

}  // namespace poisson::cuda
