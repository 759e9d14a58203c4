// A solve passes stages, each with a tolerance (docs/design/materials.md, A solve may end by its flows).

#include "backends/device/backend.hpp"
#include "solver/iterations/direct_iteration.hpp"
#include "solver/norms.hpp"
#include "solver/solver.hpp"

namespace poisson {

bool Solver::has_stages() const {
  return stages_.next && !direct_ && !extrapolation_ && e_.options.tolerance > 0;
}

Solver::Progress Solver::progress(const MonitorState& state, bool limited) const {
  return {state.iterations, relative(state.last, state), e_.epsilon * relative(state.rounding, state), limited};
}

// Solves to the tolerance of one stage after another. Returns whether the last one ended above Options::tolerance.
bool Solver::pass_stages(Monitor& monitor) {
  const MonitorState& state = monitor.state();
  const double tolerance = e_.options.tolerance;
  while (state.verdict == Verdict::converged && state.reference > 0) {
    const double next = stages_.next(progress(state, false));
    if (phase_.best_stored) e_.backend.copy(e_.u, e_.best);  // spare() may be the copy of the start
    if (next == 0) {
      if (relative(state.last, state) > tolerance) return true;
      break;
    }
    monitor.rule().tolerance = next;
    if (state.iterations >= e_.options.max_iterations && next < tolerance) break;
    resume_abandoned(monitor);
  }
  if (settle_at_limit(monitor)) return true;
  monitor.rule().tolerance = tolerance;
  const bool failed = state.verdict != Verdict::stopped && state.verdict != Verdict::converged;
  if (failed && is_finite(state.best) && state.best <= target(state, monitor.rule()))
    monitor.state().verdict = Verdict::converged;
  return false;
}

// If rounding has ended a stage, resumes it a few times until the flows stay. Returns whether they do.
bool Solver::settle_at_limit(Monitor& monitor) {
  constexpr int most_resumed = 3;
  const MonitorState& state = monitor.state();
  for (int resumed = 0;; ++resumed) {
    const Progress last = progress(state, true);
    const bool limited = state.verdict == Verdict::stagnated && state.reference > 0 && is_finite(state.last) &&
                         last.relative_residual <= Result().rounding_limit * last.rounding_floor;
    if (!limited) return false;
    const bool enough = stages_.next(last) == 0;
    if (phase_.best_stored) e_.backend.copy(e_.u, e_.best);
    if (enough) monitor.state().verdict = Verdict::converged;
    if (enough || resumed == most_resumed || state.iterations >= e_.options.max_iterations) return enough;
    resume_abandoned(monitor);
  }
}

}  // namespace poisson
