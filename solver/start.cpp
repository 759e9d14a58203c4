#include <algorithm>
#include <cmath>

#include "backends/device/unknowns.hpp"
#include "solver/iterations/direct_iteration.hpp"
#include "solver/multigrid/multigrid.hpp"
#include "solver/norms.hpp"
#include "solver/solver.hpp"

// How a solve begins: which start it chooses, and the norms of data and of the start.
namespace poisson {

// Residuals are relative to the data and not to the guess: a guess close to the solution would leave no usable
// reference. A guess is measured against its own residual only if all data are zero.
Solver::Start Solver::start_for(bool given_guess) {
  e_.guess_size = 0;
  const bool walls = e_.traits.drives_by_walls && e_.traits.drives_by_walls();
  if (!given_guess) return walls || (direct_ && !solves_at_once(false)) ? Start::data : Start::nothing;
  Backend& backend = e_.backend;
  const Operator& A = *e_.A;
  Field spare = e_.best ? Field() : e_.field();
  Field& x = e_.best ? e_.best : spare;
  A.norm(e_.b, e_.work);
  const double raw = backend.value(e_.work);
  backend.copy(e_.b, x);
  if (A.singular()) A.project_rhs(x, e_.work);
  A.norm(x, e_.work);
  double reference = backend.value(e_.work);
  backend.assign(e_.zero, guess_norm_);
  if (!A.singular() && !(e_.traits.homogeneous && e_.traits.homogeneous())) {
    backend.convert(e_.u, x);
    clear_unknowns(x);
    A.residual(x, e_.b, preconditioner_->rhs(), e_.one, guess_norm_);
    reference = std::max(reference, backend.value(guess_norm_));
  }
  if (reference > left_by_projection(A.space(), e_.epsilon) * raw) return Start::guess;
  e_.guess_size = e_.size_of(e_.u);
  return Start::data;
}

void Solver::start_and_iterate(Start from, Monitor& monitor) {
  // A fixed number of iterations is divided between the two equations of extrapolation.
  const int all = e_.options.max_iterations, half = all - all / 2;
  start(from, monitor);
  iteration_->iterate(monitor, extrapolation_ && e_.options.tolerance == 0 ? half : all);
}

// Removes the incompatible part of b, and computes the norms before and after that.
void Solver::measure_data() {
  const Operator& A = *e_.A;
  if (A.singular()) return A.project_rhs(e_.b, projected_, raw_norm_, data_norm_);
  A.norm(e_.b, raw_norm_);
  e_.backend.assign(raw_norm_, data_norm_);
}

// Computes the norms of the data and of the start, then runs full multigrid. Prepares the first step.
void Solver::start(Start from, Monitor& monitor) {
  Backend& backend = e_.backend;
  measure_data();
  if (direct_ && from == Start::nothing) return direct_->solve_at_once(monitor, raw_norm_, data_norm_);
  iteration_->take_residual(e_.one, initial_norm_);
  if (multigrid_ && e_.options.full_multigrid && from == Start::nothing) {
    backend.scale_to_unit(initial_norm_, e_.count, e_.scale, e_.inverse);
    multigrid_->start(e_.b, e_.u, e_.scale, e_.inverse,
                      e_.traits.starts_from_residual ? &iteration_->residual() : nullptr);
    if (e_.A->singular()) e_.A->project_solution(e_.u);
    iteration_->take_residual(e_.scale, e_.norm);
  } else {
    iteration_->start(initial_norm_);
  }
  e_.A->rounding(e_.u, e_.work);
  backend.begin(monitor, raw_norm_, data_norm_, from == Start::guess ? guess_norm_ : initial_norm_, e_.norm, e_.work);
}

}  // namespace poisson
