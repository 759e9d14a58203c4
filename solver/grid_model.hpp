#pragma once

#include <memory>
#include <utility>

#include "grids/schemes/discretization.hpp"
#include "solver/model.hpp"

namespace poisson {

/// Is the model of a problem on a grid.
class GridModel final : public Model {
 public:
  /// Discretizes the problem (Discretization).
  GridModel(Backend& backend, Problem problem, Assembly assembly = Assembly::automatic,
            Sampling sampling = Sampling::automatic, const Sharing& sharing = {})
      : own_(std::make_unique<Discretization>(backend, std::move(problem), assembly, sampling, sharing)),
        discretization_(*own_) {}
  /// Uses a discretization, which must outlive the model.
  explicit GridModel(const Discretization& discretization) : discretization_(discretization) {}

  const Discretization& discretization() const { return discretization_; }
  /// Returns the properties of the sampled κ.
  KappaSummary kappa() const { return {discretization_.rows().kappa, discretization_.jumps()}; }

  Backend& backend() const override { return discretization_.backend(); }
  const Space& space() const override { return space_; }
  Plan plan(const Options& options) const override;
  std::size_t bytes() const override { return discretization_.bytes(); }
  Traits traits(const Options& options) const override;
  Hierarchy levels(const Plan& plan) const override;
  std::unique_ptr<Operator> finest(const Plan& plan, Precision precision) const override;
  DirectSolution direct(const Operator& A, const Options& options, bool requested, Profile* profile) const override;
  std::unique_ptr<SweepPass> sweep_pass(Precision precision) const override;
  std::unique_ptr<Extrapolation> extrapolation(Precision precision) const override;
  double fill(Field& b, Field& u) const override;

 private:
  std::unique_ptr<Discretization> own_;  // null if the caller owns it
  const Discretization& discretization_;
  Space space_ = discretization_.block().space();
};

/// Makes a solver for a discretization, which must outlive it. The solver owns the model.
std::unique_ptr<Solver> make_solver(const Discretization& discretization, const Options& options,
                                    Profile* profile = nullptr);

}  // namespace poisson
