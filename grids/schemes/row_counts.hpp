#pragma once

namespace poisson {

/// What a row counts: tests/grids/test_assembly.cpp counts the operations in the models of Coefficients themselves.
struct RowCounts {
  int neighbours;       ///< couplings
  int computed;         ///< those that the kernels go through: of a star six, in two dimensions too
  double kappa;         ///< numbers of κ held
  double entries;       ///< operations from them to the entries
  double products;      ///< the same from constants on the axes
  double evaluations;   ///< points of κ that a row takes in a walk along z where it is computed anew
  double entries_anew;  ///< operations from those to the entries, in the operator's precision
  double means = 0;     ///< and in 64 bits
};

/// What a division counts as in 64 bits.
inline constexpr double division_flops = 30;

}  // namespace poisson
