#pragma once

#include <memory>
#include <vector>

#include "grids/compact/csr.hpp"
#include "grids/compact/device_matrix.hpp"

namespace poisson {

/// Contains A u = b with compact rows. A is symmetric and positive definite, or semidefinite with the constant as its
/// null space.
struct RowSystem {
  CsrMatrix A;
  std::shared_ptr<const DeviceMatrix> on_device;  ///< A in memory of the solver's GPU; null: A is above
  std::vector<double> b;
  std::vector<double> guess;    ///< empty: zero
  bool singular = false;        ///< A maps constants to zero
  std::vector<double> weights;  ///< of rows in the mean that a singular problem leaves free; empty: equal
  double range = 1;             ///< ratio of the largest to the smallest κ

  std::int64_t rows() const { return on_device ? on_device->rows : A.rows(); }
  std::int64_t entries() const { return on_device ? on_device->entries : A.entries(); }
};

}  // namespace poisson
