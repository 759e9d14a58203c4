#include "app/answers/effective.hpp"

#include <array>
#include <memory>

#include "app/answers/periodic_axes.hpp"
#include "app/cases/model_case.hpp"
#include "backends/device/arrays.hpp"
#include "solver/grid_model.hpp"

namespace poisson {

EffectiveAnswer::EffectiveAnswer(const Config& config, Case& work, const std::function<bool()>& stopped,
                                 Summary& summary)
    : config_(config), tally_(config.output.effective->axes, config.output.effective->periodic) {
  const Config::Output::Effective& wanted = *config.output.effective;
  add_axis(work, wanted.axes[0], summary.converged);
  if (wanted.periodic)
    tally_.count(solve_periodic_axes(work, wanted.axes, stopped,
                                     [&](int axis, bool converged) { add_axis(work, axis, converged); }));
  tally_.add_means(dynamic_cast<GridModel&>(dynamic_cast<ModelCase&>(work).model()).discretization());
  summary.converged = summary.converged || !tally_.percolates(wanted.axes[0]);
}

void EffectiveAnswer::add_axis(Case& work, int axis, bool converged) {
  auto& solved = dynamic_cast<ModelCase&>(work);
  tally_.add(dynamic_cast<GridModel&>(solved.model()).discretization(), solved.solver().solution(), axis, converged);
}

void EffectiveAnswer::finish(Backend& backend, const std::shared_ptr<const Processes>& processes,
                             const std::function<bool()>& stopped, Summary& summary) {
  const std::shared_ptr<void> kept = keep_released_memory(backend);
  // Fixed faces change places from axis to axis, and so does the operator.
  const Config::Output::Effective& wanted = *config_.output.effective;
  for (std::size_t n = 1; n < wanted.axes.size() && !wanted.periodic; ++n) {
    const int axis = wanted.axes[n];
    if (stopped()) {
      tally_.fail(axis);
      continue;
    }
    Config turned = config_;
    drive(turned, axis);
    const std::unique_ptr<Case> other = make_case(turned, processes);
    other->make_solver(backend, nullptr);
    other->fill();
    const Result result = other->solve(false, [&](const Solver::Progress&) { return !stopped(); });
    tally_.count(result.iterations);
    add_axis(*other, axis, result.converged());
  }
  summary.effective = tally_.finish();
  if (!summary.effective->failed.empty()) summary.converged = false;
}

}  // namespace poisson
