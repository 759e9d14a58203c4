#pragma once

#include "backends/backend.hpp"

namespace poisson {

/// Several sweeps of Jacobi's method in one pass over the fields, with the bits that the same sweeps have one by one:
/// those of SymmetricSplitting::step with β = 0 on points.
class SweepPass {
 public:
  virtual ~SweepPass() = default;

  /// Sweeps of a pass.
  virtual int sweeps() const = 0;
  /// next = u after so many sweeps u ← u + omega D⁻¹(b − A u), and where a norm is asked for Σ (b − A u)²/D of the u
  /// that is given. `next` holds what u holds beside the unknowns, in its halo, too. Where the grid is cut the halo of
  /// b is filled as wide as all sweeps but one reach; that of u is exchanged.
  virtual void take(double omega, const Field& u, const Field& b, Field& next, Scalar* norm) const = 0;
};

}  // namespace poisson
