#pragma once

#include "grids/operators/operator.hpp"

namespace poisson {

/// One application of an approximate inverse: what a stationary iteration repeats and a Krylov method accelerates.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;

  /// Where the right-hand side goes before solve; zero in Dirichlet nodes.
  virtual Field& rhs() = 0;
  /// e ≈ A⁻¹ rhs from a zero guess, zero in Dirichlet nodes.
  virtual void solve() = 0;
  /// The e of the last solve: the same field each time, valid until the next one.
  virtual const Field& correction() const = 0;

  /// The step between two solves of iterative refinement: u += applied · e, where `applied` is given, rhs = scale (b −
  /// A u), and norm = Σ (b − A u)²/D. A in the precision of u. One that fuses these passes overrides it.
  virtual void correct(const Operator& A, Field& u, const Field& b, const Scalar* applied, const Scalar& scale,
                       Scalar& norm);
  /// before = u − applied · e
  virtual void take_back(const Field& u, const Scalar& applied, Field& before) const;
};

}  // namespace poisson
