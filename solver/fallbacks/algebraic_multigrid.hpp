#pragma once

#include <memory>

#include "grids/compact/row_system.hpp"
#include "solver/fallbacks/rows.hpp"
#include "solver/multigrid/multigrid.hpp"
#include "solver/rows_model.hpp"

namespace poisson {

/// Solves by algebraic multigrid for the rows of an operator (docs/design/compact-rows.md). It is slower than methods
/// that use the grid, but it is robust for any variation of κ, σ and cell sizes. Levels are made, and cycles run, on
/// the device of the operator.
class AlgebraicMultigrid final : public Preconditioner {
 public:
  /// Requires A in fp64 with reach 1.
  explicit AlgebraicMultigrid(std::shared_ptr<const Operator> A);

  Field& rhs() override { return rhs_; }
  void solve() override;
  const Field& correction() const override { return e_; }

 private:
  std::shared_ptr<const Operator> A_;
  UnknownBox box_;
  Field rhs_, e_;
  RowSystem system_;
  std::unique_ptr<RowsModel> model_;
  std::unique_ptr<Multigrid> cycles_;
  double scale_ = 1;
};

/// Returns compressed rows, whose columns rise.
CsrMatrix matrix_of(const Rows& rows);

}  // namespace poisson
