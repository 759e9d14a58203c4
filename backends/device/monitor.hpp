#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "backends/memory/scalar.hpp"

namespace poisson {

class Backend;

/// States how an iteration ended. `inaccurate`: the residual is small enough, but the error of the solution is not.
enum class Verdict { running, converged, diverged, stagnated, not_finite, stopped, inaccurate };

/// Decides when an iteration ends. All norms are squared, so that no verb needs a square root.
struct StoppingRule {
  double tolerance = 0;      ///< an iteration converges below this fraction of the reference; 0: never
  double divergence = 1e12;  ///< an iteration diverges above this multiple of the first norm (a residual grown by 10⁶)
  double negligible = 0;     ///< after projection, data below this fraction of the original are rounding errors
  int stagnation_window = 20;     ///< an iteration stagnates if the best norm of this many iterations …
  double stagnation_gain = 2e-4;  ///< … decreases by less than this fraction
  /// If not 0: an iteration also stagnates when its best norm falls too slowly to converge within this many iterations.
  /// The rate is that of the last prospect_window iterations.
  int horizon = 0;
  static constexpr int prospect_window = 10;
};

/// Stores the state of a monitor as plain data, so that a backend can keep it in device memory and observe there.
struct MonitorState {
  Verdict verdict = Verdict::running;
  int iterations = 0;
  double initial = 0;    ///< residual of the guess
  double reference = 0;  ///< the tolerance is relative to this: the larger of the norm of the data and `initial`
  double rounding = 0;   ///< residual that is caused by rounding of the solution
  double first = 0, last = 0, best = 0;
  int best_iteration = 0;
  double window_best = 0;  ///< best norm as the stagnation window began
  int window_start = 0;
  double prospect_best = 0;  ///< best norm as the prospect window began
  int prospect_start = 0;
  int since = 0;    ///< iteration at which the current method began; its first prospect window is not judged
  double rose = 0;  ///< 1 if the last norm is the first one above the best: the iterate before it is the best
};

constexpr bool is_finite(double norm) {
  return norm <= 1.7976931348623157e308;
}  // false for NaN

constexpr double target(const MonitorState& state, const StoppingRule& rule) {
  return rule.tolerance * rule.tolerance * state.reference;
}

/// Returns whether the norms reach the target within the horizon if they keep falling as they did since prospect_start.
constexpr bool promising(const MonitorState& state, const StoppingRule& rule) {
  const int window = state.iterations - state.prospect_start;
  const double gain = state.best / state.prospect_best;
  double norm = state.best;
  for (int at = state.iterations; at < rule.horizon && norm > target(state, rule); at += window) norm *= gain;
  return norm <= target(state, rule);
}

/// Starts an iteration with squared norms: of the data, of the given guess's residual and of the start's residual.
/// `raw` is the norm of the data before their incompatible part was removed; the remainder may be rounding only.
constexpr void begin(MonitorState& state, const StoppingRule& rule, double raw, double data, double initial,
                     double start, double rounding) {
  state = MonitorState{};
  state.initial = initial;
  state.reference = data > initial ? data : initial;
  if (state.reference <= rule.negligible * raw) state.reference = 0;
  state.rounding = rounding;
  state.first = state.last = state.best = state.window_best = state.prospect_best = start;
  if (!is_finite(data) || !is_finite(initial) || !is_finite(start))
    state.verdict = Verdict::not_finite;
  else if (state.reference == 0 || (rule.tolerance > 0 && start <= target(state, rule)))
    state.verdict = Verdict::converged;
}

/// Records the squared residual norm of one more iteration and decides whether the iteration ends.
constexpr void observe(MonitorState& state, const StoppingRule& rule, double norm) {
  ++state.iterations;
  const bool was_best = state.best_iteration == state.iterations - 1;
  state.rose = was_best && norm > state.best ? 1 : 0;
  state.last = norm;
  if (!is_finite(norm)) {
    state.verdict = Verdict::not_finite;
    return;
  }
  if (norm <= state.best) {  // on ties the last iterate, which is still stored
    state.best = norm;
    state.best_iteration = state.iterations;
  }
  if (rule.tolerance > 0 && norm <= target(state, rule)) {
    state.verdict = Verdict::converged;
  } else if (norm > rule.divergence * state.first) {
    state.verdict = Verdict::diverged;
  } else if (rule.tolerance > 0 && state.iterations - state.window_start >= rule.stagnation_window) {
    if (state.best > state.window_best * (1 - rule.stagnation_gain)) state.verdict = Verdict::stagnated;
    state.window_best = state.best;
    state.window_start = state.iterations;
  }
  if (state.verdict == Verdict::running && rule.horizon > 0 &&
      state.iterations - state.prospect_start >= StoppingRule::prospect_window) {
    if (state.prospect_start > state.since && !promising(state, rule)) state.verdict = Verdict::stagnated;
    state.prospect_best = state.best;
    state.prospect_start = state.iterations;
  }
}

/// Watches an iteration: decides when it ends, records its history, and knows which iterate was the best.
class Monitor {
 public:
  /// Is called with every state, including the start. Returning false stops the iteration.
  using Listener = std::function<bool(const MonitorState&)>;

  Monitor() = default;
  Monitor(StoppingRule rule, Listener listener) : rule_(rule), listener_(std::move(listener)) {}

  StoppingRule& rule() { return rule_; }
  const StoppingRule& rule() const { return rule_; }
  MonitorState& state() { return state_; }
  const MonitorState& state() const { return state_; }
  /// Returns the squared norms, beginning with the start.
  const std::vector<double>& history() const { return history_; }

  void begin(double raw, double data, double initial, double start, double rounding) {
    poisson::begin(state_, rule_, raw, data, initial, start, rounding);
    history_.assign(1, start);
    tell();
  }
  void observe(double norm) {
    poisson::observe(state_, rule_, norm);
    history_.push_back(norm);
    tell();
  }
  /// Adopts the state after an iteration that was observed elsewhere. Returns the listener's result.
  bool hear(const MonitorState& state) {
    state_ = state;
    if (state.iterations == 0) history_.clear();
    history_.push_back(state.last);
    return !listener_ || listener_(state_);
  }
  /// Continues with another right-hand side, for which the residual has this norm.
  void change(double norm) {
    resumed_ = 1.7976931348623157e308;
    history_.back() = state_.first = state_.last = state_.best = state_.window_best = state_.prospect_best = norm;
    state_.best_iteration = state_.window_start = state_.prospect_start = state_.since = state_.iterations;
    state_.rose = 0;
    state_.verdict = !is_finite(norm)                                       ? Verdict::not_finite
                     : rule_.tolerance > 0 && norm <= target(state_, rule_) ? Verdict::converged
                                                                            : Verdict::running;
  }
  /// Replaces the last norm, which came from a recurrence, by the true norm and continues. The verdict is `stagnated`
  /// unless the true residual has fallen at least by half since the last call.
  void resume(double truth) {
    const bool progress = !(truth > 0.25 * resumed_);
    resumed_ = truth;
    history_.back() = state_.last = truth;
    state_.best = std::fmax(state_.best, truth);
    state_.verdict = progress ? Verdict::running : Verdict::stagnated;
  }

 private:
  void tell() {
    if (listener_ && !listener_(state_) && state_.verdict == Verdict::running) state_.verdict = Verdict::stopped;
  }

  StoppingRule rule_;
  Listener listener_;
  MonitorState state_;
  std::vector<double> history_;
  double resumed_ = 1.7976931348623157e308;
};

}  // namespace poisson
