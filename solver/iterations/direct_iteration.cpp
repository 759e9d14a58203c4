#include "solver/iterations/direct_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solver/error_estimate.hpp"
#include "solver/norms.hpp"

namespace poisson {
namespace {

// This is the exponent of the bound in the geometric mean. Over 40 solutions of thin and stretched boxes without
// further steps, the error exceeded 10 times the estimate in 4 cases with 0.5 and in none with 0.6.
constexpr double share_of_bound = 0.6;

}  // namespace

void DirectIteration::start(const Scalar& initial) {
  e_.backend.assign(initial, e_.norm);  // is computed, and needs no scale
  e_.backend.assign(e_.one, e_.inverse);
}

void DirectIteration::solve_at_once(Monitor& monitor, const Scalar& raw, const Scalar& data) {
  Backend& backend = e_.backend;
  backend.begin(monitor, raw, data, data, data, e_.zero);
  solver_.solve_for(e_.b, e_.u);
  backend.scale_to_unit(data, e_.count, e_.scale, e_.inverse);
  solver_.correct(*e_.A, e_.u, e_.b, nullptr, e_.scale, e_.norm);
  backend.observe(monitor, e_.norm);
}

// Bounds the error in two ways and uses the smaller bound. One is the residual times the condition number of D⁻¹A. The
// other follows from the backward stability of transforms and modes: their rounding times the same condition number. It
// applies if the residual is below it. If the bound meets the promised error, the estimate is a geometric mean of bound
// and residual, because rounding spreads errors over all modes and the bound assumes the worst mode. Otherwise the
// bound is the estimate, and steps follow.
std::optional<double> DirectIteration::own_estimate(const MonitorState& state) const {
  if (state.iterations == 0) return {};
  const double residual = std::max(relative(state.last, state), e_.epsilon * relative(state.rounding, state));
  const double condition = e_.traits.error_per_residual;
  const double stable = 2 * e_.traits.rounding_growth * e_.epsilon * condition;
  const double bound = residual <= stable ? std::min(residual * condition, stable) : residual * condition;
  if (e_.options.tolerance == 0 || bound <= promised_error * e_.options.tolerance)
    return residual * std::pow(std::max(1.0, bound / residual), share_of_bound);
  return bound;
}

// The estimate is the size of the last step, which is the error before that step. At the rounding limit steps vary by
// chance, so the estimate is twice the larger of the last two.
double DirectIteration::take_steps(Monitor& monitor) {
  constexpr int most_steps = 8;
  constexpr double stalled = 0.5;  // relative to the previous move
  Backend& backend = e_.backend;
  const Options& options = e_.options;
  const MonitorState& state = monitor.state();
  double moved = std::numeric_limits<double>::infinity();
  take_residual(e_.one, e_.norm);
  for (int step = 0; step < most_steps && state.iterations < options.max_iterations; ++step) {
    Refinement::start(e_.norm);
    solver_.solve_for_correction();
    const Field& e = solver_.correction();
    backend.dot(e, e, e_.work);
    const double length = std::sqrt(backend.value(e_.work)) * backend.value(e_.inverse);
    backend.axpy(e_.inverse, e, e_.u);
    if (e_.A->singular()) e_.A->project_solution(e_.u);
    const double size = e_.size_of(e_.u);
    take_residual(e_.one, e_.norm);
    monitor.state().verdict = Verdict::running;
    monitor.observe(backend.value(e_.norm));
    if (!is_finite(state.last) || state.verdict == Verdict::stopped) return moved;
    const double before = std::exchange(moved, size > 0 ? length / size : 0);
    if (moved <= options.tolerance) break;
    if (moved > stalled * before) {
      moved = 2 * std::max(moved, before);
      break;
    }
  }
  const bool small = state.last <= target(state, monitor.rule());
  monitor.state().verdict = small ? Verdict::converged : Verdict::stagnated;
  return moved;
}

}  // namespace poisson
