#pragma once

#include "grids/operators/operator.hpp"

namespace poisson {

/// Applies an approximate inverse once: a stationary iteration repeats it, and a Krylov method accelerates it.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;

  /// Returns the right-hand side, which the caller sets before solve. It must be zero in Dirichlet nodes.
  virtual Field& rhs() = 0;
  /// Computes e ≈ A⁻¹ rhs from a zero guess. e is zero in Dirichlet nodes.
  virtual void solve() = 0;
  /// Returns e of the last solve: always the same field, valid until the next solve.
  virtual const Field& correction() const = 0;

  /// Makes the step between two solves of iterative refinement: u += applied · e if `applied` is given, rhs = scale (b
  /// − A u), and norm = Σ (b − A u)²/D. A has the precision of u. Preconditioners that fuse these passes override it.
  virtual void correct(const Operator& A, Field& u, const Field& b, const Scalar* applied, const Scalar& scale,
                       Scalar& norm);
  /// Computes before = u − applied · e.
  virtual void take_back(const Field& u, const Scalar& applied, Field& before) const;
};

}  // namespace poisson
