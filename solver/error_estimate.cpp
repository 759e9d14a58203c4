#include "solver/error_estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "backends/memory/error.hpp"
#include "solver/fallbacks/floating_subdomains.hpp"
#include "solver/iterations/conjugate_gradients.hpp"
#include "solver/jacobi.hpp"
#include "solver/norms.hpp"

namespace poisson {
namespace {

// Cycles never contract all errors by more than this, even if one step reduced more of a residual that few rows
// dominate.
constexpr double best_contraction = 0.1;

// A single cycle is a weaker predictor of the next ones.
double least_contraction(const MonitorState& state) {
  return state.iterations == 1 ? 2 * best_contraction : best_contraction;
}

// Between these contractions, conjugate gradients estimate their error reliably,
constexpr double least_even = 0.02, most_even = 0.2;
// unless the estimate is below this fraction of the relative residual.
constexpr double least_of_residual = 0.03;

// A contraction measured from two steps is limited to this.
constexpr double most_left = 0.99;

// Returns the last contraction of plain cycles. Conjugate gradients are less even: for them it returns the worst
// contraction of the last three iterations, or of the last third, with the same preconditioner.
double contraction(const Monitor& monitor, const Phase& phase) {
  const auto& norms = monitor.history();
  double worst = 0;
  const std::size_t window = phase.conjugate() ? std::max<std::size_t>(3, (norms.size() - 1 - phase.since) / 3) + 1 : 2;
  const std::size_t first = std::max(phase.since, norms.size() < window ? 0 : norms.size() - window);
  for (std::size_t k = first + 1; k < norms.size(); ++k) worst = std::max(worst, norms[k] / norms[k - 1]);
  return std::sqrt(worst);
}

}  // namespace

double ErrorEstimate::of(const Monitor& monitor, const Phase& phase) {
  const MonitorState& state = monitor.state();
  double error = std::max(seen(monitor, phase), unseen(state, phase));
  // At the rounding limit steps are short because they no longer help, not because the error is small.
  Preconditioner* const stepping = phase.now().stepping();
  if (e_.options.tolerance > 0 && state.verdict == Verdict::stagnated && stepping)
    error = std::max(error, by_step(e_.u, *stepping));
  return error;
}

// Plain cycles contract evenly: the remaining error is the last step times a factor that follows from the contraction.
// Conjugate gradients are less even: few rows may dominate a residual, and steps may be long or short by chance. Unless
// their contraction was even, the estimate therefore weights the next step by 2/3.
double ErrorEstimate::seen(const Monitor& monitor, const Phase& phase) {
  const MonitorState& state = monitor.state();
  if (state.reference == 0) return 0;
  if (const auto own = phase.now().own_estimate(state)) return *own;
  if (e_.A->singular()) e_.A->project_solution(e_.u);
  const double size = e_.size_of(e_.u);
  const double rho = contraction(monitor, phase);
  double past = by_last_step(monitor, phase, size, rho);
  ConjugateGradients* const conjugate = phase.now().conjugate();
  if (!conjugate || state.verdict == Verdict::not_finite) return past;
  const bool converged = state.verdict == Verdict::converged;
  // A solve whose flows have settled ends above the tolerance. Nothing depends on its estimate, which needs no step.
  if (converged && monitor.rule().tolerance > e_.options.tolerance) return past;
  const bool even = converged && !phase.fallback && state.iterations >= 5 && rho > least_even && rho < most_even &&
                    past > least_of_residual * relative(state.last, state);
  const FloatingSubdomains* subdomains = converged ? e_.traits.floating_subdomains.get() : nullptr;
  if (even && !subdomains && !rounding_may_hide(past)) return past;
  conjugate->take_residual(e_.one, e_.norm);
  const double before = e_.backend.value(e_.norm);
  const double unmet = subdomains ? subdomains->shift(e_.r) / size : 0;
  past = std::max(past, unmet);
  if (even && !rounding_may_hide(past)) return past;
  return by_next_direction(*conjugate, past, size, unmet, before);
}

// `past` is the estimate from the last step, `unmet` that of floating subdomains, `before` the squared residual norm.
double ErrorEstimate::by_next_direction(ConjugateGradients& iteration, double past, double size, double unmet,
                                        double before) {
  Backend& backend = e_.backend;
  iteration.restart_conjugation();
  iteration.next_direction();
  iteration.step_residual();
  const double left = std::sqrt(backend.value(e_.norm) / before);
  backend.dot(iteration.last_correction(), iteration.last_correction(), e_.work);
  const double step = iteration.last_length() * std::sqrt(backend.value(e_.work)) / size;
  const double next = std::max(step / (1 - std::min(left, 0.97)), unmet);
  if (!is_finite(next)) return past;
  // A step that hardly changes the residual is a weaker predictor.
  return 3 * std::max(next, left > 0.97 ? std::sqrt(next * past) : std::cbrt(next * next * past));
}

// Estimates the error of the start.
double ErrorEstimate::without_steps(const MonitorState& state, const Phase& phase) {
  if (e_.options.method == Method::multigrid && e_.options.krylov == Krylov::none)
    return by_step(e_.u, *phase.own->stepping());
  const std::optional<double> whole = e_.q ? e_.energy() : std::nullopt;
  return whole && *whole > 0 ? std::sqrt(state.last / *whole) : relative(state.last, state);
}

// Estimates the error as the last step times the factor that follows from the contraction `rho`. `size`: ‖u‖.
double ErrorEstimate::by_last_step(const Monitor& monitor, const Phase& phase, double size, double rho) {
  const MonitorState& state = monitor.state();
  if (state.iterations == 0) return without_steps(state, phase);
  Backend& backend = e_.backend;
  Iteration& now = phase.now();
  const bool conjugate = phase.conjugate();
  const Field& e = now.last_correction();
  backend.dot(e, e, e_.work);
  const double length = now.last_length();
  const double correction = length * std::sqrt(backend.value(e_.work));
  if (e_.options.method == Method::jacobi) {  // the next sweep removes the fraction 1 − ρ
    const double left = std::pow(std::clamp(rho, best_contraction, 1.0), 1.0 / JacobiSweeps::sweeps);
    return correction / (left < 1 ? 1 - left : 1) / size;
  }
  const bool exact = phase.fallback || e_.options.preconditioner == PreconditionerChoice::direct;
  const double slow = std::clamp(rho, exact ? 0 : conjugate ? best_contraction : least_contraction(state), 0.99);
  const double step = correction * (rho < 1 ? slow / (1 - slow) : 1) / size;
  if (!conjugate)
    return rounding_may_hide(step) ? std::max(step, by_next_step(phase.own->preconditioner(), correction, size)) : step;
  return e_.traits.uneven ? by_energy(length, slow, step) : step;
}

// Returns the larger of `step` and the estimate in energy, because D⁻¹ hides errors along couplings weaker than others
// of their row (Hestenes, Stiefel, J. Res. Natl. Bur. Stand. 49, 1952, theorem 6:1).
double ErrorEstimate::by_energy(double length, double slow, double step) {
  Backend& backend = e_.backend;
  const double pq = backend.value(e_.pq);
  const std::optional<double> whole = e_.energy();
  if (!whole || !(*whole > 0)) return step;
  const double energetic = length * std::sqrt(std::abs(pq) * slow * slow / (1 - slow * slow) / *whole);
  e_.A->rounding(e_.u, e_.work);
  return std::max(step, energetic) + e_.epsilon * std::sqrt(backend.value(e_.work) / *whole);
}

bool ErrorEstimate::rounding_may_hide(double error) const {
  return error < e_.epsilon * e_.traits.error_per_residual;
}

// Returns three times the next correction over one minus its ratio to the last one, without applying it. At the
// rounding limit this correction is the part of the error that rounding leaves, longer or shorter by chance. It detects
// modes that cycles hardly reduce.
double ErrorEstimate::by_next_step(Preconditioner& preconditioner, double last, double size) {
  constexpr double most = 0.9;  // corrections that do not shrink are the error itself or rounding
  const double next = next_length(e_.u, preconditioner).value_or(std::numeric_limits<double>::quiet_NaN());
  return 3 * next / (1 - (last > 0 ? std::min(next / last, most) : 0)) / size;
}

// Returns the length of the next correction of u, or nothing if the residual is not finite. The correction is left in
// the preconditioner, to be multiplied by Equation::inverse.
std::optional<double> ErrorEstimate::next_length(const Field& u, Preconditioner& preconditioner) {
  Backend& backend = e_.backend;
  e_.A->residual(u, e_.b, preconditioner.rhs(), e_.one, e_.norm);
  if (!is_finite(backend.value(e_.norm))) return {};
  backend.scale_to_unit(e_.norm, e_.count, e_.scale, e_.inverse);
  e_.A->residual(u, e_.b, preconditioner.rhs(), e_.scale, e_.norm);
  preconditioner.solve();
  const Field& e = preconditioner.correction();
  backend.dot(e, e, e_.work);
  return std::sqrt(backend.value(e_.work)) * backend.value(e_.inverse);
}

double ErrorEstimate::by_step(const Field& u, Preconditioner& preconditioner) {
  Backend& backend = e_.backend;
  Field ahead;
  try {
    ahead = e_.field();
  } catch (const RunError&) {
    if (!u.space().processes().alone()) throw;
    return 0;
  }
  backend.convert(u, ahead);
  std::array<double, 2> lengths{};
  for (double& length : lengths) {
    const std::optional<double> next = next_length(ahead, preconditioner);
    if (!next) return std::numeric_limits<double>::infinity();
    length = *next;
    backend.axpy(e_.inverse, preconditioner.correction(), ahead);
  }
  const double size = e_.size_of(u);
  if (lengths[0] == 0) return 0;
  const double left = lengths[1] / lengths[0],
               error = size > 0 ? lengths[0] / (1 - std::min(left, most_left)) / size : 1;
  return left > 1 ? std::min(error, 1.0) : error;  // growing steps only show that nothing is known
}

// Point sweeps and diagonally preconditioned conjugate gradients hardly detect errors that are smooth along strong
// couplings. If the residual bound does not exclude such errors, a more robust preconditioner looks for them.
double ErrorEstimate::unseen(const MonitorState& state, const Phase& phase) {
  const Options& options = e_.options;
  const bool by_points = options.method == Method::jacobi ||
                         (options.method == Method::cg && options.preconditioner == PreconditionerChoice::diagonal);
  const bool ended = state.verdict == Verdict::converged || state.verdict == Verdict::stagnated;
  if (!by_points || phase.fallback || options.tolerance == 0 ||
      !(ended || relative(state.best, state) <= options.tolerance))
    return 0;
  const double bound = relative(state.last, state) * e_.traits.error_per_residual;
  if (bound <= promised_error * options.tolerance) return 0;
  // Rounding may hide such errors from every preconditioner.
  if (bound * e_.epsilon > relative(state.last, state)) return std::min(bound, 1.0);
  if (!judge_ && e_.traits.judge) judge_ = e_.traits.judge();
  return judge_ ? by_step(e_.u, *judge_) : std::min(bound, 1.0);
}

}  // namespace poisson
