#pragma once

#include <memory>

#include "grids/compact/aggregation_levels.hpp"
#include "grids/compact/row_levels.hpp"
#include "grids/compact/row_operator.hpp"
#include "grids/compact/row_system.hpp"
#include "solver/model.hpp"

namespace poisson {

/// Returns the options for compact rows: conjugate gradients with algebraic multigrid, or with the diagonal (method:
/// cg). Throws InputError, which names the key, for options that need a grid.
Options resolve_row_options(const Options& options);

/// Contains what a plan of compact rows depends on.
struct RowSizes {
  std::int64_t rows = 0, entries = 0;
  bool gpu = false, on_device = false;  ///< the solver runs on a GPU; A is in its memory already
};
/// Returns the plan of compact rows with its bytes.
Plan plan_rows(const Options& options, const RowSizes& sizes);
/// Sets the bytes of a plan of compact rows.
void count_row_bytes(Plan& plan, const RowSizes& sizes);

/// Is the model of compact rows, which must outlive it. To solve with other values on the same pattern, change them and
/// call Solver::update: aggregates and patterns of coarse levels are then used again if `keeps_levels` is set.
class RowsModel final : public Model {
 public:
  /// Throws RunError if there are too many rows.
  RowsModel(Backend& backend, const RowSystem& system, bool keeps_levels = false);

  Backend& backend() const override { return backend_; }
  const Space& space() const override { return space_.space(); }
  const RowSpace& rows() const { return space_; }
  Plan plan(const Options& options) const override;
  void count_bytes(Plan& plan) const override;
  Traits traits(const Options& options) const override;
  Hierarchy levels(const Plan& plan) const override;
  std::unique_ptr<Operator> finest(const Plan& plan, Precision precision) const override;
  double fill(Field& b, Field& u) const override;

  /// Returns the operator of another matrix on the host times the scale of this one. Call it after levels().
  std::unique_ptr<Operator> operator_of(const CsrMatrix& A, Precision precision) const;

  /// Returns the entries of all levels over those of A; 1 before levels().
  double operator_complexity() const { return complexity_; }
  /// Returns the power of two by which A and b are multiplied.
  double scale() const;

 private:
  Hierarchy gpu_levels(const Plan& plan) const;

  Backend& backend_;
  const RowSystem& system_;
  RowSpace space_;
  bool keeps_levels_;
  mutable std::shared_ptr<CompactRows> finest_;
  mutable std::unique_ptr<AggregationLevels> kept_;
  mutable std::unique_ptr<RowLevels> on_gpu_;
  mutable double complexity_ = 1;
};

}  // namespace poisson
