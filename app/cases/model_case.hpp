#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/cases/case.hpp"
#include "solver/model.hpp"

namespace poisson {

/// Is a case that a Model describes to the solver.
class ModelCase : public Case {
 public:
  const Sharing& sharing() const override { return sharing_; }
  const Plan& plan(bool gpu) const override;
  std::vector<std::vector<int>> cuts() const override;
  void widen() override;
  Solver& make_solver(Backend& backend, Profile* profile) override;
  /// Returns the model; make_solver has made it.
  Model& model() const { return *model_; }
  /// Returns the solver; make_solver has made it.
  Solver& solver() const { return *solver_; }
  Result solve(bool given_guess, const Solver::Listener& listener, Model::Data data) const override {
    return model_->solve(*solver_, given_guess, listener, data);
  }
  double fill() override { return model_->fill(solver_->rhs(), solver_->solution()); }

 protected:
  ModelCase(const Options& options, Sharing sharing, const Block& whole);

  virtual std::unique_ptr<Model> make_model(Backend& backend) = 0;
  virtual Plan make_plan(bool gpu) const = 0;

  Options options_;
  Sharing sharing_;
  Block part_;  ///< the sub-block of this process
  mutable std::optional<Plan> plan_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Solver> solver_;
};

}  // namespace poisson
