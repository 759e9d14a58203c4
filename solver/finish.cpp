// This file handles failed iterations and iterations with a small residual but a large error: the solver resumes them,
// or changes to fallbacks.

#include <algorithm>
#include <cmath>

#include "backends/device/unknowns.hpp"
#include "solver/iterations/conjugate_gradients.hpp"
#include "solver/iterations/direct_iteration.hpp"
#include "solver/norms.hpp"
#include "solver/solver.hpp"

namespace poisson {
namespace {

bool failed(const MonitorState& state) {
  return state.verdict == Verdict::stagnated || state.verdict == Verdict::diverged ||
         state.verdict == Verdict::not_finite;
}

}  // namespace

// Contains the state of finish().
struct Solver::Ending {
  Monitor& monitor;
  Result& result;
  double unbalanced = 0;       // relative imbalance of flows
  bool rounding_ends = false;  // other methods have the same rounding in their residuals
};

// Returns the largest acceptable error. If rounding may hide errors, their estimates depend on chance, so the limit is
// stricter.
double Solver::promised(double estimate) const {
  return promised_error * e_.options.tolerance * (phase_.conjugate() && error_.rounding_may_hide(estimate) ? 0.2 : 1);
}

// If κ has a wide range, small errors of u may be large flows.
double Solver::imbalance(const MonitorState& state) {
  const bool seen =
      checks_flows_ && e_.traits.imbalance && !e_.traits.constrained && e_.r && state.verdict == Verdict::converged;
  if (!seen || !phase_.conjugate()) return 0;
  const double share = e_.traits.imbalance(*e_.A, e_.u, e_.b, e_.r);
  e_.backend.fill(e_.r, 0);  // also in Dirichlet nodes, where it stored flows
  return share;
}

// Returns whether rounding limits a failed iteration, which no fallback improves. The floor is recomputed from the
// final u.
bool Solver::at_floor(Monitor& monitor, const Result& result) {
  const MonitorState& state = monitor.state();
  if (!failed(state) || !is_finite(state.last)) return false;
  if (e_.A->singular()) e_.A->project_solution(e_.u);
  e_.A->rounding(e_.u, e_.work);
  const double rounding = e_.backend.value(e_.work);
  if (is_finite(rounding)) monitor.state().rounding = rounding;
  // The first fallback may still get below the floor if u is nearly constant, or improve u in spite of it.
  const double share = fallbacks_.at_begin() && !fallbacks_.empty() ? 0.1 : 0.5;
  return std::sqrt(state.best) < share * e_.epsilon * std::sqrt(rounding) &&
         (!fallbacks_.at_begin() || result.estimated_error <= promised_error * e_.options.tolerance);
}

// Continues if the iteration failed or is predicted to fail, or if the residual is below the tolerance and the
// estimated error of u is too large.
void Solver::finish(Monitor& monitor, Result& result) {
  const MonitorState& state = monitor.state();
  const double tolerance = e_.options.tolerance;
  result.estimated_error = error_.of(monitor, phase_);
  if (tolerance == 0) return;
  Ending end{monitor, result, imbalance(state)};
  if (direct_ && (failed(state) || inaccurate(state, result))) {
    result.estimated_error = direct_->take_steps(monitor);
    e_.A->rounding(e_.u, e_.work);
    end.rounding_ends = state.last <= 16 * e_.epsilon * e_.epsilon * e_.backend.value(e_.work);
  }
  improve(end);
  if (at_floor(monitor, result) && state.verdict == Verdict::diverged) monitor.state().verdict = Verdict::stagnated;
  monitor.rule().tolerance = tolerance;
  if (state.verdict != Verdict::stopped && is_finite(state.best) && state.best <= target(state, monitor.rule()))
    monitor.state().verdict =
        result.estimated_error <= promised(result.estimated_error) ? Verdict::converged : Verdict::inaccurate;
}

bool Solver::inaccurate(const MonitorState& state, const Result& result) const {
  return state.verdict == Verdict::converged && !(result.estimated_error <= promised(result.estimated_error));
}

// Returns whether error estimates of conjugate gradients, which may be low by a factor of ten, are near the limit.
bool Solver::near_limit(const Result& result) const {
  return phase_.conjugate() && result.estimated_error > 0.3 * promised_error * e_.options.tolerance;
}

// Each preconditioner is resumed twice before a more robust one is made.
void Solver::improve(Ending& end) {
  const MonitorState& state = end.monitor.state();
  const auto goes_on = [&](int resumed) {
    if (state.iterations >= e_.options.max_iterations || end.rounding_ends || at_floor(end.monitor, end.result))
      return false;
    if (!is_finite(state.initial)) return false;  // neither are the data, and no method helps
    return failed(state) || inaccurate(state, end.result) || end.unbalanced > promised_error * e_.options.tolerance ||
           (near_limit(end.result) && resumed < 2);
  };
  for (int resumed = 0; goes_on(resumed) && proceed(end, resumed);) {
  }
}

// Resumes the iteration with a smaller tolerance, or starts the next fallback. Returns false at the end.
bool Solver::proceed(Ending& end, int& resumed) {
  Monitor& monitor = end.monitor;
  Result& result = end.result;
  const MonitorState& state = monitor.state();
  const bool good = !failed(state) && !inaccurate(state, result);
  const double estimate = result.estimated_error;
  const double excess =
      std::max({inaccurate(state, result) ? estimate : 0.0, end.unbalanced, near_limit(result) ? estimate : 0.0});
  if (!failed(state)) {
    double& target = monitor.rule().tolerance;
    if (state.last > 0) target = std::min(target, relative(state.last, state));  // one more iteration
    target *= std::clamp(0.3 * promised_error * e_.options.tolerance / excess, 1e-3, 0.3);
  }
  if (!failed(state) && (!direct_ || phase_.fallback) && resumed++ < 2)
    resume_abandoned(monitor);
  else if ((failed(state) || inaccurate(state, result)) && start_next_fallback(monitor, result))
    resumed = 0;
  else
    return false;
  result.estimated_error = error_.of(monitor, phase_);
  if (good && failed(state)) {  // rounding stops the improvement of flows or estimates; u is no worse
    result.estimated_error = estimate;
    return false;
  }
  end.unbalanced = imbalance(state);
  return true;
}

// Resumes from the best iterate with the next fallback that may start. If there is none, resumes the iteration that was
// abandoned as too slow. Returns false if nothing is left.
bool Solver::start_next_fallback(Monitor& monitor, Result& result) {
  const MonitorState& state = monitor.state();
  if (Preconditioner* const next = fallbacks_.next(monitor, result)) {
    begin_from_best(state);
    double norm = e_.true_norm();
    if (!is_finite(norm)) {
      clear_unknowns(e_.u);
      norm = e_.true_norm();
    }
    if (!is_finite(norm)) return false;
    if (fallbacks_.at_end()) monitor.rule().horizon = 0;
    fallback_ = std::make_unique<FallbackIteration>(e_, *next);
    phase_.fallback = fallback_.get();
    phase_.since = monitor.history().size() - 1;
    monitor.change(norm);
    fallback_->iterate(monitor, e_.options.max_iterations);
    return true;
  }
  if (monitor.rule().horizon == 0 || state.verdict != Verdict::stagnated) {
    if (!result.refused.empty()) withdraw(monitor);
    return false;
  }
  // No fallback is left: resume the iteration that was abandoned as too slow.
  monitor.rule().horizon = 0;
  resume_abandoned(monitor);
  return true;
}

// Cycles and conjugate gradients store their best iterate. Direct solutions do not, so u is their best one. If cycles
// broke down before a residual rose, no best iterate was written, and u restarts from the data alone.
void Solver::begin_from_best(const MonitorState& state) {
  const bool broken = state.verdict == Verdict::not_finite;
  // Only after a finite residual has risen.
  const bool stores = phase_.fallback || e_.options.method == Method::multigrid;
  const bool stored =
      e_.best && (phase_.best_stored || (stores && state.best_iteration + (broken ? 1 : 0) < state.iterations));
  if (!e_.best) e_.best = e_.field();
  if (broken && !stored)
    clear_unknowns(e_.u);
  else if (stored && (broken || state.best_iteration < state.iterations))
    e_.backend.copy(e_.best, e_.u);
  e_.backend.copy(e_.u, e_.best);
  phase_.best_stored = true;
}

// Restores the best iterate after a breakdown if every fallback was refused.
void Solver::withdraw(Monitor& monitor) {
  const Verdict verdict = monitor.state().verdict;
  if ((verdict != Verdict::diverged && verdict != Verdict::not_finite) || !e_.best) return;
  begin_from_best(monitor.state());
  const double norm = e_.true_norm();
  if (!is_finite(norm)) return;
  monitor.change(norm);
  monitor.state().verdict = Verdict::stagnated;
}

// Resumes the same iteration with a smaller tolerance.
void Solver::resume_abandoned(Monitor& monitor) {
  if (e_.best && monitor.state().best_iteration < monitor.state().iterations)
    phase_.now().restore_best(monitor.state());
  begin_again(monitor);
  if (phase_.fallback) return phase_.fallback->iterate(monitor, e_.options.max_iterations);
  resume(monitor);
  if (has_recurrence(e_.options)) verify(monitor);
}

}  // namespace poisson
