#pragma once

#include <string>
#include <vector>

#include "grids/compact/row_system.hpp"

namespace poisson {

/// Contains a sparse system of any pattern with what its solution depends on.
struct GeneralRows {
  RowSystem system;        ///< A may be unsymmetric here; `singular`: A and Aᵀ map constants to zero
  CsrMatrix symmetric;     ///< (A + Aᵀ)/2 if A is unsymmetric, else empty
  double asymmetry = 0;    ///< the largest |a_ij − a_ji| over √(a_ii a_jj)
  double spread = 1;       ///< the largest diagonal entry over the smallest
  std::int64_t parts = 1;  ///< parts of the matrix that no entry connects

  bool is_symmetric() const { return symmetric.rows() == 0; }
};

/// Checks A u = b and finds its properties. b is all zero if it is empty. A matrix counts as symmetric if its asymmetry
/// is at most 10⁻¹⁰. Throws InputError, which names the first row at fault and a remedy: for a matrix that is not
/// square, for entries that are not finite, for a diagonal entry that is missing, zero or negative, and for singular
/// matrices other than those that are connected and map constants to zero together with their transpose.
GeneralRows examine_rows(CsrMatrix A, std::vector<double> b);

/// Makes a matrix from entries in any order. Sums duplicates and drops zeros beside the diagonal. Rows and columns
/// count from 0 and must be below `rows`.
struct RowEntries {
  UnsetVector<int> row, column;
  UnsetVector<double> value;
};
CsrMatrix compress(const RowEntries& entries, std::int64_t rows);

}  // namespace poisson
