#include "app/cases/model_case.hpp"

#include <utility>

namespace poisson {

ModelCase::ModelCase(const Options& options, Sharing sharing, const Block& whole)
    : options_(options), sharing_(std::move(sharing)), part_(sharing_.part_of(whole)) {}

const Plan& ModelCase::plan(bool gpu) const {
  if (!plan_) plan_ = make_plan(gpu);
  return *plan_;
}

std::vector<std::vector<int>> ModelCase::cuts() const {
  if (!part_.share) return {};
  const auto& first = part_.share->cuts.first;
  return {first.begin(), first.begin() + output_grid().dimension};
}

void ModelCase::widen() {
  options_.precision = SolvePrecision::mixed;
  plan_.reset();
  solver_.reset();
  model_.reset();
}

Solver& ModelCase::make_solver(Backend& backend, Profile* profile) {
  model_ = make_model(backend);
  solver_ = poisson::make_solver(*model_, options_, profile, &plan(backend.on_gpu()));
  return *solver_;
}

}  // namespace poisson
