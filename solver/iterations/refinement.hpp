#pragma once

#include "solver/iterations/iteration.hpp"

namespace poisson {

/// Refines u iteratively: u += e with e ≈ A⁻¹ r. The residual r is computed in the precision of the solution. A power
/// of two scales it to a root mean square near 1 for the preconditioner.
class Refinement : public Iteration {
 public:
  /// `stores_best`: the best iterate is stored as soon as a residual rises.
  Refinement(Equation& equation, Preconditioner& preconditioner, bool stores_best)
      : Iteration(equation, preconditioner), stores_best_(stores_best) {}

  void take_residual(const Scalar& scale, Scalar& norm) override;
  const Field& residual() const override { return preconditioner_.rhs(); }
  void start(const Scalar& initial) override;
  void restart() override;
  double last_length() override;

 protected:
  void body(Monitor& monitor) override;

 private:
  bool stores_best_;
};

}  // namespace poisson
