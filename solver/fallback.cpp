// This file handles failed iterations and iterations with a small residual but a large error: the solver resumes them,
// or it announces, makes and refuses fallbacks.

#include <algorithm>
#include <cmath>
#include <string>

#include "backends/device/clear.hpp"
#include "backends/memory/error.hpp"
#include "solver/norms.hpp"
#include "solver/solver.hpp"

namespace poisson {
namespace {

// Returns why the iteration cannot continue unchanged.
std::string reason_of(const Monitor& monitor) {
  const MonitorState& state = monitor.state();
  switch (state.verdict) {
    case Verdict::diverged:
      return "the residual grew by 10⁶";
    case Verdict::not_finite:
      return "the residual is not a finite number";
    case Verdict::converged:
      return "the estimated error of u is too large";
    default:
      break;
  }
  const bool slow = state.prospect_start == state.iterations && state.window_start != state.iterations;
  return slow ? "too slow to converge within " + std::to_string(monitor.rule().horizon) : "the residual stagnated";
}

}  // namespace

// Returns a fallback that may start, made on first use, or null. Reports one line with its name and the reason.
Preconditioner* Solver::make_fallback(std::size_t at, const Monitor& monitor, Result& result) {
  fallbacks_.resize(chain_.size());
  const Offer offer = chain_[at].offer();
  if (offer.kind == Offer::Kind::skipped) return nullptr;
  const int iterations = monitor.state().iterations;
  std::string line = "after " + std::to_string(iterations) + (iterations == 1 ? " iteration (" : " iterations (") +
                     reason_of(monitor) + "): " + chain_[at].name +
                     (offer.cost.empty() ? "" : " on the host, " + offer.cost);
  const auto tell = [&] {
    result.steps.push_back(line);
    if (announce_) announce_(line);
  };
  const auto refuse = [&](const std::string& why) {
    line += "; not started, because " + why;
    if (result.refused.empty()) result.refused = line;
    tell();
    return nullptr;
  };
  if (!fallbacks_[at] && offer.kind == Offer::Kind::refused) return refuse(offer.refusal);
  tell();
  line = chain_[at].name;
  try {
    if (!fallbacks_[at]) fallbacks_[at] = chain_[at].make();
  } catch (const RunError& error) {
    return refuse(std::string("its set-up failed: ") + error.what());
  }
  if (fallbacks_[at]) return fallbacks_[at].get();
  return refuse("memory ran out during its set-up: use fewer cells, or another solver.smoother");
}

// Cycles and conjugate gradients store their best iterate in best_. Direct solutions do not, so u is their best one. If
// cycles broke down before a residual rose, best_ was never written, and u restarts from the data alone.
void Solver::begin_from_best(const MonitorState& state) {
  const bool broken = state.verdict == Verdict::not_finite;
  const bool stores = active_ || options_.method == Method::multigrid;  // only after a finite residual has risen
  const bool stored = best_ && (best_stored_ || (stores && state.best_iteration + (broken ? 1 : 0) < state.iterations));
  if (!best_) best_ = Field(backend_, A_->space(), A_->precision());
  if (broken && !stored)
    clear_unknowns(u_);
  else if (stored && (broken || state.best_iteration < state.iterations))
    backend_.copy(best_, u_);
  backend_.copy(u_, best_);
  best_stored_ = true;
}

// Returns ‖b − Au‖² of the current u and leaves the residual in r.
double Solver::true_norm() {
  for (Field* f : {&r_, &p_, &q_})
    if (!*f) *f = Field(backend_, A_->space(), A_->precision());
  backend_.fill(r_, 0);
  A_->residual(u_, b_, r_, one_, norm_);
  return backend_.value(norm_);
}

// Restores the best iterate after a breakdown if every fallback was refused.
void Solver::withdraw(Monitor& monitor) {
  const Verdict verdict = monitor.state().verdict;
  if ((verdict != Verdict::diverged && verdict != Verdict::not_finite) || !best_) return;
  begin_from_best(monitor.state());
  const double norm = true_norm();
  if (!is_finite(norm)) return;
  monitor.change(norm);
  monitor.state().verdict = Verdict::stagnated;
}

// Conjugate gradients around a preconditioner that runs on the host, so the loop cannot be recorded.
void Solver::solve_on(Preconditioner& preconditioner, Monitor& monitor) {
  const MonitorState& state = monitor.state();
  const double epsilon = unit_roundoff(A_->precision());
  restart_conjugation();
  for (int at_floor = 0; state.iterations < options_.max_iterations && state.verdict == Verdict::running;) {
    next_direction(preconditioner);
    backend_.axpy(alpha_, p_, u_);
    A_->residual(u_, b_, r_, one_, norm_);  // the recurrence would not show the rounding limit
    monitor.observe(backend_.value(norm_));
    if (A_->singular()) A_->project_rhs(r_, work_);
    if (state.rose != 0) backend_.subtract(u_, alpha_, p_, best_);
    A_->rounding(u_, work_);
    at_floor = state.last <= std::pow(2 * epsilon, 2) * backend_.value(work_) ? at_floor + 1 : 0;
    if (at_floor == 3 && state.verdict == Verdict::running) monitor.state().verdict = Verdict::stagnated;
  }
}

// Resumes from the best iterate with the next fallback that may start. If there is none, resumes the iteration that was
// abandoned as too slow. Returns false if nothing is left.
bool Solver::start_next_fallback(Monitor& monitor, Result& result) {
  const MonitorState& state = monitor.state();
  while (fallback_ < chain_.size()) {
    Preconditioner* const fallback = make_fallback(fallback_++, monitor, result);
    if (!fallback) continue;
    begin_from_best(state);
    double norm = true_norm();
    if (!is_finite(norm)) {
      clear_unknowns(u_);
      norm = true_norm();
    }
    if (!is_finite(norm)) return false;
    if (fallback_ == chain_.size()) monitor.rule().horizon = 0;
    since_ = monitor.history().size() - 1;
    active_ = fallback;
    monitor.change(norm);
    solve_on(*active_, monitor);
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

// Jacobi sweeps are repeated from their stored start; they give the same bits.
void Solver::restore_best(const MonitorState& state) {
  backend_.copy(best_, u_);
  if (options_.method != Method::jacobi) return;
  take_residual(one_, work_);
  for (int i = state.since; i < state.best_iteration; ++i) preconditioner_->correct(*A_, u_, b_, &one_, one_, work_);
}

// Resumes the same iteration with a smaller tolerance.
void Solver::resume_abandoned(Monitor& monitor) {
  if (monitor.state().best_iteration < monitor.state().iterations) restore_best(monitor.state());
  begin_again(monitor);
  if (active_) return solve_on(*active_, monitor);
  resume(monitor);
  if (options_.krylov == Krylov::cg) verify(monitor);
}

// Continues if the iteration failed or is predicted to fail, or if the residual is below the tolerance and the
// estimated error of u is too large.
void Solver::finish(Monitor& monitor, Result& result) {
  const MonitorState& state = monitor.state();
  const double tolerance = options_.tolerance;
  result.estimated_error = estimated_error(monitor);
  if (tolerance == 0) return;
  const auto failed = [&] {
    return state.verdict == Verdict::stagnated || state.verdict == Verdict::diverged ||
           state.verdict == Verdict::not_finite;
  };
  const auto conjugate = [&] { return options_.krylov == Krylov::cg || active_; };
  // If rounding may hide errors, their estimates depend on chance, so the limit is stricter.
  const auto promised = [&] {
    return promised_error * tolerance * (conjugate() && rounding_may_hide(result.estimated_error) ? 0.2 : 1);
  };
  const auto inaccurate = [&] {
    return state.verdict == Verdict::converged && !(result.estimated_error <= promised());
  };
  // If κ has a wide range, small errors of u may be large flows.
  const auto imbalance = [&] {
    const bool seen = problem_.imbalance && !problem_.constrained && r_ && state.verdict == Verdict::converged;
    if (!seen || !conjugate()) return 0.0;
    const double share = problem_.imbalance(*A_, u_, b_, r_);
    backend_.fill(r_, 0);  // also in Dirichlet nodes, where it stored flows
    return share;
  };
  double unbalanced = imbalance();
  const auto short_of = [&] { return std::max(inaccurate() ? result.estimated_error : 0.0, unbalanced); };
  // No fallback improves an iteration limited by rounding. The floor is recomputed from the final u.
  const double epsilon = unit_roundoff(A_->precision());
  const auto at_floor = [&] {
    if (!failed() || !is_finite(state.last)) return false;
    if (A_->singular()) A_->project_solution(u_);
    A_->rounding(u_, work_);
    const double rounding = backend_.value(work_);
    if (is_finite(rounding)) monitor.state().rounding = rounding;
    // The first fallback may still get below the floor if u is nearly constant, or improve u in spite of it.
    const double share = fallback_ == 0 && !chain_.empty() ? 0.1 : 0.5;
    return std::sqrt(state.best) < share * epsilon * std::sqrt(rounding) &&
           (fallback_ > 0 || result.estimated_error <= promised_error * tolerance);
  };
  bool rounding_ends = false;  // other methods have the same rounding in their residuals
  if (options_.method == Method::direct && (failed() || inaccurate())) {
    result.estimated_error = take_direct_steps(monitor);
    A_->rounding(u_, work_);
    rounding_ends = state.last <= 16 * epsilon * epsilon * backend_.value(work_);
  }
  const auto may_go_on = [&] { return state.iterations < options_.max_iterations && !rounding_ends && !at_floor(); };
  // Error estimates of conjugate gradients may be low by a factor of ten, so the iteration continues near the limit.
  const auto near = [&] { return conjugate() && result.estimated_error > 0.3 * promised_error * tolerance; };
  const auto goes_on = [&](int resumed) {
    return failed() || inaccurate() || unbalanced > promised_error * tolerance || (near() && resumed < 2);
  };
  // Each preconditioner is resumed twice before a more robust one is made.
  for (int resumed = 0; may_go_on() && goes_on(resumed);) {
    const bool good = !failed() && !inaccurate();
    const double estimate = result.estimated_error;
    const double excess = std::max(short_of(), near() ? estimate : 0.0);
    if (!failed()) {
      double& target = monitor.rule().tolerance;
      if (state.last > 0) target = std::min(target, relative(state.last, state));  // one more iteration
      target *= std::clamp(0.3 * promised_error * tolerance / excess, 1e-3, 0.3);
    }
    if (!failed() && (!direct_ || active_) && resumed++ < 2)
      resume_abandoned(monitor);
    else if ((failed() || inaccurate()) && start_next_fallback(monitor, result))
      resumed = 0;
    else
      break;
    result.estimated_error = estimated_error(monitor);
    if (good && failed()) {  // rounding stops the improvement of flows or estimates; u is no worse
      result.estimated_error = estimate;
      break;
    }
    unbalanced = imbalance();
  }
  if (at_floor() && state.verdict == Verdict::diverged) monitor.state().verdict = Verdict::stagnated;
  monitor.rule().tolerance = tolerance;
  if (state.verdict != Verdict::stopped && is_finite(state.best) && state.best <= target(state, monitor.rule()))
    monitor.state().verdict = result.estimated_error <= promised() ? Verdict::converged : Verdict::inaccurate;
}

}  // namespace poisson
