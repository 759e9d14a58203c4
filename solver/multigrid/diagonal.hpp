#pragma once

#include <memory>
#include <utility>

#include "grids/operators/operator.hpp"
#include "solver/multigrid/preconditioner.hpp"

namespace poisson {

/// ω B⁻¹ with B the diagonal: damped Jacobi as a stationary iteration, diagonal scaling under conjugate gradients.
class DiagonalPreconditioner final : public Preconditioner {
 public:
  /// `splitting`: of A.
  DiagonalPreconditioner(std::shared_ptr<const Operator> A, std::unique_ptr<const SymmetricSplitting> splitting,
                         double damping)
      : A_(std::move(A)),
        splitting_(std::move(splitting)),
        damping_(damping),
        rhs_(A_->backend(), A_->space(), A_->precision()),
        e_(A_->backend(), A_->space(), A_->precision()) {}

  Field& rhs() override { return rhs_; }
  void solve() override { splitting_->start(damping_, rhs_, e_); }
  const Field& correction() const override { return e_; }

 private:
  std::shared_ptr<const Operator> A_;
  std::unique_ptr<const SymmetricSplitting> splitting_;
  double damping_;
  Field rhs_, e_;
};

}  // namespace poisson
