#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backends/device/backend.hpp"
#include "lab/harness/array.hpp"
#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

// The study uses the matrix of nine bands on an m × m grid in double precision. It is stored as bands and as compact
// rows: values, columns, and the start of each row. Values and x are multiples of 2⁻¹⁰ below 1, so every sum is exact
// in any order.

inline constexpr int stencil_size = 9;

constexpr double sparse_entry(std::int64_t row, int neighbour) {
  return static_cast<double>(
             noise(static_cast<std::uint64_t>(row) * stencil_size + static_cast<std::uint64_t>(neighbour)) % 1023 + 1) *
         0x1p-10;
}
constexpr double sparse_x(std::int64_t column) {
  return static_cast<double>(noise(static_cast<std::uint64_t>(column) + (std::uint64_t{1} << 40)) % 1024) * 0x1p-10;
}
/// Returns the column of a row's neighbour, −1 beyond the grid.
constexpr std::int64_t neighbour_of(std::int64_t row, int neighbour, int m) {
  const std::int64_t i = row % m + neighbour % 3 - 1, j = row / m + neighbour / 3 - 1;
  return i >= 0 && i < m && j >= 0 && j < m ? j * m + i : -1;
}
/// Maps point p of the grid to its number: p, or a scattered number as in an unstructured mesh. Scattering requires
/// that the number of points is a power of two.
struct Numbering {
  std::int64_t points = 0;
  bool scattered = false;
  constexpr std::int64_t operator()(std::int64_t p) const {
    return scattered ? static_cast<std::int64_t>((static_cast<std::uint64_t>(p) * 0x9e3779b1u + 12345u) %
                                                 static_cast<std::uint64_t>(points))
                     : p;
  }
};

/// The oracle returns A x at point p of the grid.
double product_at(std::int64_t p, int m);

/// Contains compact rows (CSR) on the host.
struct CompactRows {
  std::vector<double> values;
  std::vector<std::int32_t> columns, begins;
};
CompactRows compact_rows(int m, const Numbering& numbering);
/// Returns nine bands (band b of row i is at b·m² + i, zero beyond the grid), and x with m + 1 zeros on both sides.
std::vector<double> bands_of(int m);
std::vector<double> x_between_zeros(int m);

/// Owns the operands of all ways on a device.
struct SparseOperands {
  SparseOperands(Backend& backend, int side, bool with_scattered);
  int m;
  Array<double> bands, padded_x, values, scattered_values, x, scattered_x, y;
  Array<std::int32_t> columns, begins, scattered_columns, scattered_begins;
  std::int64_t rows() const { return std::int64_t{m} * m; }
};

namespace sparse_names {
inline constexpr std::string_view bands = "nine bands", rows = "compact rows, a thread each",
                                  lanes = "compact rows, eight lanes each",
                                  scattered = "compact rows, scattered numbering",
                                  scattered_threads = "compact rows, scattered, a thread each",
                                  broken = "broken on purpose";
}
/// Computes y = A x on a CPU or GPU; `lanes` requires a GPU.
void multiply_sparse(Backend& backend, const SparseOperands& operands, std::string_view way);
namespace gpu_sparse {  // exists in builds with CUDA
void multiply(Backend& backend, const SparseOperands& operands, std::string_view way);
}

/// Returns the bytes that a row must move: bands and both vectors, or values, columns, row starts and both vectors.
double sparse_bytes(std::string_view way);

/// Derives conclusions from the panel "product": million rows per second over m².
std::vector<std::string> conclude_sparse(const Panels& panels, const Machine& machine);

}  // namespace poisson::lab
