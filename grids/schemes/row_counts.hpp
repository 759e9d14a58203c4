#pragma once

namespace poisson {

/// Counts the operations and values of a row. tests/grids/test_assembly.cpp counts the operations in the models of
/// Coefficients.
struct RowCounts {
  int neighbours;       ///< couplings
  int computed;         ///< couplings that the kernels visit: for a star there are six, even in two dimensions
  double kappa;         ///< stored values of κ
  double entries;       ///< operations that compute the entries from stored κ
  double products;      ///< operations that compute the entries from constants on the axes
  double evaluations;   ///< points at which a row evaluates κ in a walk along z if κ is recomputed
  double entries_anew;  ///< operations that compute the entries from those points, in the operator's precision
  double means = 0;     ///< operations of means, which use 64 bits
};

/// A division counts as this many operations in 64 bits.
inline constexpr double division_flops = 30;

}  // namespace poisson
