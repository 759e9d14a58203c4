#pragma once

#include "solver/iterations/iteration.hpp"

namespace poisson {

/// Runs flexible conjugate gradients with the Polak–Ribière β (Notay, SIAM J. Sci. Comput. 22, 2000). They use r, p and
/// q of the equation. The residual is a recurrence, so that the solver verifies the true one.
class ConjugateGradients : public Iteration {
 public:
  ConjugateGradients(Equation& equation, Preconditioner& preconditioner) : Iteration(equation, preconditioner) {}

  void take_residual(const Scalar& scale, Scalar& norm) override;
  const Field& residual() const override { return e_.r; }
  void start(const Scalar& initial) override;
  void restart() override { take_residual(e_.one, e_.norm); }
  void iterate(Monitor& monitor, int limit) override;
  const Field& last_correction() const override { return e_.p; }
  double last_length() override;
  ConjugateGradients* conjugate() override { return this; }

  /// Returns whether the residual may differ from that of u.
  virtual bool drifts() const { return true; }
  /// Forgets the last direction.
  virtual void restart_conjugation();
  /// Computes the next direction p, q = A p and the step length α. u stays.
  virtual void next_direction();
  /// Computes r − α q and its squared norm.
  virtual void step_residual();

 protected:
  void body(Monitor& monitor) override;
};

/// Is an iteration around a fallback, which runs on the host, so that the loop cannot be recorded. It computes the true
/// residual, because the recurrence would not show the rounding limit.
class FallbackIteration final : public ConjugateGradients {
 public:
  using ConjugateGradients::ConjugateGradients;
  void iterate(Monitor& monitor, int limit) override;
};

}  // namespace poisson
