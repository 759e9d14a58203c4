#include "solver/iterations/stabilized_iteration.hpp"

#include <cmath>
#include <utility>

namespace poisson {

StabilizedIteration::StabilizedIteration(Equation& equation, Preconditioner& preconditioner, MakePreconditioner other)
    : Iteration(equation, preconditioner),
      make_other_(std::move(other)),
      shadow_(equation.field()),
      image_(equation.field()),
      step_(equation.field()),
      second_(equation.field()),
      rho_(equation.backend.scalar()),
      before_(equation.backend.scalar()),
      omega_(equation.backend.scalar()) {}

void StabilizedIteration::take_residual(const Scalar&, Scalar& norm) {
  e_.A->residual(e_.u, e_.b, e_.r, e_.one, norm);
}

void StabilizedIteration::start(const Scalar& initial) {
  e_.backend.assign(initial, e_.norm);
  e_.backend.assign(e_.one, e_.inverse);
}

// Begins with the shadow residual r̂ = r. A singular matrix leaves a component that no correction removes.
void StabilizedIteration::begin() {
  Backend& backend = e_.backend;
  if (e_.A->singular()) e_.A->project_rhs(e_.r, e_.work);
  backend.copy(e_.r, shadow_);
  backend.fill(e_.p, 0);
  backend.fill(image_, 0);
  backend.dot(shadow_, e_.r, rho_);
  for (Scalar* one : {&before_, &omega_, &e_.alpha}) backend.assign(e_.one, *one);
}

// Computes y = M x. The preconditioner may compute in 32 bits, so x is scaled to magnitudes near 1.
void StabilizedIteration::precondition(const Field& x, Field& y) {
  Backend& backend = e_.backend;
  Preconditioner& with = now();
  e_.A->norm(x, e_.work);
  backend.scale_to_unit(e_.work, e_.count, e_.scale, e_.inverse);
  backend.scale(e_.scale, x, with.rhs());
  with.solve();
  backend.convert(with.correction(), y);
  backend.scale(e_.inverse, y, y);
  if (e_.A->singular()) e_.A->project_solution(y);
}

void StabilizedIteration::body(Monitor& monitor) {
  Backend& backend = e_.backend;
  // β = (ρ/ρ₋₁)(α/ω), with 0 for a quotient by zero.
  backend.ratio(rho_, before_, e_.beta);
  backend.ratio(omega_, e_.alpha, e_.work);
  backend.ratio(e_.beta, e_.work, e_.beta);
  backend.axmy(omega_, image_, e_.p);
  backend.xpay(e_.r, e_.beta, e_.p);
  precondition(e_.p, step_);
  e_.A->apply(step_, image_);
  backend.dot(shadow_, image_, e_.work);
  backend.ratio(rho_, e_.work, e_.alpha);
  backend.axmy(e_.alpha, image_, e_.r);
  precondition(e_.r, e_.q);
  e_.A->apply(e_.q, second_);
  backend.dot(second_, e_.r, e_.work);
  backend.dot(second_, second_, e_.pq);
  backend.ratio(e_.work, e_.pq, omega_);
  backend.scale(e_.alpha, step_, step_);
  backend.axpy(omega_, e_.q, step_);
  backend.axpy(e_.one, step_, e_.u);
  backend.axmy(omega_, second_, e_.r);
  backend.assign(rho_, before_);
  backend.dot(shadow_, e_.r, rho_);
  e_.A->norm(e_.r, e_.norm);
  monitor.observe(backend.value(e_.norm));
  if (monitor.state().rose != 0) backend.subtract(e_.u, e_.one, step_, e_.best);
}

// Continues from the best iterate with the second preconditioner, if there is one and it is not in use.
bool StabilizedIteration::change(Monitor& monitor) {
  if (other_ || !make_other_) return false;
  const MonitorState& state = monitor.state();
  if (state.verdict == Verdict::not_finite)
    e_.backend.fill(e_.u, 0);
  else if (state.best_iteration < state.iterations)
    restore_best(state);
  other_ = make_other_();
  changed_at_ = state.iterations;
  restart();
  monitor.change(e_.backend.value(e_.norm));
  monitor.rule().stagnation_window = plateau;
  return state.verdict == Verdict::running;
}

void StabilizedIteration::iterate(Monitor& monitor, int limit) {
  const MonitorState& state = monitor.state();
  Backend& backend = e_.backend;
  constexpr double orthogonal = 1e-10;  // r̂ᵀr below this share of the norms determines no direction
  begin();
  for (int restarts = 0; state.iterations < limit;) {
    if (state.verdict == Verdict::stagnated || state.verdict == Verdict::diverged ||
        state.verdict == Verdict::not_finite) {
      if (!change(monitor)) return;
      begin();
    }
    if (state.verdict != Verdict::running) return;
    body(monitor);
    if (state.verdict != Verdict::running) continue;
    backend.dot(e_.r, e_.r, e_.work);
    const double r = backend.value(e_.work), rho = backend.value(rho_);
    backend.dot(shadow_, shadow_, e_.work);
    if (std::abs(rho) > orthogonal * std::sqrt(r * backend.value(e_.work)) && backend.value(omega_) != 0) continue;
    if (++restarts > 20) monitor.state().verdict = Verdict::stagnated;
    restart();
    begin();
  }
}

}  // namespace poisson
