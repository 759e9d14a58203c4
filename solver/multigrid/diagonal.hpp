#pragma once

#include <memory>
#include <utility>

#include "grids/operators/operator.hpp"
#include "solver/multigrid/preconditioner.hpp"

namespace poisson {

/// Applies B⁻¹ with B the diagonal: diagonal scaling for conjugate gradients.
class DiagonalPreconditioner final : public Preconditioner {
 public:
  explicit DiagonalPreconditioner(std::shared_ptr<const Operator> A)
      : A_(std::move(A)),
        splitting_(A_->split()),
        rhs_(A_->backend(), A_->space(), A_->precision()),
        e_(A_->backend(), A_->space(), A_->precision()) {}

  Field& rhs() override { return rhs_; }
  void solve() override { splitting_->start(1, rhs_, e_); }
  const Field& correction() const override { return e_; }

 private:
  std::shared_ptr<const Operator> A_;
  std::unique_ptr<const SymmetricSplitting> splitting_;
  Field rhs_, e_;
};

}  // namespace poisson
