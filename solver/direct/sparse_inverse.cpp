#include "solver/direct/sparse_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace poisson {
namespace {

// Returns whether a pivot is at least zero up to rounding. On flat elements entries of both signs cancel, so a pivot
// may be as negative as the rounding of its row. Galerkin products leave much less than the rounding of the matrix in
// rows of coarse cells that have no unknown, with any sign.
bool acceptable(double pivot, double size, double row, double largest_row, std::size_t n) {
  constexpr double rounding = 1e-10, nothing = 1e-18;
  const double cancelled = 16 * static_cast<double>(n) * std::numeric_limits<double>::epsilon() * row;
  return pivot >= -std::max({rounding * size, cancelled, nothing * largest_row}) && std::isfinite(size);
}

// Stores an entry of L below the diagonal.
struct Entry {
  std::size_t at;
  double value;
};

}  // namespace

bool invert_sparse(std::span<double> a, std::span<double> sums, std::size_t n) {
  std::vector<double> row_size(n), inverse_pivot(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i) row_size[k] += std::abs(a[k * n + i]);
  const double largest_row = n == 0 ? 0 : std::ranges::max(row_size);
  // Eliminates in the upper triangle, whose rows are contiguous: A = L D Lᵀ.
  std::vector<std::vector<Entry>> of_row(n), of_column(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<Entry>& column = of_column[k];
    double pivot = sums[k], size = std::abs(sums[k]);
    for (std::size_t i = k + 1; i < n; ++i) {
      if (a[k * n + i] == 0) continue;
      column.push_back({i, a[k * n + i]});
      pivot -= a[k * n + i];
      size += std::abs(a[k * n + i]);
    }
    if (!acceptable(pivot, size, row_size[k], largest_row, n)) return false;
    inverse_pivot[k] = pivot > 4 * std::numeric_limits<double>::epsilon() * size ? 1 / pivot : 0;
    for (Entry& entry : column) {
      const double factor = entry.value * inverse_pivot[k];
      for (const Entry& other : column)
        if (other.at > entry.at) a[entry.at * n + other.at] -= factor * a[k * n + other.at];
      sums[entry.at] -= factor * sums[k];
      entry.value = factor;
      of_row[entry.at].push_back({k, factor});
    }
  }
  // The rows of L⁻¹ follow from earlier rows.
  for (std::size_t i = 0; i < n; ++i) {
    double* row = &a[i * n];
    std::fill(row, row + n, 0);
    row[i] = 1;
    for (const Entry& entry : of_row[i]) {
      const double* earlier = &a[entry.at * n];
      for (std::size_t j = 0; j <= entry.at; ++j) row[j] -= entry.value * earlier[j];
    }
  }
  // The rows of A⁻¹ = L⁻ᵀ D⁻¹ L⁻¹, up to the diagonal, follow from later rows.
  for (std::size_t i = n; i-- > 0;) {
    double* row = &a[i * n];
    for (std::size_t j = 0; j <= i; ++j) row[j] *= inverse_pivot[i];
    for (const Entry& entry : of_column[i]) {
      const double* later = &a[entry.at * n];
      for (std::size_t j = 0; j <= i; ++j) row[j] -= entry.value * later[j];
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) a[j * n + i] = a[i * n + j];
  return true;
}

}  // namespace poisson
