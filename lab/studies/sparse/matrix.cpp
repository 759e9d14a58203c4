// Defines the matrix and its oracle.

#include "lab/studies/sparse/study.hpp"

namespace poisson::lab {

double product_at(std::int64_t p, int m) {
  double sum = 0;
  for (int n = 0; n < stencil_size; ++n)
    if (const std::int64_t column = neighbour_of(p, n, m); column >= 0) sum += sparse_entry(p, n) * sparse_x(column);
  return sum;
}

CompactRows compact_rows(int m, const Numbering& numbering) {
  const std::int64_t rows = std::int64_t{m} * m;
  CompactRows all;
  all.begins.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (std::int64_t p = 0; p < rows; ++p)
    for (int n = 0; n < stencil_size; ++n)
      if (neighbour_of(p, n, m) >= 0) ++all.begins[static_cast<std::size_t>(numbering(p)) + 1];
  for (std::size_t i = 1; i < all.begins.size(); ++i) all.begins[i] += all.begins[i - 1];
  all.values.resize(static_cast<std::size_t>(all.begins.back()));
  all.columns.resize(all.values.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t p = 0; p < rows; ++p) {
    auto k = static_cast<std::size_t>(all.begins[static_cast<std::size_t>(numbering(p))]);
    for (int n = 0; n < stencil_size; ++n)
      if (const std::int64_t column = neighbour_of(p, n, m); column >= 0) {
        all.values[k] = sparse_entry(p, n);
        all.columns[k++] = static_cast<std::int32_t>(numbering(column));
      }
  }
  return all;
}

std::vector<double> bands_of(int m) {
  const std::int64_t rows = std::int64_t{m} * m;
  std::vector<double> values(static_cast<std::size_t>(stencil_size * rows));
#pragma omp parallel for schedule(static)
  for (std::int64_t p = 0; p < rows; ++p)
    for (int n = 0; n < stencil_size; ++n)
      values[static_cast<std::size_t>(n * rows + p)] = neighbour_of(p, n, m) >= 0 ? sparse_entry(p, n) : 0;
  return values;
}

std::vector<double> x_between_zeros(int m) {
  const std::int64_t rows = std::int64_t{m} * m, pad = m + 1;
  std::vector<double> x(static_cast<std::size_t>(rows + 2 * pad));
  for (std::int64_t p = 0; p < rows; ++p) x[static_cast<std::size_t>(p + pad)] = sparse_x(p);
  return x;
}

double sparse_bytes(std::string_view way) {
  constexpr double vectors = 2 * 8;
  return vectors + (way == sparse_names::bands ? stencil_size * 8.0 : stencil_size * 12.0 + 4);
}

}  // namespace poisson::lab
