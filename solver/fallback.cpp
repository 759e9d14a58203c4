// What a solver does where its iteration fails: it announces, makes and refuses fallbacks.

#include <string>

#include "backends/clear.hpp"
#include "backends/error.hpp"
#include "solver/solver.hpp"

namespace poisson {
namespace {

// Why the iteration does not go on as it is.
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

// A fallback that may start, made if it is not there yet; else null. One line says which and why.
Preconditioner* Solver::take_rung(std::size_t at, const Monitor& monitor, Result& result) {
  rungs_.resize(ladder_.size());
  const Offer offer = ladder_[at].offer();
  if (offer.kind == Offer::Kind::skipped) return nullptr;
  const int iterations = monitor.state().iterations;
  std::string line = "after " + std::to_string(iterations) + (iterations == 1 ? " iteration (" : " iterations (") +
                     reason_of(monitor) + "): " + ladder_[at].name +
                     (offer.cost.empty() ? "" : " on the host, " + offer.cost);
  const auto tell = [&] {
    result.steps.push_back(line);
    if (announce_) announce_(line);
  };
  const auto refuse = [&](const std::string& why) {
    line += "; not started, since " + why;
    if (result.refused.empty()) result.refused = line;
    tell();
    return nullptr;
  };
  if (!rungs_[at] && offer.kind == Offer::Kind::refused) return refuse(offer.refusal);
  tell();
  line = ladder_[at].name;
  try {
    if (!rungs_[at]) rungs_[at] = ladder_[at].make();
  } catch (const RunError& error) {
    return refuse(std::string("its set-up failed: ") + error.what());
  }
  if (rungs_[at]) return rungs_[at].get();
  return refuse("memory ran out while it was set up: use fewer cells, or another solver.smoother");
}

// Conjugate gradients take iterates back, which direct solutions do not: the best one is what they have found.
void Solver::begin_from_best(const MonitorState& state) {
  const bool broken = state.verdict == Verdict::not_finite;
  if (best_) {
    if (broken || state.best_iteration < state.iterations) backend_.copy(best_, u_);
    return;
  }
  best_ = Field(backend_, A_->space(), A_->precision());
  if (broken) clear_unknowns(u_);
  backend_.copy(u_, best_);
}

// ‖b − Au‖² of u as it is; leaves the residual in r.
double Solver::true_norm() {
  for (Field* f : {&r_, &p_, &q_})
    if (!*f) *f = Field(backend_, A_->space(), A_->precision());
  backend_.fill(r_, 0);
  A_->residual(u_, b_, r_, one_, norm_);
  return backend_.value(norm_);
}

// Ends with the best iterate where an iteration broke down and what could go on was refused.
void Solver::withdraw(Monitor& monitor) {
  const Verdict verdict = monitor.state().verdict;
  if ((verdict != Verdict::diverged && verdict != Verdict::not_finite) || !best_) return;
  backend_.copy(best_, u_);
  const double norm = true_norm();
  if (!is_finite(norm)) return;
  monitor.change(norm);
  monitor.state().verdict = Verdict::stagnated;
}

}  // namespace poisson
