// This file estimates the error of a solution.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "backends/memory/error.hpp"
#include "solver/fallbacks/floating_subdomains.hpp"
#include "solver/jacobi.hpp"
#include "solver/norms.hpp"
#include "solver/solver.hpp"

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

}  // namespace

// Returns the last contraction of plain cycles. Conjugate gradients are less even: for them it returns the worst
// contraction of the last three iterations, or of the last third, with the same preconditioner.
double Solver::contraction(const Monitor& monitor) const {
  const auto& norms = monitor.history();
  double worst = 0;
  const bool conjugate = options_.krylov == Krylov::cg || active_;
  const std::size_t window = conjugate ? std::max<std::size_t>(3, (norms.size() - 1 - since_) / 3) + 1 : 2;
  const std::size_t first = std::max(since_, norms.size() < window ? 0 : norms.size() - window);
  for (std::size_t k = first + 1; k < norms.size(); ++k) worst = std::max(worst, norms[k] / norms[k - 1]);
  return std::sqrt(worst);
}

// Returns nothing if unknowns are constrained: they are zero during a solve, and u drops to zero within a cell.
std::optional<double> Solver::energy() {
  if (problem_.constrained) return {};
  if (problem_.energy) return problem_.energy(*A_, u_, q_, work_);
  A_->apply_everywhere(u_, q_);
  backend_.dot(u_, q_, work_);
  return backend_.value(work_);
}

// Plain cycles contract evenly: the remaining error is the last step times a factor that follows from the contraction.
// Conjugate gradients are less even: few rows may dominate a residual, and steps may be long or short by chance. Unless
// their contraction was even, the estimate therefore weights the next step by 2/3.
double Solver::estimated_error(const Monitor& monitor) {
  const MonitorState& state = monitor.state();
  double error = std::max(seen_error(monitor), unseen_error(state));
  // At the rounding limit steps are short because they no longer help, not because the error is small.
  if (options_.tolerance > 0 && state.verdict == Verdict::stagnated && stepping())
    error = std::max(error, error_by_step(u_, *stepping()));
  return error;
}

double Solver::seen_error(const Monitor& monitor) {
  const MonitorState& state = monitor.state();
  if (state.reference == 0) return 0;
  if (direct_ && !active_ && options_.method == Method::direct && state.iterations > 0) return error_by_residual(state);
  if (A_->singular()) A_->project_solution(u_);
  const double size = size_of(u_);
  const double rho = contraction(monitor);
  double past = error_by_last_step(monitor, size, rho);
  const bool conjugate = options_.krylov == Krylov::cg || active_;
  if (!conjugate || state.verdict == Verdict::not_finite) return past;
  const bool converged = state.verdict == Verdict::converged;
  const bool even = converged && !active_ && state.iterations >= 5 && rho > least_even && rho < most_even &&
                    past > least_of_residual * relative(state.last, state);
  const FloatingSubdomains* floating_subdomains = converged ? problem_.floating_subdomains.get() : nullptr;
  if (even && !floating_subdomains && !rounding_may_hide(past)) return past;
  A_->residual(u_, b_, r_, one_, norm_);
  const double before = backend_.value(norm_);
  const double unmet = floating_subdomains ? floating_subdomains->shift(r_) / size : 0;
  past = std::max(past, unmet);
  if (even && !rounding_may_hide(past)) return past;
  restart_conjugation();
  next_direction(active_ ? *active_ : *preconditioner_);
  backend_.axmy(alpha_, q_, r_);
  A_->norm(r_, norm_);
  const double left = std::sqrt(backend_.value(norm_) / before);
  backend_.dot(p_, p_, work_);
  const double step = std::abs(backend_.value(alpha_)) * std::sqrt(backend_.value(work_)) / size;
  const double next = std::max(step / (1 - std::min(left, 0.97)), unmet);
  if (!is_finite(next)) return past;
  // A step that hardly changes the residual is a weaker predictor.
  return 3 * std::max(next, left > 0.97 ? std::sqrt(next * past) : std::cbrt(next * next * past));
}

// Estimates the error as the last step times the factor that follows from the contraction `rho`. The estimate is in L2
// and also in energy, because D⁻¹ hides errors along couplings weaker than others of their row (Hestenes, Stiefel, J.
// Res. Natl. Bur. Stand. 49, 1952, theorem 6:1). `size`: ‖u‖.
double Solver::error_by_last_step(const Monitor& monitor, double size, double rho) {
  const MonitorState& state = monitor.state();
  const double epsilon = unit_roundoff(A_->precision());
  if (state.iterations == 0) {
    if (multigrid_ && options_.krylov == Krylov::none) return error_by_step(u_, *preconditioner_);
    const std::optional<double> whole = q_ ? energy() : std::nullopt;
    return whole && *whole > 0 ? std::sqrt(state.last / *whole) : relative(state.last, state);
  }
  const bool conjugate = options_.krylov == Krylov::cg || active_, sweeps = options_.method == Method::jacobi;
  const Field& e = last_correction();
  backend_.dot(e, e, work_);
  const double length = sweeps ? 1 : std::abs(backend_.value(conjugate ? alpha_ : applied_));
  const double correction = length * std::sqrt(backend_.value(work_));
  if (sweeps) {  // the next sweep removes the fraction 1 − ρ
    const double left = std::pow(std::clamp(rho, best_contraction, 1.0), 1.0 / JacobiSweeps::sweeps);
    return correction / (left < 1 ? 1 - left : 1) / size;
  }
  const bool exact = active_ || options_.preconditioner == PreconditionerChoice::direct;
  const double slow = std::clamp(rho, exact ? 0 : conjugate ? best_contraction : least_contraction(state), 0.99);
  const double step = correction * (rho < 1 ? slow / (1 - slow) : 1) / size;
  if (!conjugate) return rounding_may_hide(step) ? std::max(step, error_by_next_step(correction, size)) : step;
  if (!problem_.uneven) return step;
  const double pq = backend_.value(pq_);
  const std::optional<double> whole = energy();
  if (!whole || !(*whole > 0)) return step;
  const double energetic = length * std::sqrt(std::abs(pq) * slow * slow / (1 - slow * slow) / *whole);
  A_->rounding(u_, work_);
  return std::max(step, energetic) + epsilon * std::sqrt(backend_.value(work_) / *whole);
}

// Returns whether errors larger than `error` may have a residual below rounding. Neither the contraction nor the steps
// made before the rounding limit detect them.
bool Solver::rounding_may_hide(double error) const {
  return error < unit_roundoff(A_->precision()) * problem_.error_per_residual;
}

// Returns three times the next correction over one minus its ratio to the last one, without applying it. At the
// rounding limit this correction is the part of the error that rounding leaves, longer or shorter by chance. It detects
// modes that cycles hardly reduce.
double Solver::error_by_next_step(double last, double size) {
  constexpr double most = 0.9;  // corrections that do not shrink are the error itself or rounding
  A_->residual(u_, b_, preconditioner_->rhs(), one_, norm_);
  backend_.scale_to_unit(norm_, count_, scale_, inverse_);
  A_->residual(u_, b_, preconditioner_->rhs(), scale_, norm_);
  preconditioner_->solve();
  const Field& e = preconditioner_->correction();
  backend_.dot(e, e, work_);
  const double next = std::sqrt(backend_.value(work_)) * backend_.value(inverse_);
  return 3 * next / (1 - (last > 0 ? std::min(next / last, most) : 0)) / size;
}

// Returns the preconditioner that can step from any iterate. Jacobi sweeps and direct solutions have none.
Preconditioner* Solver::stepping() {
  if (active_) return active_;
  return options_.method == Method::jacobi || options_.method == Method::direct ? nullptr : preconditioner_.get();
}

// Returns whether the iterate with the smallest residual replaces the last one. At the rounding limit residuals cannot
// rank the two, but steps from both can: the smallest residual may belong to zero.
bool Solver::takes_best(const MonitorState& state, Result& result) {
  if (state.verdict != Verdict::stagnated || !stepping() || !best_) return true;
  const double of_best = error_by_step(best_, *stepping());
  const bool takes = of_best <= result.estimated_error;
  if (takes) result.estimated_error = of_best;
  return takes;
}

// Returns ‖u‖, or the norm of the guess if all data are zero, because nothing else gives a scale.
double Solver::size_of(const Field& u) {
  backend_.dot(u, u, work_);
  return std::max(std::sqrt(backend_.value(work_)), guess_size_);
}

// Returns the relative size of the next correction over one minus the contraction of the step after it. Neither step is
// applied to u. Returns 0 if one process runs alone and has no memory for another iterate.
double Solver::error_by_step(const Field& u, Preconditioner& preconditioner) {
  Field ahead;
  try {
    ahead = Field(backend_, u_.space(), u_.precision());
  } catch (const RunError&) {
    if (!u_.space().processes().alone()) throw;
    return 0;
  }
  backend_.convert(u, ahead);
  std::array<double, 2> lengths{};
  for (double& length : lengths) {
    A_->residual(ahead, b_, preconditioner.rhs(), one_, norm_);
    if (!is_finite(backend_.value(norm_))) return std::numeric_limits<double>::infinity();
    backend_.scale_to_unit(norm_, count_, scale_, inverse_);
    A_->residual(ahead, b_, preconditioner.rhs(), scale_, norm_);
    preconditioner.solve();
    const Field& e = preconditioner.correction();
    backend_.dot(e, e, work_);
    length = std::sqrt(backend_.value(work_)) * backend_.value(inverse_);
    backend_.axpy(inverse_, e, ahead);
  }
  const double size = size_of(u);
  if (lengths[0] == 0) return 0;
  const double left = lengths[1] / lengths[0],
               error = size > 0 ? lengths[0] / (1 - std::min(left, most_left)) / size : 1;
  return left > 1 ? std::min(error, 1.0) : error;  // growing steps only show that nothing is known
}

// Point sweeps and diagonally preconditioned conjugate gradients hardly detect errors that are smooth along strong
// couplings. If the residual bound does not exclude such errors, a more robust preconditioner looks for them.
double Solver::unseen_error(const MonitorState& state) {
  const bool by_points = options_.method == Method::jacobi ||
                         (options_.method == Method::cg && options_.preconditioner == PreconditionerChoice::diagonal);
  const bool ended = state.verdict == Verdict::converged || state.verdict == Verdict::stagnated;
  if (!by_points || active_ || options_.tolerance == 0 || !(ended || relative(state.best, state) <= options_.tolerance))
    return 0;
  const double bound = relative(state.last, state) * problem_.error_per_residual;
  if (bound <= promised_error * options_.tolerance) return 0;
  // Rounding may hide such errors from every preconditioner.
  if (bound * unit_roundoff(A_->precision()) > relative(state.last, state)) return std::min(bound, 1.0);
  if (!judge_ && problem_.judge) judge_ = problem_.judge();
  return judge_ ? error_by_step(u_, *judge_) : std::min(bound, 1.0);
}

const Field& Solver::last_correction() const {
  return options_.krylov == Krylov::cg || active_ ? p_ : preconditioner_->correction();
}

}  // namespace poisson
