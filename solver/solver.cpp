#include "solver/solver.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "backends/device/expired_run.hpp"
#include "backends/device/plain_run.hpp"
#include "backends/device/unknowns.hpp"
#include "grids/schemes/constrained_nodes.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "solver/extrapolation.hpp"
#include "solver/iterations/conjugate_gradients.hpp"
#include "solver/iterations/direct_iteration.hpp"
#include "solver/iterations/jacobi_iteration.hpp"
#include "solver/iterations/short_gradients.hpp"
#include "solver/iterations/stabilized_iteration.hpp"
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
  if (o.method == Method::cg && o.krylov == Krylov::bicgstab) rule.stagnation_window = StabilizedIteration::plateau;
  if (o.method == Method::jacobi) {
    rule.stagnation_window = 10;
    rule.stagnation_gain = 1e-6;
  }
  if (o.method == Method::multigrid && has_recurrence(o)) rule.stagnation_window = 40;
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

// Returns whether a solver stores an iterate that it may restore.
bool restores(const SolverParts& parts) {
  if (parts.extrapolation) return true;
  return parts.options.method != Method::direct && !parts.traits.keeps_last;
}

// An iteration that is predicted to need more iterations than this switches to a fallback. Direct solutions cost less
// than cycles over planes.
constexpr int iteration_limit(const Options& o) {
  return o.preconditioner == PreconditionerChoice::direct ? 150 : 60;
}

}  // namespace

SolverParts::SolverParts() = default;
SolverParts::SolverParts(SolverParts&&) noexcept = default;
SolverParts::~SolverParts() = default;

// With strong clusters an iteration has hundreds or thousands of kernels, and recording them takes longer than the
// launches that a first solve of at least this number of unknowns saves by it. Several processes always record: they
// stop together only in recorded runs.
constexpr std::int64_t least_plain = std::int64_t{1} << 22;

Solver::Solver(SolverParts parts)
    : remake_(std::move(parts.remake)),
      relaxations_(std::move(parts.relaxations)),
      e_(std::move(parts.A), parts.options, std::move(parts.traits), restores(parts)),
      error_(e_),
      fallbacks_(std::move(parts.chain)),
      extrapolation_(std::move(parts.extrapolation)),
      raw_norm_(e_.backend.scalar()),
      data_norm_(e_.backend.scalar()),
      initial_norm_(e_.backend.scalar()),
      guess_norm_(e_.backend.scalar()),
      projected_(e_.backend.scalar()) {
  make_iteration(parts);
  phase_.own = iteration_.get();
  const Space& space = e_.A->space();
  if (multigrid_ && multigrid_->rough() && space.is_global() && space.unknown_count() >= least_plain)
    for (auto& recording : recordings_) recording = std::make_unique<PlainRun>();
}

Solver::~Solver() = default;

void Solver::make_preconditioner(SolverParts& parts) {
  const Options& options = e_.options;
  if (options.method == Method::multigrid) {
    if (multigrid_) {
      multigrid_->refill(std::move(parts.hierarchy), options);
    } else {
      auto multigrid = std::make_unique<Multigrid>(std::move(parts.hierarchy), options);
      multigrid_ = multigrid.get();
      preconditioner_ = std::move(multigrid);
    }
    if (e_.traits.constrained && options.full_multigrid) multigrid_->hold(e_.A);
    return;
  }
  multigrid_ = nullptr;
  if (parts.direct) {
    preconditioner_ = std::move(parts.direct);
  } else if (parts.sweeps) {
    preconditioner_ = std::move(parts.sweeps);
  } else {
    preconditioner_ = std::make_unique<DiagonalPreconditioner>(parts.hierarchy.operators.front());
  }
}

void Solver::make_iteration(SolverParts& parts) {
  const Options& options = e_.options;
  FastDiagonalization* const direct = parts.direct.get();
  std::shared_ptr<const Operator> corrections = parts.hierarchy.operators.front();
  make_preconditioner(parts);
  if (options.krylov == Krylov::cg && e_.traits.short_directions) {
    iteration_ = std::make_unique<ShortGradients>(e_, *preconditioner_, std::move(corrections));
  } else if (options.krylov == Krylov::cg) {
    e_.allocate_directions();
    iteration_ = std::make_unique<ConjugateGradients>(e_, *preconditioner_);
  } else if (options.krylov == Krylov::bicgstab) {
    e_.allocate_directions();
    StabilizedIteration::MakePreconditioner diagonal;
    if (multigrid_) diagonal = [this] { return std::make_unique<DiagonalPreconditioner>(e_.A); };
    auto stabilized = std::make_unique<StabilizedIteration>(e_, *preconditioner_, std::move(diagonal));
    stabilized_ = stabilized.get();
    iteration_ = std::move(stabilized);
    for (auto& recording : recordings_) recording = std::make_unique<PlainRun>();
  } else if (options.method == Method::direct) {
    auto steps = std::make_unique<DirectIteration>(e_, *direct);
    direct_ = steps.get();
    iteration_ = std::move(steps);
  } else if (options.method == Method::jacobi) {
    iteration_ = std::make_unique<JacobiIteration>(e_, *preconditioner_);
  } else {
    iteration_ = std::make_unique<Refinement>(e_, *preconditioner_, bool{e_.best});
  }
}

void Solver::release_levels() {
  for (auto& recording : recordings_) expire(recording);
  phase_ = {};
  fallback_.reset();
  fallbacks_.replace({});
  error_.forget();
  iteration_.reset();
  direct_ = nullptr;
  stabilized_ = nullptr;
  if (multigrid_)
    multigrid_->release();
  else
    preconditioner_.reset();
  extrapolation_.reset();
  e_.traits = {};
  e_.A.reset();
}

// The former operators are released first, so that both are never in memory together. The fields of levels stay.
bool Solver::update() {
  if (!remake_) throw std::logic_error("a solver that no model made cannot be updated");
  release_levels();
  SolverParts parts = remake_();
  const bool differs = !same_choices(parts.options, e_.options) || parts.relaxations != relaxations_;
  relaxations_ = std::move(parts.relaxations);
  extrapolation_ = std::move(parts.extrapolation);
  fallbacks_.replace(std::move(parts.chain));
  const bool restore = restores(parts) || extrapolation_;
  e_.replace(std::move(parts.A), parts.options, std::move(parts.traits), restore);
  make_iteration(parts);
  phase_.own = iteration_.get();
  return differs;
}

void Solver::require_levels() const {
  if (!iteration_) throw std::logic_error("the last update of the solver failed: update it with valid data first");
}

void Solver::own(std::unique_ptr<const Model> model) {
  model_ = std::move(model);
}

int Solver::levels() const {
  return multigrid_ ? multigrid_->levels() : 1;
}

std::size_t Solver::kernels_per_iteration() const {
  std::size_t most = 0;
  for (const auto& recording : recordings_)
    if (recording) most = std::max(most, recording->kernels_in_loop());
  return most;
}

// Nonzero data stored in u, such as Dirichlet data, count as a guess.
bool Solver::solves_at_once(bool given_guess) const {
  return direct_ && !given_guess && e_.options.max_iterations > 0 && e_.traits.homogeneous && e_.traits.homogeneous();
}

void Solver::prepare(bool given_guess) {
  require_levels();
  const Start from = given_guess ? Start::guess : start_for(false);
  auto& recording = recordings_[static_cast<std::size_t>(from)];
  if (!is_outdated(recording)) return;
  Backend& backend = e_.backend;
  Monitor any;
  backend.prepare(recording, [&] { start_and_iterate(from, any); });
  if (is_outdated(recording)) return;  // without a recording, preparing would run a solve
  // A kernel is loaded at its first launch. These calls load the kernels that solve may launch outside the recording.
  const Field& e = iteration_->last_correction();
  backend.dot(e, e, e_.work);
  backend.dot(e_.u, e_.u, e_.work);
  if (e_.options.method != Method::direct && e_.best) backend.copy(e_.u, e_.best);
  if (e_.A->singular() && spare().precision() == e_.A->precision()) e_.A->project_solution(spare());
  backend.value(e_.work);
}

Result Solver::solve(bool given_guess, const Listener& listener) {
  require_levels();
  const Options& options = e_.options;
  const bool at_once = solves_at_once(given_guess);
  begin_solve();
  // The residual of old unknowns would become the reference of the tolerance.
  if (std::exchange(has_solved_, true) && !given_guess && !at_once) clear_unknowns(e_.u);
  StoppingRule rule = stopping_rule(options, e_.epsilon, e_.A->space());
  if (has_stages()) rule.tolerance = stages_.first;
  if (!fallbacks_.empty()) rule.horizon = std::min(options.max_iterations, iteration_limit(options));
  Result result;
  const Start from = start_for(given_guess);
  bool giving_up = false;
  Monitor monitor(rule, [&](const MonitorState& s) {
    giving_up = giving_up || (s.iterations == 0 && from != Start::guess && hopeless(s));
    if (giving_up) return false;
    return !listener || listener({s.iterations, relative(s.last, s), e_.epsilon * relative(s.rounding, s)});
  });
  // The start is saved in case the iteration ends in values that are not finite. A non-finite α also spoils Dirichlet
  // nodes.
  phase_.best_stored = !fallbacks_.empty() && e_.best && (given_guess || options.krylov == Krylov::cg);
  if (phase_.best_stored) e_.backend.copy(e_.u, e_.best);
  run(from, monitor, result);
  if (giving_up) {
    giving_up = false;
    result.start_given_up = true;
    clear_unknowns(e_.u);
    monitor.state() = {};
    run(Start::data, monitor, result);
  }
  if (has_recurrence(options)) verify(monitor);
  const MonitorState& state = monitor.state();
  if (state.reference == 0 && is_finite(state.last)) clear_unknowns(e_.u);  // the exact solution is zero
  result.settled = has_stages() && pass_stages(monitor);
  if (result.settled)
    result.estimated_error = error_.of(monitor, phase_);
  else
    finish(monitor, result);
  const bool solved =
      state.verdict == Verdict::converged || (state.verdict == Verdict::running && options.tolerance == 0);
  if (extrapolation_ && solved && state.reference > 0) {
    phase_.fallback = nullptr;
    result.extrapolated = extrapolate(monitor);
    if (has_recurrence(options)) verify(monitor);
    result.estimated_error = error_.of(monitor, phase_);
  }
  report(from, at_once, monitor, result);
  if (e_.traits.constrained) e_.traits.constrained->put_back(e_.u, e_.b);
  return result;
}

void Solver::begin_solve() {
  fallbacks_.rewind();
  phase_ = {iteration_.get()};
  if (e_.traits.constrained) e_.traits.constrained->take_out(*e_.A, e_.u, e_.b, e_.best);
}

void Solver::run(Start from, Monitor& monitor, Result& result) {
  e_.backend.run(
      recordings_[static_cast<std::size_t>(from)], [&] { start_and_iterate(from, monitor); }, monitor);
  result.projected += e_.backend.value(projected_);
}

// Restores the best iterate if it is better than the last one, and fills the result.
void Solver::report(Start from, bool at_once, Monitor& monitor, Result& result) {
  const MonitorState& state = monitor.state();
  const Options& options = e_.options;
  Backend& backend = e_.backend;
  result.verdict = state.verdict;
  if (stabilized_ && stabilized_->changed_at() >= 0)
    result.steps.push_back("multigrid for the symmetric part stagnated at iteration " +
                           std::to_string(stabilized_->changed_at()) + ": the diagonal replaces it");
  if (e_.traits.cancels) result.rounding_limit = 64;
  result.iterations = state.iterations;
  result.initial = std::sqrt(from == Start::guess && !result.start_given_up ? state.first : state.initial);
  result.reference = std::sqrt(state.reference);
  for (const double norm : monitor.history()) result.history.push_back(relative(norm, state));
  const bool exact_count = options.tolerance == 0 && state.verdict == Verdict::running;
  // Direct steps end at the rounding limit. Repeating Jacobi sweeps only to undo rounding is not worth the time.
  const bool kept_best = (options.method != Method::direct || phase_.fallback) &&
                         (options.method != Method::jacobi || state.last > 4 * state.best);
  const bool earlier = kept_best && e_.best && state.best_iteration < state.iterations &&
                       state.verdict != Verdict::not_finite && !exact_count && takes_best(state, result);
  if (earlier) phase_.now().restore_best(state);
  result.final = std::sqrt(earlier ? state.best : state.last);
  if (exact_count && has_recurrence(options)) {  // the recurrence does not include rounding
    iteration_->take_residual(e_.one, e_.norm);
    result.final = std::sqrt(backend.value(e_.norm));
    result.history.back() = relative(backend.value(e_.norm), state);
  }
  if (e_.A->singular() && !(at_once && direct_->drops_mean())) e_.A->project_solution(e_.u);
  if (state.first > state.initial && result.converged()) {  // the floor of the start is far from that of u
    e_.A->rounding(e_.u, e_.work);
    monitor.state().rounding = backend.value(e_.work);
  }
  result.rounding_floor = e_.epsilon * relative(state.rounding, state);
}

// Returns whether the iterate with the smallest residual replaces the last one. At the rounding limit residuals cannot
// rank the two, but steps from both can: the smallest residual may belong to zero.
bool Solver::takes_best(const MonitorState& state, Result& result) {
  Preconditioner* const stepping = phase_.now().stepping();
  if (state.verdict != Verdict::stagnated || !stepping || !e_.best) return true;
  const double of_best = error_.by_step(e_.best, *stepping);
  const bool takes = of_best <= result.estimated_error;
  if (takes) result.estimated_error = of_best;
  return takes;
}

// Starts again from the residual of the current u and b.
void Solver::begin_again(Monitor& monitor) {
  phase_.now().restart();
  monitor.change(e_.backend.value(e_.norm));
}

void Solver::resume(Monitor& monitor) {
  e_.backend.run(
      recordings_.back(), [&] { iteration_->iterate(monitor, e_.options.max_iterations); }, monitor);
}

// Replaces the equation that u solves by the extrapolated one and solves it from u. Returns 1ᵀ of the change of b.
double Solver::extrapolate(Monitor& monitor) {
  Field& r = has_recurrence(e_.options) ? e_.r : preconditioner_->rhs();
  Field& correction = e_.best;
  extrapolation_->correct(e_.u, e_.b, correction);
  double sum = 0;
  if (e_.A->singular()) {
    e_.A->project_rhs(e_.b, e_.work);
  } else {
    e_.backend.fill(r, 1);
    e_.backend.dot(r, correction, e_.work);
    e_.backend.fill(r, 0);  // Dirichlet nodes must be zero
    sum = e_.backend.value(e_.work);
  }
  begin_again(monitor);
  resume(monitor);
  return sum;
}

// The recursive residual of conjugate gradients drifts from the true one. Only the true one decides: if it has not
// converged, the iteration restarts from it.
void Solver::verify(Monitor& monitor) {
  const MonitorState& state = monitor.state();
  if (const auto* const conjugate = iteration_->conjugate(); conjugate && !conjugate->drifts()) return;
  while (state.verdict == Verdict::converged && state.iterations > 0 && state.iterations < e_.options.max_iterations) {
    iteration_->take_residual(e_.one, e_.norm);
    const double truth = e_.backend.value(e_.norm);
    if (truth <= std::max(target(state, monitor.rule()), 1.0201 * state.last)) return;
    monitor.resume(truth);
    resume(monitor);
  }
}

}  // namespace poisson
