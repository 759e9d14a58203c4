#pragma once

#include "backends/field.hpp"

namespace poisson {

/// One application of an approximate inverse: what a stationary iteration repeats and a Krylov method accelerates.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;

  /// Where the right-hand side goes before solve; zero in Dirichlet nodes.
  virtual Field& rhs() = 0;
  /// e ≈ A⁻¹ rhs from a zero guess, zero in Dirichlet nodes. The same field each time, valid until the next call.
  virtual const Field& solve() = 0;
};

}  // namespace poisson
