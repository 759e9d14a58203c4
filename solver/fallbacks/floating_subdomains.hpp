#pragma once

#include <cstdint>
#include <vector>

#include "solver/fallbacks/rows.hpp"

namespace poisson {

/// Values that strong couplings tie to one another and weak ones alone to anything else, whatever their number
/// (strong_clusters of grids/levels/strong_clusters.hpp that coarse levels may hold). An error that is constant on one
/// is worth next to nothing in D⁻¹A, and neither a residual's norm nor conjugate gradients that have not met it say
/// that it is there: the residual's sum over the conductor does.
class FloatingSubdomains {
 public:
  /// Of an operator in fp64, the whole of one that several processes share. `in` and `out`: fields like its own,
  /// overwritten.
  FloatingSubdomains(const Operator& A, Field& in, Field& out);

  /// ‖e‖ of the constants e = Zᵀr / 1ᵀA1 that a residual is worth, the values around each conductor held. Of a part
  /// all processes call it together.
  double shift(const Field& r) const;

 private:
  UnknownBox box_;
  std::vector<std::int32_t> of_;  // the conductor of each unknown; −1: none
  std::vector<double> energy_;    // 1ᵀA1
  std::vector<std::int64_t> size_;
};

}  // namespace poisson
