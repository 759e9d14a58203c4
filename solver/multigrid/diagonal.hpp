#pragma once

#include "grids/operators/operator.hpp"
#include "solver/multigrid/preconditioner.hpp"

namespace poisson {

/// ω D⁻¹: damped Jacobi as a stationary iteration, diagonal scaling under conjugate gradients.
class DiagonalPreconditioner final : public Preconditioner {
 public:
  DiagonalPreconditioner(std::shared_ptr<const Operator> A, double relaxation)
      : A_(std::move(A)),
        relaxation_(relaxation),
        rhs_(A_->backend(), A_->layout(), A_->precision()),
        e_(A_->backend(), A_->layout(), A_->precision()) {}

  Field& rhs() override { return rhs_; }
  const Field& solve() override {
    A_->polynomial_start(relaxation_, rhs_, e_);
    return e_;
  }

 private:
  std::shared_ptr<const Operator> A_;
  double relaxation_;
  Field rhs_, e_;
};

}  // namespace poisson
