#pragma once

#include "backends/device/backend.hpp"

namespace poisson {

/// Performs several Jacobi sweeps in one pass over the fields. The result has the same bits as separate sweeps by
/// SymmetricSplitting::step with β = 0 on points.
class SweepPass {
 public:
  virtual ~SweepPass() = default;

  /// Returns the number of sweeps of a pass.
  virtual int sweeps() const = 0;
  /// Computes in `next` the result of sweeps() sweeps u ← u + omega D⁻¹(b − A u). The `norm`, if given, becomes Σ (b −
  /// A u)²/D of the given u. Outside the unknowns, including the halo, `next` equals u. If the grid is cut, the halo of
  /// b must be filled as wide as all sweeps but one reach; the pass exchanges the halo of u.
  void take(double omega, const Field& u, const Field& b, Field& next, Scalar* norm) const {
    const Touched unknowns{u.space().own_unknowns(), u.precision()};
    u.backend().timed(traffic("jacobi pass"), u.space(), {unknowns, unknowns, unknowns},
                      [this, &omega, &u, &b, &next, &norm] { do_take(omega, u, b, next, norm); });
  }

 private:
  virtual void do_take(double omega, const Field& u, const Field& b, Field& next, Scalar* norm) const = 0;
};

}  // namespace poisson
