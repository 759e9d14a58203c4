#pragma once

#include <array>
#include <cstddef>

namespace poisson {

/// The work and the memory of Factorization on a box of unknowns.
struct DissectionCost {
  double flops = 0;
  double small_flops = 0;   ///< the part in fronts that a single thread eliminates
  double entries = 0;       ///< of all fronts together
  std::size_t factors = 0;  ///< bytes of the factors
  std::size_t bytes = 0;    ///< of the factors and, at the peak, of the fronts
};

/// Counts them from the numbers of unknowns and the periodic axes alone, in microseconds: what the nested dissection
/// of Factorization would count after it has ordered every unknown.
DissectionCost predict_dissection(const std::array<int, 3>& unknowns, const std::array<bool, 3>& periodic);

}  // namespace poisson
