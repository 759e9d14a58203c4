#pragma once

#include <cstdint>

#include "lab/harness/noise.hpp"

namespace poisson::lab {

/// Selects how consecutive threads visit a row-major matrix: along a row (the next address), or down a column (one row
/// further).
enum class Direction { rows, columns };

/// Describes a row-major matrix whose elements are 1 or 4 floats ("lanes").
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  constexpr std::int64_t size() const { return rows * columns; }
};

/// Returns the position in memory of the `order`-th element of a walk.
constexpr std::int64_t element_at(const Matrix& matrix, Direction direction, std::int64_t order) {
  return direction == Direction::rows ? order : order % matrix.rows * matrix.columns + order / matrix.rows;
}

/// The oracle of all kernels that read a matrix of noise_float. Returns the sum of one of `threads` threads, which
/// reads the elements thread, thread + threads, … of the walk. Lanes are added last: (0 + 1) + (2 + 3). The fixed order
/// and pure additions make the sum bitwise reproducible.
constexpr float thread_sum(const Matrix& matrix, Direction direction, int lanes, std::int64_t thread,
                           std::int64_t threads) {
  float sum[4] = {};
  for (std::int64_t order = thread; order < matrix.size(); order += threads)
    for (int lane = 0; lane < lanes; ++lane)
      sum[lane] += noise_float(static_cast<std::uint64_t>(element_at(matrix, direction, order) * lanes + lane));
  return lanes == 1 ? sum[0] : (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// Returns the number of threads that read an element and so leave a sum.
constexpr std::int64_t readers(const Matrix& matrix, std::int64_t threads) {
  return threads < matrix.size() ? threads : matrix.size();
}

/// Returns the bytes that a walk reads and writes.
constexpr double bytes_read(const Matrix& matrix, int lanes, std::int64_t threads) {
  return 4.0 * lanes * static_cast<double>(matrix.size()) + 4.0 * static_cast<double>(readers(matrix, threads));
}

}  // namespace poisson::lab
