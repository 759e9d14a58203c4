#pragma once

#include <memory>

#include "grids/compact/csr.hpp"
#include "grids/compact/device_matrix.hpp"
#include "grids/compact/row_levels.hpp"
#include "grids/operators/operator.hpp"

namespace poisson::cuda {

class DeviceRows;
struct SlicedRows;

/// Contains the inverse of the blocks of aggregates, which sweeps of one precision use instead of the diagonal.
struct DeviceBlocks {
  Precision precision = Precision::fp32;
  std::shared_ptr<const SlicedRows> rows;
  Buffer values, residual;  ///< `residual` is memory for the sweeps
  double largest = 2;       ///< estimate of the largest eigenvalue of B⁻¹A
};

/// Contains what the operators of one matrix in several precisions share.
struct DevicePattern {
  std::shared_ptr<const SlicedRows> rows;
  double scale = 1;
  bool singular = false;
  double largest = 2;  ///< estimate of the largest eigenvalue of D⁻¹A
  Buffer weights;      ///< fp64 by row; empty: equal
  double total_weight = 1;
  std::shared_ptr<const CsrMatrix> on_host;    ///< of the coarsest level
  std::shared_ptr<const DeviceBlocks> blocks;  ///< null: sweeps use the diagonal
};

/// Makes the blocks of aggregates of scale · A for sweeps of its operator.
std::shared_ptr<const DeviceBlocks> make_blocks(DeviceRows& rows, const DeviceMatrix& A, const int* aggregate,
                                                std::int64_t aggregates, const Operator& of);

/// Makes the operator of scale · A. Rows need a positive diagonal: throws RunError that names the first row without
/// one.
std::unique_ptr<Operator> make_row_operator(DeviceRows& rows, std::shared_ptr<const DevicePattern> pattern,
                                            const DeviceMatrix& A, Precision precision);
/// Returns an estimate from above of the largest eigenvalue of D⁻¹A, in the precision of an operator of this device.
double largest_scaled_eigenvalue(DeviceRows& rows, const Operator& A);
/// Returns one of the largest eigenvalue of B⁻¹A for the inverse of blocks.
double largest_scaled_eigenvalue(DeviceRows& rows, const Operator& A, const DeviceBlocks& inverse);
/// Makes the transfer of P and R = Pᵀ, whose patterns are `up` and `down`.
std::unique_ptr<Transfer> make_row_transfer(DeviceRows& rows, std::shared_ptr<const SlicedRows> up,
                                            const DeviceMatrix& P, std::shared_ptr<const SlicedRows> down,
                                            const DeviceMatrix& R, Precision precision);

std::unique_ptr<RowLevels> make_row_levels(Backend& backend, bool keeps_patterns);

}  // namespace poisson::cuda
