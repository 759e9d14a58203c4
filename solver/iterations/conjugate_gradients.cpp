#include "solver/iterations/conjugate_gradients.hpp"

#include <cmath>

namespace poisson {

void ConjugateGradients::take_residual(const Scalar&, Scalar& norm) {
  e_.A->residual(e_.u, e_.b, e_.r, e_.one, norm);
}

void ConjugateGradients::start(const Scalar& initial) {
  e_.backend.assign(initial, e_.norm);  // is computed, and needs no scale
  e_.backend.assign(e_.one, e_.inverse);
}

double ConjugateGradients::last_length() {
  return std::abs(e_.backend.value(e_.alpha));
}

// A is singular only up to rounding, so r keeps a null-space component that no correction removes. A preconditioner
// would leave it spread by volume, also in small rows, where D⁻¹ amplifies it.
void ConjugateGradients::restart_conjugation() {
  if (e_.A->singular()) e_.A->project_rhs(e_.r, e_.work);
  e_.backend.fill(e_.p, 0);
  e_.backend.fill(e_.q, 0);
  e_.backend.assign(e_.zero, e_.pq);
}

// With r_{k+1} − r_k = −α q, β becomes −zᵀq / pᵀq, which needs no second residual and does not depend on the scale of
// z.
void ConjugateGradients::next_direction() {
  Backend& backend = e_.backend;
  const Operator& A = *e_.A;
  backend.scale_to_unit(e_.norm, e_.count, e_.scale, e_.inverse);
  backend.scale(e_.scale, e_.r, preconditioner_.rhs());
  preconditioner_.solve();
  const Field& z = preconditioner_.correction();
  backend.dot(z, e_.q, e_.work);
  backend.ratio(e_.work, e_.pq, e_.beta);
  backend.negate(e_.beta);
  backend.xpay(z, e_.beta, e_.p);
  if (A.singular()) A.project_solution(e_.p);  // rounding of a growing mean would hide u
  A.apply(e_.p, e_.q);
  backend.dot(e_.p, e_.q, e_.pq);
  backend.dot(e_.r, e_.p, e_.work);
  backend.ratio(e_.work, e_.pq, e_.alpha);
}

void ConjugateGradients::step_residual() {
  e_.backend.axmy(e_.alpha, e_.q, e_.r);
  e_.A->norm(e_.r, e_.norm);
}

void ConjugateGradients::iterate(Monitor& monitor, int limit) {
  restart_conjugation();
  Iteration::iterate(monitor, limit);
}

void ConjugateGradients::body(Monitor& monitor) {
  Backend& backend = e_.backend;
  next_direction();
  backend.axpy(e_.alpha, e_.p, e_.u);
  step_residual();
  backend.observe(monitor, e_.norm);
  backend.when_risen(monitor, [&] { backend.subtract(e_.u, e_.alpha, e_.p, e_.best); });
}

void FallbackIteration::iterate(Monitor& monitor, int limit) {
  const MonitorState& state = monitor.state();
  Backend& backend = e_.backend;
  const Operator& A = *e_.A;
  restart_conjugation();
  for (int at_floor = 0; state.iterations < limit && state.verdict == Verdict::running;) {
    next_direction();
    backend.axpy(e_.alpha, e_.p, e_.u);
    A.residual(e_.u, e_.b, e_.r, e_.one, e_.norm);
    monitor.observe(backend.value(e_.norm));
    if (A.singular()) A.project_rhs(e_.r, e_.work);
    if (state.rose != 0) backend.subtract(e_.u, e_.alpha, e_.p, e_.best);
    A.rounding(e_.u, e_.work);
    at_floor = state.last <= std::pow(2 * e_.epsilon, 2) * backend.value(e_.work) ? at_floor + 1 : 0;
    if (at_floor == 3 && state.verdict == Verdict::running) monitor.state().verdict = Verdict::stagnated;
  }
}

}  // namespace poisson
