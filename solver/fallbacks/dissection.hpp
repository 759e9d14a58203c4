#pragma once

#include <array>
#include <cstddef>

namespace poisson {

/// Counts the operations and memory of a Factorization on a box of unknowns.
struct DissectionCost {
  double flops = 0;
  double small_flops = 0;   ///< part in fronts that a single thread eliminates
  double entries = 0;       ///< sum over all fronts
  std::size_t factors = 0;  ///< bytes of factors
  std::size_t bytes = 0;    ///< factors plus peak of fronts
};

/// Predicts the cost in microseconds from the numbers of unknowns and the periodic axes alone. The result equals the
/// count of Factorization's nested dissection after it has ordered every unknown.
DissectionCost predict_dissection(const std::array<int, 3>& unknowns, const std::array<bool, 3>& periodic);

}  // namespace poisson
