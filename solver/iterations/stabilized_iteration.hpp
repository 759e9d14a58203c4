#pragma once

#include <functional>
#include <memory>
#include <string>

#include "solver/iterations/iteration.hpp"

namespace poisson {

/// Runs BiCGStab with right preconditioning (van der Vorst, SIAM J. Sci. Stat. Comput. 13, 1992, 631) for unsymmetric
/// A. If the residual stops falling or the recurrences break down, the diagonal replaces the preconditioner once. The
/// loop runs on the host, so that it cannot be recorded. The residual is a recurrence, which the solver verifies.
class StabilizedIteration final : public Iteration {
 public:
  /// With the diagonal, residuals of strong flows may stay above their best value for this number of iterations.
  static constexpr int plateau = 2000;

  using MakePreconditioner = std::function<std::unique_ptr<Preconditioner>()>;
  /// `other` makes the second preconditioner; empty: there is none.
  StabilizedIteration(Equation& equation, Preconditioner& preconditioner, MakePreconditioner other);

  void take_residual(const Scalar& scale, Scalar& norm) override;
  const Field& residual() const override { return e_.r; }
  void start(const Scalar& initial) override;
  void restart() override { take_residual(e_.one, e_.norm); }
  void iterate(Monitor& monitor, int limit) override;
  const Field& last_correction() const override { return step_; }
  Preconditioner* stepping() override { return &now(); }

  /// Returns the iteration at which the second preconditioner began, or −1.
  int changed_at() const { return changed_at_; }

 protected:
  void body(Monitor& monitor) override;

 private:
  Preconditioner& now() const { return other_ ? *other_ : preconditioner_; }
  void begin();
  void precondition(const Field& x, Field& y);
  bool change(Monitor& monitor);

  MakePreconditioner make_other_;
  std::unique_ptr<Preconditioner> other_;
  int changed_at_ = -1;
  Field shadow_, image_, step_, second_;  ///< r̂, A M p, the last change of u, and A M s
  Scalar rho_, before_, omega_;
};

}  // namespace poisson
