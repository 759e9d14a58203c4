#pragma once

#include <memory>

#include "grids/operators/operator.hpp"
#include "grids/operators/sweep_pass.hpp"
#include "solver/multigrid/preconditioner.hpp"
#include "solver/options.hpp"

namespace poisson {

/// Jacobi's method, damped: u ← u + ω D⁻¹(b − A u), several sweeps a pass where there are passes, with the same bits as
/// one by one. An iteration of the solver is so many sweeps, and `correct` takes them; nothing is left for `solve`.
/// The norm of the iterate comes with the pass that goes on from it, so that one pass more is made than is needed.
class JacobiSweeps final : public Preconditioner {
 public:
  /// Of an iteration: a number that every depth of a pass divides into an even number of passes.
  static constexpr int sweeps = 24;

  /// `A`: the operator of the solution; `pass`: of its rows, null for none.
  JacobiSweeps(std::shared_ptr<const Operator> A, std::unique_ptr<const SweepPass> pass,
               const SmootherOptions& options);

  Field& rhs() override { return ahead_; }
  void solve() override {}
  /// What the next sweep would add. The sweeps that have been taken ahead are lost: a residual is to be taken anew.
  const Field& correction() const override;
  /// Without `applied` the norm of u alone, from where an iteration goes on.
  void correct(const Operator& A, Field& u, const Field& b, const Scalar* applied, const Scalar& scale,
               Scalar& norm) override;

 private:
  int ahead() const { return pass_ ? pass_->sweeps() : 1; }
  void look_ahead(const Field& u, const Field& b, Scalar& norm);

  std::shared_ptr<const Operator> A_;
  std::unique_ptr<const SweepPass> pass_;
  std::unique_ptr<const SymmetricSplitting> points_;
  double damping_;
  mutable Field ahead_;  // u after the sweeps of one pass more
  const Field *u_ = nullptr, *b_ = nullptr;
  Scalar one_;
};

}  // namespace poisson
