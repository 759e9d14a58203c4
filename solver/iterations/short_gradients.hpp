#pragma once

#include <memory>

#include "solver/iterations/conjugate_gradients.hpp"

namespace poisson {

/// Runs flexible conjugate gradients whose residual, direction and A p have the precision of corrections, to save
/// memory. A p is the difference of two residuals in the precision of u: that of u, and that of a trial step along p.
/// Each iteration thus computes a true residual, as refinement does, so rounding does not add up (reliable updates: van
/// der Vorst and Ye, SIAM J. Sci. Comput. 22 (2000), 835, with a residual in each iteration).
class ShortGradients final : public ConjugateGradients {
 public:
  /// `corrections` is the operator of the preconditioner, in its precision.
  ShortGradients(Equation& equation, Preconditioner& preconditioner, std::shared_ptr<const Operator> corrections);

  void take_residual(const Scalar& scale, Scalar& norm) override;
  const Field& residual() const override { return preconditioner_.rhs(); }
  void start(const Scalar& initial) override;
  void restart() override;
  const Field& last_correction() const override { return p_; }
  double last_length() override;
  bool drifts() const override { return false; }
  void restart_conjugation() override;
  void next_direction() override;
  void step_residual() override;

 protected:
  void body(Monitor& monitor) override;

 private:
  void try_direction();

  std::shared_ptr<const Operator> corrections_;
  Field p_, q_;
  Scalar minus_one_, rest_, length_;  // tᵀp of the residual t of the trial step; what the step lacks of u
};

}  // namespace poisson
