#pragma once

#include <memory>

#include "grids/operators/operator.hpp"
#include "grids/operators/sweep_pass.hpp"
#include "solver/multigrid/preconditioner.hpp"
#include "solver/options.hpp"

namespace poisson {

/// Iterates damped Jacobi's method: u ← u + ω D⁻¹(b − A u). If a SweepPass is given, one pass makes several sweeps with
/// the same bits as single sweeps. An iteration of the solver is `sweeps` sweeps, all made in `correct`; `solve` does
/// nothing. The norm of an iterate is a by-product of the next pass, so one more pass is made than needed.
class JacobiSweeps final : public Preconditioner {
 public:
  /// Number of sweeps per iteration. Every depth of a pass divides it into an even number of passes.
  static constexpr int sweeps = 24;

  /// `A` is the operator of the solution. `pass` sweeps its rows and may be null.
  JacobiSweeps(std::shared_ptr<const Operator> A, std::unique_ptr<const SweepPass> pass,
               const SmootherOptions& options);

  Field& rhs() override { return ahead_; }
  void solve() override {}
  /// Returns the update of the next sweep. Discards the sweeps made ahead, so the caller must compute a new residual.
  const Field& correction() const override;
  /// Without `applied`, only computes the norm of u at the start of an iteration.
  void correct(const Operator& A, Field& u, const Field& b, const Scalar* applied, const Scalar& scale,
               Scalar& norm) override;

 private:
  int ahead() const { return pass_ ? pass_->sweeps() : 1; }
  void look_ahead(const Field& u, const Field& b, Scalar& norm);

  std::shared_ptr<const Operator> A_;
  std::unique_ptr<const SweepPass> pass_;
  std::unique_ptr<const SymmetricSplitting> points_;
  double damping_;
  mutable Field ahead_;  // u after one more pass
  const Field *u_ = nullptr, *b_ = nullptr;
  Scalar one_;
};

}  // namespace poisson
