#include "solver/solver.hpp"

#include <algorithm>
#include <cmath>

#include "backends/device/clear.hpp"
#include "backends/memory/places.hpp"
#include "backends/transforms/data_projection.hpp"
#include "grids/schemes/constrained_nodes.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "solver/jacobi.hpp"
#include "solver/model.hpp"
#include "solver/multigrid/diagonal.hpp"
#include "solver/multigrid/multigrid.hpp"
#include "solver/norms.hpp"

namespace poisson {
namespace {

// Chooses a window without progress that suits the method: Krylov residuals have plateaus, and Jacobi is slow.
StoppingRule stopping_rule(const Options& o, double epsilon, const Space& space) {
  StoppingRule rule;
  rule.negligible = left_by_projection(space, epsilon);
  rule.tolerance = o.tolerance;
  if (o.method == Method::cg) rule.stagnation_window = o.preconditioner == PreconditionerChoice::direct ? 40 : 500;
  if (o.method == Method::jacobi) {
    rule.stagnation_window = 10;
    rule.stagnation_gain = 1e-6;
  }
  if (o.method == Method::multigrid && o.krylov == Krylov::cg) rule.stagnation_window = 40;
  if (o.method == Method::direct) {  // a step that gains less than a factor of ten is rounding
    rule.stagnation_window = 1;
    rule.stagnation_gain = 0.99;
  }
  return rule;
}

// If cycles diverge, full multigrid runs them on every level, and conjugate gradients, which tolerate such cycles,
// cannot repair its start. A start with 10⁴ times the residual of zero is abandoned. About 100 times that residual, as
// with data that oscillate where κ jumps, still saves iterations.
bool hopeless(const MonitorState& s) {
  return s.verdict != Verdict::converged && is_finite(s.initial) && !(s.first <= 1e8 * s.initial);
}

// An iteration that is predicted to need more iterations than this switches to a fallback. Direct solutions cost less
// than cycles over planes.
constexpr int iteration_limit(const Options& o) {
  return o.preconditioner == PreconditionerChoice::direct ? 150 : 60;
}

}  // namespace

Solver::Solver(std::shared_ptr<const Operator> A, Hierarchy hierarchy, const Options& options,
               std::unique_ptr<Extrapolation> extrapolation, FallbackChain chain, const Traits& problem,
               std::unique_ptr<Preconditioner> own)
    : A_(std::move(A)),
      backend_(A_->backend()),
      options_(options),
      extrapolation_(std::move(extrapolation)),
      chain_(std::move(chain)),
      problem_(problem),
      u_(backend_, A_->space(), A_->precision()),
      b_(backend_, A_->space(), A_->precision()),
      best_(options_.method != Method::direct || extrapolation_ ? Field(backend_, A_->space(), A_->precision())
                                                                : Field()),
      norm_(backend_.scalar()),
      scale_(backend_.scalar(1)),
      inverse_(backend_.scalar(1)),
      applied_(backend_.scalar(1)),
      alpha_(backend_.scalar()),
      beta_(backend_.scalar()),
      pq_(backend_.scalar()),
      work_(backend_.scalar()),
      one_(backend_.scalar(1)),
      zero_(backend_.scalar(0)),
      raw_norm_(backend_.scalar()),
      data_norm_(backend_.scalar()),
      initial_norm_(backend_.scalar()),
      guess_norm_(backend_.scalar()),
      projected_(backend_.scalar()),
      count_(static_cast<double>(A_->space().unknown_count())) {
  if (options_.method == Method::multigrid) {
    auto multigrid = std::make_unique<Multigrid>(std::move(hierarchy), options_);
    multigrid_ = multigrid.get();
    if (problem_.constrained && options_.full_multigrid) multigrid->hold(A_);
    preconditioner_ = std::move(multigrid);
  } else if (own) {
    if (options_.method == Method::direct) direct_ = static_cast<FastDiagonalization*>(own.get());
    preconditioner_ = std::move(own);
  } else {
    preconditioner_ = std::make_unique<DiagonalPreconditioner>(hierarchy.operators.front());
  }
  if (options_.krylov == Krylov::cg)
    for (Field* f : {&r_, &p_, &q_}) *f = Field(backend_, A_->space(), A_->precision());
}

Solver::~Solver() = default;

void Solver::own(std::unique_ptr<const Model> model) {
  model_ = std::move(model);
}

int Solver::levels() const {
  return multigrid_ ? multigrid_->levels() : 1;
}

std::size_t Solver::kernels_per_iteration() const {
  for (const auto& recording : recordings_)
    if (recording) return recording->kernels_in_loop();
  return 0;
}

// Nonzero data stored in u, such as Dirichlet data, count as a guess.
bool Solver::solves_at_once(bool given_guess) const {
  return direct_ && !given_guess && options_.max_iterations > 0 && problem_.homogeneous && problem_.homogeneous();
}

void Solver::prepare(bool given_guess) {
  const Start from = given_guess ? Start::guess : start_for(false);
  auto& recording = recordings_[static_cast<std::size_t>(from)];
  if (recording) return;
  Monitor any;
  backend_.prepare(recording, [&] { start_and_iterate(from, any); });
  if (!recording) return;  // without a recording, preparing would run a solve
  // A kernel is loaded at its first launch. These calls load the kernels that solve may launch outside the recording.
  const Field& e = last_correction();
  backend_.dot(e, e, work_);
  backend_.dot(u_, u_, work_);
  if (options_.method != Method::direct) backend_.copy(u_, best_);
  if (A_->singular()) A_->project_solution(spare());
  backend_.value(work_);
}

Result Solver::solve(bool given_guess, const Listener& listener) {
  // A solution rounded to ε|u| has a residual of about εD|u| in every row.
  const double epsilon = unit_roundoff(A_->precision());
  const bool at_once = solves_at_once(given_guess);
  Result result;
  fallback_ = since_ = 0;
  active_ = nullptr;
  bool giving_up = false;
  if (problem_.constrained) problem_.constrained->take_out(*A_, u_, b_, best_);
  StoppingRule rule = stopping_rule(options_, epsilon, A_->space());
  if (!chain_.empty()) rule.horizon = std::min(options_.max_iterations, iteration_limit(options_));
  const Start from = start_for(given_guess);
  Monitor monitor(rule, [&](const MonitorState& s) {
    giving_up = giving_up || (s.iterations == 0 && from != Start::guess && hopeless(s));
    if (giving_up) return false;
    return !listener || listener({s.iterations, relative(s.last, s), epsilon * relative(s.rounding, s)});
  });
  const auto run = [&](Start start) {
    backend_.run(
        recordings_[static_cast<std::size_t>(start)], [&] { start_and_iterate(start, monitor); }, monitor);
    result.projected += backend_.value(projected_);
  };
  // The start is saved in case the iteration ends in values that are not finite. A non-finite α also spoils Dirichlet
  // nodes.
  best_stored_ = !chain_.empty() && best_ && (given_guess || options_.krylov == Krylov::cg);
  if (best_stored_) backend_.copy(u_, best_);
  run(from);
  if (giving_up) {
    giving_up = false;
    result.start_given_up = true;
    clear_unknowns(u_);
    monitor.state() = {};
    run(Start::data);
  }
  if (options_.krylov == Krylov::cg) verify(monitor);
  if (monitor.state().reference == 0 && is_finite(monitor.state().last))
    clear_unknowns(u_);  // the exact solution is zero
  finish(monitor, result);

  const MonitorState& state = monitor.state();
  const bool solved =
      state.verdict == Verdict::converged || (state.verdict == Verdict::running && options_.tolerance == 0);
  if (extrapolation_ && solved && state.reference > 0) {
    active_ = nullptr;
    result.extrapolated = extrapolate(monitor);
    if (options_.krylov == Krylov::cg) verify(monitor);
    result.estimated_error = estimated_error(monitor);
  }
  result.verdict = state.verdict;
  if (problem_.cancels) result.rounding_limit = 64;
  result.iterations = state.iterations;
  result.initial = std::sqrt(from == Start::guess && !result.start_given_up ? state.first : state.initial);
  result.reference = std::sqrt(state.reference);
  for (const double norm : monitor.history()) result.history.push_back(relative(norm, state));
  const bool exact_count = options_.tolerance == 0 && state.verdict == Verdict::running;
  // Direct steps end at the rounding limit. Repeating Jacobi sweeps only to undo rounding is not worth the time.
  const bool kept_best = (options_.method != Method::direct || active_) &&
                         (options_.method != Method::jacobi || state.last > 4 * state.best);
  const bool earlier = kept_best && state.best_iteration < state.iterations && state.verdict != Verdict::not_finite &&
                       !exact_count && takes_best(state, result);
  if (earlier) restore_best(state);
  result.final = std::sqrt(earlier ? state.best : state.last);
  if (exact_count && options_.krylov == Krylov::cg) {  // the recurrence does not include rounding
    A_->residual(u_, b_, r_, one_, norm_);
    result.final = std::sqrt(backend_.value(norm_));
    result.history.back() = relative(backend_.value(norm_), state);
  }
  if (A_->singular() && !(at_once && direct_->drops_mean())) A_->project_solution(u_);
  if (state.first > state.initial && result.converged()) {  // the floor of the start is far from that of u
    A_->rounding(u_, work_);
    monitor.state().rounding = backend_.value(work_);
  }
  result.rounding_floor = epsilon * relative(state.rounding, state);
  if (problem_.constrained) problem_.constrained->put_back(u_, b_);
  return result;
}

// Residuals are relative to the data and not to the guess: a guess close to the solution would leave no usable
// reference. A guess is measured against its own residual only if all data are zero.
Solver::Start Solver::start_for(bool given_guess) {
  guess_size_ = 0;
  if (!given_guess) return direct_ && !solves_at_once(false) ? Start::data : Start::nothing;
  Field spare = best_ ? Field() : Field(backend_, u_.space(), u_.precision());
  Field& x = best_ ? best_ : spare;
  A_->norm(b_, work_);
  const double raw = backend_.value(work_);
  backend_.copy(b_, x);
  if (A_->singular()) A_->project_rhs(x, work_);
  A_->norm(x, work_);
  double reference = backend_.value(work_);
  backend_.assign(zero_, guess_norm_);
  if (!A_->singular() && !(problem_.homogeneous && problem_.homogeneous())) {
    backend_.convert(u_, x);
    clear_unknowns(x);
    A_->residual(x, b_, preconditioner_->rhs(), one_, guess_norm_);
    reference = std::max(reference, backend_.value(guess_norm_));
  }
  if (reference > left_by_projection(A_->space(), unit_roundoff(A_->precision())) * raw) return Start::guess;
  guess_size_ = size_of(u_);
  return Start::data;
}

void Solver::start_and_iterate(Start from, Monitor& monitor) {
  // A fixed number of iterations is divided between the two equations of extrapolation.
  const int half = options_.max_iterations - options_.max_iterations / 2;
  start(from, monitor);
  iterate(monitor, extrapolation_ && options_.tolerance == 0 ? half : options_.max_iterations);
}

// Starts from u = 0, whose residual is b.
void Solver::solve_at_once(Monitor& monitor) {
  backend_.begin(monitor, raw_norm_, data_norm_, data_norm_, data_norm_, zero_);
  direct_->solve_for(b_, u_);
  backend_.scale_to_unit(data_norm_, count_, scale_, inverse_);
  direct_->correct(*A_, u_, b_, nullptr, scale_, norm_);
  backend_.observe(monitor, norm_);
}

// Computes the norms of the data and of the start, then runs full multigrid. Leaves scale and inverse for the first
// correction.
void Solver::start(Start from, Monitor& monitor) {
  if (problem_.projection) {
    problem_.projection->apply(b_, projected_, raw_norm_, data_norm_);
  } else if (A_->norm(b_, raw_norm_); A_->singular()) {
    A_->project_rhs(b_, projected_);
    A_->norm(b_, data_norm_);
  } else {
    backend_.assign(raw_norm_, data_norm_);
  }
  if (direct_ && from == Start::nothing) return solve_at_once(monitor);
  if (options_.method == Method::jacobi) backend_.copy(u_, best_);
  take_residual(one_, initial_norm_);
  if (multigrid_ && options_.full_multigrid && from == Start::nothing) {
    backend_.scale_to_unit(initial_norm_, count_, scale_, inverse_);
    multigrid_->start(b_, u_, scale_, inverse_, residual_to_start_from());
    if (A_->singular()) A_->project_solution(u_);
    take_residual(scale_, norm_);
  } else if (options_.krylov == Krylov::cg || options_.method == Method::direct || options_.method == Method::jacobi) {
    backend_.assign(initial_norm_, norm_);  // is computed, and needs no scale
    backend_.assign(one_, inverse_);
  } else {
    backend_.scale_to_unit(initial_norm_, count_, scale_, inverse_);
    take_residual(scale_, norm_);
  }
  A_->rounding(u_, work_);
  backend_.begin(monitor, raw_norm_, data_norm_, from == Start::guess ? guess_norm_ : initial_norm_, norm_, work_);
}

// Writes the residual into the field that the method reads, scaled for refinement.
void Solver::take_residual(const Scalar& scale, Scalar& norm) {
  if (options_.krylov == Krylov::cg || active_)
    A_->residual(u_, b_, r_, one_, norm);
  else
    preconditioner_->correct(*A_, u_, b_, nullptr, scale, norm);
}

// Restarts from the residual of the current u and b.
void Solver::begin_again(Monitor& monitor) {
  take_residual(one_, norm_);
  if (options_.method == Method::jacobi) {
    backend_.copy(u_, best_);
  } else if (options_.krylov == Krylov::none && !active_) {
    backend_.scale_to_unit(norm_, count_, scale_, inverse_);
    take_residual(scale_, norm_);
  }
  monitor.change(backend_.value(norm_));
}

void Solver::iterate(Monitor& monitor, int limit) {
  if (options_.krylov == Krylov::cg)
    conjugate_gradients(monitor, limit);
  else
    refine(monitor, limit);
}

void Solver::resume(Monitor& monitor) {
  backend_.run(
      recordings_.back(), [&] { iterate(monitor, options_.max_iterations); }, monitor);
}

// Replaces the equation that u solves by the extrapolated one and solves it from u. Returns 1ᵀ of the change of b.
double Solver::extrapolate(Monitor& monitor) {
  Field& r = options_.krylov == Krylov::cg ? r_ : preconditioner_->rhs();
  Field& correction = best_;
  extrapolation_->correct(u_, b_, correction);
  double sum = 0;
  if (A_->singular()) {
    A_->project_rhs(b_, work_);
  } else {
    backend_.fill(r, 1);
    backend_.dot(r, correction, work_);
    backend_.fill(r, 0);  // Dirichlet nodes must be zero
    sum = backend_.value(work_);
  }
  begin_again(monitor);
  resume(monitor);
  return sum;
}

// The recursive residual of conjugate gradients drifts from the true one. Only the true one decides: if it has not
// converged, the iteration restarts from it.
void Solver::verify(Monitor& monitor) {
  const MonitorState& state = monitor.state();
  while (state.verdict == Verdict::converged && state.iterations > 0 && state.iterations < options_.max_iterations) {
    A_->residual(u_, b_, r_, one_, norm_);
    const double truth = backend_.value(norm_);
    if (truth <= std::max(target(state, monitor.rule()), 1.0201 * state.last)) return;
    monitor.resume(truth);
    resume(monitor);
  }
}

// Iterative refinement: u += e with e ≈ A⁻¹ r. The residual r is computed in the precision of the solution. A power of
// two scales it to a root mean square near 1 for the preconditioner.
void Solver::refine(Monitor& monitor, int limit) {
  backend_.repeat(
      limit,
      [&] {
        preconditioner_->solve();
        backend_.assign(inverse_, applied_);
        backend_.scale_to_unit(norm_, count_, scale_, inverse_);
        preconditioner_->correct(*A_, u_, b_, &applied_, scale_, norm_);
        backend_.observe(monitor, norm_);
        if (options_.method == Method::multigrid)
          backend_.when_risen(monitor, [&] { preconditioner_->take_back(u_, applied_, best_); });
      },
      monitor);
}

// A is singular only up to rounding, so r keeps a null-space component that no correction removes. A preconditioner
// would leave it spread by volume, also in small rows, where D⁻¹ amplifies it.
void Solver::restart_conjugation() {
  if (A_->singular()) A_->project_rhs(r_, work_);
  backend_.fill(p_, 0);
  backend_.fill(q_, 0);
  backend_.assign(zero_, pq_);
}

// Makes a step of flexible conjugate gradients with the Polak–Ribière β (Notay, SIAM J. Sci. Comput. 22, 2000). With
// r_{k+1} − r_k = −α q, β becomes −zᵀq / pᵀq, which needs no second residual and does not depend on the scale of z.
// Leaves p, q = A p and α.
void Solver::next_direction(Preconditioner& preconditioner) {
  backend_.scale_to_unit(norm_, count_, scale_, inverse_);
  backend_.scale(scale_, r_, preconditioner.rhs());
  preconditioner.solve();
  const Field& z = preconditioner.correction();
  backend_.dot(z, q_, work_);
  backend_.ratio(work_, pq_, beta_);
  backend_.negate(beta_);
  backend_.xpay(z, beta_, p_);
  if (A_->singular()) A_->project_solution(p_);  // rounding of a growing mean would hide u
  A_->apply(p_, q_);
  backend_.dot(p_, q_, pq_);
  backend_.dot(r_, p_, work_);
  backend_.ratio(work_, pq_, alpha_);
}

void Solver::conjugate_gradients(Monitor& monitor, int limit) {
  restart_conjugation();
  backend_.repeat(
      limit,
      [&] {
        next_direction(*preconditioner_);
        backend_.axpy(alpha_, p_, u_);
        backend_.axmy(alpha_, q_, r_);
        A_->norm(r_, norm_);
        backend_.observe(monitor, norm_);
        backend_.when_risen(monitor, [&] { backend_.subtract(u_, alpha_, p_, best_); });
      },
      monitor);
}

}  // namespace poisson
