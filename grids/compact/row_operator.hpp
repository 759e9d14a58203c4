#pragma once

#include <memory>
#include <vector>

#include "grids/compact/csr.hpp"
#include "grids/compact/row_space.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// Contains the inverse of the blocks of aggregates, which sweeps of one precision use instead of the diagonal.
struct CompactBlocks {
  Precision precision = Precision::fp32;
  Buffer starts, places;  ///< as those of CompactRows
  Buffer values;
  double largest = 2;  ///< estimate of the largest eigenvalue of B⁻¹A
};

/// Contains what the operators of one matrix in several precisions share.
struct CompactRows {
  RowSpace space;
  Buffer starts;  ///< int64, rows + 1
  Buffer places;  ///< int32: offsets of the columns in a field
  double scale = 1;
  bool singular = false;
  double largest = 2;                           ///< estimate of the largest eigenvalue of D⁻¹A
  std::vector<double> weights;                  ///< of rows in the mean that singular problems leave free; empty: equal
  std::shared_ptr<const CompactBlocks> blocks;  ///< null: sweeps use the diagonal
};

/// Copies the pattern of a square matrix into memory of the backend. `largest` is estimated from A.
std::shared_ptr<CompactRows> make_compact_rows(Backend& backend, const CsrMatrix& A, double scale, bool singular);

/// Makes the blocks of aggregates of A for sweeps in a precision.
std::shared_ptr<const CompactBlocks> make_compact_blocks(Backend& backend, const CsrMatrix& A,
                                                         const UnsetVector<int>& aggregate, std::int64_t aggregates,
                                                         double scale, Precision precision);

/// Makes the operator of scale · A, which needs the pattern of `rows`. Rows need a positive diagonal: throws RunError
/// that names the first row without one. The backend must be a CPU.
std::unique_ptr<Operator> make_row_operator(Backend& backend, std::shared_ptr<const CompactRows> rows,
                                            const CsrMatrix& A, Precision precision);

/// Makes the transfer between the rows of two levels with a prolongation P and R = Pᵀ. It computes in `precision`.
std::unique_ptr<Transfer> make_row_transfer(Backend& backend, const CsrMatrix& P, const CsrMatrix& R,
                                            const RowSpace& fine, const RowSpace& coarse, Precision precision);

/// Copies values between rows and a field on any backend.
void put_rows(const std::vector<double>& values, const RowSpace& space, double factor, Field& field);
std::vector<double> get_rows(const Field& field, const RowSpace& space);

}  // namespace poisson
