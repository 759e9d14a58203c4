#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "backends/memory/unset_vector.hpp"

namespace poisson {

/// Contains a sparse matrix in compressed rows: row i has the entries start[i] … start[i + 1] − 1, whose columns rise.
struct CsrMatrix {
  std::int64_t columns = 0;
  UnsetVector<std::int64_t> start;  ///< rows + 1 positions
  UnsetVector<int> column;
  UnsetVector<double> value;

  std::int64_t rows() const { return start.empty() ? 0 : static_cast<std::int64_t>(start.size()) - 1; }
  std::int64_t entries() const { return static_cast<std::int64_t>(column.size()); }
  std::size_t bytes() const {
    return start.size() * sizeof(std::int64_t) + column.size() * (sizeof(int) + sizeof(double));
  }
  /// Returns the value at row i and column j; 0 if there is no entry.
  double at(std::int64_t i, int j) const {
    const auto first = column.begin() + start[static_cast<std::size_t>(i)],
               last = column.begin() + start[static_cast<std::size_t>(i) + 1];
    const auto found = std::lower_bound(first, last, j);
    return found != last && *found == j ? value[static_cast<std::size_t>(found - column.begin())] : 0;
  }
};

/// Rows are computed in chunks of this size. Chunks do not depend on the number of threads, so that results do not
/// either.
inline constexpr std::int64_t row_chunk = 4096;

/// Calls f(first, last) for consecutive chunks of the rows 0 … n − 1, on all threads.
template <class F>
void for_row_chunks(std::int64_t n, const F& f) {
  const std::int64_t chunks = (n + row_chunk - 1) / row_chunk;
#pragma omp parallel for schedule(dynamic, 1) if (chunks > 1)
  for (std::int64_t c = 0; c < chunks; ++c) f(c * row_chunk, std::min(n, (c + 1) * row_chunk));
}

/// Calls f(i) for the rows 0 … n − 1, on all threads.
template <class F>
void for_rows(std::int64_t n, const F& f) {
#pragma omp parallel for schedule(static) if (n > row_chunk)
  for (std::int64_t i = 0; i < n; ++i) f(i);
}

/// Sums f(i) over the rows. The bits of the sum do not depend on the number of threads.
template <class F>
double sum_rows(std::int64_t n, const F& f) {
  std::vector<double> parts(static_cast<std::size_t>((n + row_chunk - 1) / row_chunk));
  for_row_chunks(n, [&](std::int64_t first, std::int64_t last) {
    double sum = 0;
    for (std::int64_t i = first; i < last; ++i) sum += f(i);
    parts[static_cast<std::size_t>(first / row_chunk)] = sum;
  });
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

/// Replaces counts[1 … n] by their running sums, counts[0] = 0: positions of compressed rows.
template <class Integers>
void sum_up(Integers& counts) {
  counts[0] = 0;
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
}

/// Receives the rows of a matrix chunk by chunk and joins them.
class RowCollector {
 public:
  explicit RowCollector(std::int64_t rows)
      : rows_(rows), chunks_(static_cast<std::size_t>((rows + row_chunk - 1) / row_chunk)) {}

  /// Contains rows of a chunk: the ends of rows in `column`, and the entries.
  struct Chunk {
    std::vector<std::int64_t> end;
    std::vector<int> column;
    std::vector<double> value;
  };
  Chunk& chunk(std::int64_t first) { return chunks_[static_cast<std::size_t>(first / row_chunk)]; }
  /// Returns the matrix of all chunks and releases them.
  CsrMatrix join(std::int64_t columns);

 private:
  std::int64_t rows_;
  std::vector<Chunk> chunks_;
};

/// Returns the transpose.
CsrMatrix transpose(const CsrMatrix& A);
/// Returns A B. Entries are summed in the order of the columns of A.
CsrMatrix product(const CsrMatrix& A, const CsrMatrix& B);
/// Computes the values of C = A B for a C with the pattern of product(A, B).
void product_values(const CsrMatrix& A, const CsrMatrix& B, CsrMatrix& C);
/// Computes the values of T for a T with the pattern of transpose(A).
void transpose_values(const CsrMatrix& A, CsrMatrix& T);
/// Returns (A + Aᵀ)/2.
CsrMatrix symmetric_part(const CsrMatrix& A);
/// Returns the largest |a_ij − a_ji| over √|a_ii a_jj|.
double asymmetry_of(const CsrMatrix& A);

}  // namespace poisson
