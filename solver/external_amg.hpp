#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "grids/compact/row_space.hpp"
#include "grids/compact/row_system.hpp"
#include "solver/multigrid/preconditioner.hpp"
#include "solver/options.hpp"
#include "solver/rows_model.hpp"

namespace poisson {

/// Solves systems with one symmetric matrix by a library. Several processes pass and receive all values.
class ExternalAmg {
 public:
  virtual ~ExternalAmg() = default;
  /// Solves A x = b and returns the iterations. Collective.
  virtual int solve(const std::vector<double>& b, std::vector<double>& x) = 0;
};
using MakeExternalAmg = std::function<std::unique_ptr<ExternalAmg>(const Processes&, const RowSystem&, const Options&)>;

/// Sets the function that makes solvers of `solver.amg: hypre`. Programs with hypre call it once, before any solve.
void provide_external_amg(MakeExternalAmg make);
/// Returns whether it was set.
bool has_external_amg();

/// Is the model of compact rows that a library solves. All processes store the rows, and the library distributes its
/// levels and iterations over the processes. Refinement in 64 bits around it measures the residual and the error.
class ExternalRowsModel final : public Model {
 public:
  /// Throws InputError if no library was provided.
  ExternalRowsModel(Backend& backend, const RowSystem& system, std::shared_ptr<const Processes> processes);

  Backend& backend() const override { return inner_.backend(); }
  const Space& space() const override { return inner_.space(); }
  const RowSpace& rows() const { return inner_.rows(); }
  Plan plan(const Options& options) const override;
  void count_bytes(Plan& plan) const override { inner_.count_bytes(plan); }
  Traits traits(const Options& options) const override { return inner_.traits(options); }
  Hierarchy levels(const Plan& plan) const override { return inner_.levels(plan); }
  std::unique_ptr<Operator> finest(const Plan& plan, Precision precision) const override {
    return inner_.finest(plan, precision);
  }
  std::unique_ptr<Preconditioner> preconditioner(const Options& options) const override;
  double fill(Field& b, Field& u) const override { return inner_.fill(b, u); }

  /// Returns the iterations of the library since the preconditioner was made.
  int iterations() const { return *iterations_; }

 private:
  const RowSystem& system_;
  std::shared_ptr<const Processes> processes_;
  RowsModel inner_;
  std::shared_ptr<int> iterations_ = std::make_shared<int>(0);
};

}  // namespace poisson
