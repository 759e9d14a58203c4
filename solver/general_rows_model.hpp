#pragma once

#include <memory>
#include <optional>

#include "grids/compact/general_rows.hpp"
#include "solver/rows_model.hpp"

namespace poisson {

/// Is the model of a sparse matrix of any pattern, which must outlive it. Symmetric matrices are solved as those of
/// meshes. Unsymmetric ones are solved by BiCGStab, preconditioned by multigrid for (A + Aᵀ)/2, which has the same
/// diagonal; if that stagnates, by the diagonal.
class GeneralRowsModel final : public Model {
 public:
  GeneralRowsModel(Backend& backend, const GeneralRows& rows, bool keeps_levels = false);

  Backend& backend() const override { return inner_.backend(); }
  const Space& space() const override { return inner_.space(); }
  const RowSpace& rows() const { return inner_.rows(); }
  Plan plan(const Options& options) const override;
  void count_bytes(Plan& plan) const override { inner_.count_bytes(plan); }
  Traits traits(const Options& options) const override { return inner_.traits(options); }
  Hierarchy levels(const Plan& plan) const override { return inner_.levels(plan); }
  std::unique_ptr<Operator> finest(const Plan& plan, Precision precision) const override;
  bool has_own_finest() const override { return !rows_.is_symmetric(); }
  bool is_symmetric() const { return rows_.is_symmetric(); }
  double fill(Field& b, Field& u) const override { return inner_.fill(b, u); }

  /// Returns the entries of all levels over those of A; 1 before levels().
  double operator_complexity() const { return inner_.operator_complexity(); }

 private:
  const GeneralRows& rows_;
  std::optional<RowSystem> preconditioned_;  ///< (A + Aᵀ)/2 and b, for unsymmetric A
  RowsModel inner_;
};

/// Makes a solver for a model, like make_solver. If the symmetric part of an unsymmetric matrix is not positive
/// definite, so that it has no levels, the diagonal preconditions instead.
std::unique_ptr<Solver> make_general_solver(const GeneralRowsModel& model, const Options& options,
                                            Profile* profile = nullptr, const Plan* counted = nullptr);

}  // namespace poisson
