#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "backends/scalar.hpp"

namespace poisson {

class Backend;

enum class Verdict { running, converged, diverged, stagnated, not_finite, stopped };

/// When an iteration ends. All norms are squared, so that no verb has to take a root.
struct StoppingRule {
  double target = 0;              ///< converged at or below it; 0 never
  double divergence = 1e12;       ///< diverged above this multiple of the first norm (a residual grown by 10⁶)
  int stagnation_window = 20;     ///< stagnated when the best norm of so many iterations …
  double stagnation_gain = 2e-4;  ///< … is not smaller by this fraction
};

/// What a monitor knows, in plain data: a backend may keep it in its own memory and observe on the device.
struct MonitorState {
  Verdict verdict = Verdict::running;
  int iterations = 0;
  double first = 0, last = 0, best = 0;
  int best_iteration = 0;
  double window_best = 0;  ///< the best norm when the stagnation window began
  int window_start = 0;
  double rose = 0;  ///< 1 where the last norm is the first one above the best: the iterate before it is the best
};

/// Takes the squared residual norm of the start.
constexpr void begin(MonitorState& state, double norm) {
  state = MonitorState{};
  state.first = state.last = state.best = state.window_best = norm;
}

/// Takes the squared residual norm after one more iteration and decides.
constexpr void observe(MonitorState& state, const StoppingRule& rule, double norm) {
  ++state.iterations;
  state.rose = norm > state.best && state.best_iteration == state.iterations - 1 ? 1 : 0;
  state.last = norm;
  if (!(norm <= 1.7976931348623157e308)) {
    state.verdict = Verdict::not_finite;
    state.rose = state.best_iteration == state.iterations - 1 ? 1 : 0;
    return;
  }
  if (norm < state.best) {
    state.best = norm;
    state.best_iteration = state.iterations;
  }
  if (norm <= rule.target) {
    state.verdict = Verdict::converged;
  } else if (norm > rule.divergence * state.first) {
    state.verdict = Verdict::diverged;
  } else if (rule.target > 0 && state.iterations - state.window_start >= rule.stagnation_window) {
    if (state.best > state.window_best * (1 - rule.stagnation_gain)) state.verdict = Verdict::stagnated;
    state.window_best = state.best;
    state.window_start = state.iterations;
  }
}

/// Watches an iteration: decides when it ends, keeps its history, and knows which iterate was the best.
class Monitor {
 public:
  /// Called after each iteration with its number and squared norm; returning false stops the iteration.
  using Listener = std::function<bool(int iteration, double norm)>;

  Monitor(StoppingRule rule, Listener listener) : rule_(rule), listener_(std::move(listener)) {}

  const StoppingRule& rule() const { return rule_; }
  MonitorState& state() { return state_; }
  const MonitorState& state() const { return state_; }
  /// Squared norms, the start first.
  const std::vector<double>& history() const { return history_; }

  void begin(double norm) {
    poisson::begin(state_, norm);
    history_.assign(1, norm);
    if (listener_ && !listener_(0, norm)) state_.verdict = Verdict::stopped;
  }
  void observe(double norm) {
    poisson::observe(state_, rule_, norm);
    history_.push_back(norm);
    if (listener_ && !listener_(state_.iterations, norm) && state_.verdict == Verdict::running)
      state_.verdict = Verdict::stopped;
  }

  /// Replaces the last norm, which a recurrence had claimed, by the true one and goes on; false, with the verdict
  /// stagnated, where the truth has not halved since the last time.
  bool resume(double truth) {
    const bool progress = !(truth > 0.25 * resumed_);
    resumed_ = truth;
    history_.back() = state_.last = truth;
    state_.best = std::fmax(state_.best, truth);
    state_.verdict = progress ? Verdict::running : Verdict::stagnated;
    return progress;
  }

 private:
  double resumed_ = 1.7976931348623157e308;
  StoppingRule rule_;
  Listener listener_;
  MonitorState state_;
  std::vector<double> history_;
};

}  // namespace poisson
