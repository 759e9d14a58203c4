#pragma once

#include <cstdint>
#include <vector>

#include "solver/fallbacks/rows.hpp"

namespace poisson {

/// Finds floating subdomains of any size: strong couplings connect their values, and only weak couplings connect them
/// to others. (Strong clusters of grids/levels/strong_clusters.hpp may be among them on coarse levels.) An error that
/// is constant on one is nearly invisible in D⁻¹A. Neither the residual norm nor conjugate gradients that have not
/// found it detect such an error, but the residual's sum over the subdomain does.
class FloatingSubdomains {
 public:
  /// Requires an operator in fp64 that contains all unknowns of all processes. `in` and `out` are fields like its own;
  /// they are overwritten.
  FloatingSubdomains(const Operator& A, Field& in, Field& out);

  /// Returns ‖e‖ of the constants e = Zᵀr / 1ᵀA1 that a residual r corresponds to if the values around each subdomain
  /// are fixed. The call is collective for a distributed r.
  double shift(const Field& r) const;

 private:
  UnknownBox box_;
  std::vector<std::int32_t> of_;  // −1: no subdomain
  std::vector<double> energy_;    // 1ᵀA1
  std::vector<std::int64_t> size_;
};

}  // namespace poisson
