#pragma once

#include <vector>

#include "grids/compact/csr.hpp"

namespace poisson {

/// Contains A u = b with compact rows. A is symmetric and positive definite, or semidefinite with the constant as its
/// null space.
struct RowSystem {
  CsrMatrix A;
  std::vector<double> b;
  std::vector<double> guess;    ///< empty: zero
  bool singular = false;        ///< A maps constants to zero
  std::vector<double> weights;  ///< of rows in the mean that a singular problem leaves free; empty: equal
  double range = 1;             ///< ratio of the largest to the smallest κ
};

}  // namespace poisson
