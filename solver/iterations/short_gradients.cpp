#include "solver/iterations/short_gradients.hpp"

#include <cmath>
#include <utility>

namespace poisson {

ShortGradients::ShortGradients(Equation& equation, Preconditioner& preconditioner,
                               std::shared_ptr<const Operator> corrections)
    : ConjugateGradients(equation, preconditioner),
      corrections_(std::move(corrections)),
      p_(equation.backend, corrections_->space(), corrections_->precision()),
      q_(equation.backend, corrections_->space(), corrections_->precision()),
      minus_one_(equation.backend.scalar(-1)),
      rest_(equation.backend.scalar()),
      length_(equation.backend.scalar()) {}

// The residual is stored times Equation::scale, because its values may leave the range of its precision. Without a
// scale of the caller, that of b serves.
void ShortGradients::take_residual(const Scalar& scale, Scalar& norm) {
  if (&scale != &e_.scale) {
    e_.A->norm(e_.b, norm);
    e_.backend.scale_to_unit(norm, e_.count, e_.scale, e_.inverse);
  }
  e_.A->residual(e_.u, e_.b, preconditioner_.rhs(), e_.scale, norm);
  e_.backend.ratio(e_.one, e_.scale, e_.inverse);
}

void ShortGradients::start(const Scalar& initial) {
  e_.backend.scale_to_unit(initial, e_.count, e_.scale, e_.inverse);
  take_residual(e_.scale, e_.norm);
}

void ShortGradients::restart() {
  take_residual(e_.one, e_.norm);
  start(e_.norm);
}

double ShortGradients::last_length() {
  return std::abs(e_.backend.value(e_.alpha) * e_.backend.value(e_.inverse));
}

void ShortGradients::restart_conjugation() {
  if (e_.A->singular()) corrections_->project_rhs(preconditioner_.rhs(), e_.work);
  e_.backend.fill(p_, 0);
  e_.backend.fill(q_, 0);
  e_.backend.assign(e_.zero, e_.pq);
}

// Computes p, steps u along it, and finds q = r − t and α from the residual t there.
void ShortGradients::try_direction() {
  Backend& backend = e_.backend;
  const Field& r = preconditioner_.rhs();
  preconditioner_.solve();
  const Field& z = preconditioner_.correction();
  backend.dot(z, q_, e_.work);
  backend.ratio(e_.work, e_.pq, e_.beta);
  backend.negate(e_.beta);
  backend.xpay(z, e_.beta, p_);
  if (e_.A->singular()) corrections_->project_solution(p_);
  backend.axpy(e_.inverse, p_, e_.u);
  e_.A->residual(e_.u, e_.b, q_, e_.scale, e_.work);
  backend.dot(q_, p_, rest_);
  backend.xpay(r, minus_one_, q_);
  backend.dot(p_, q_, e_.pq);
  backend.dot(r, p_, e_.work);
  backend.ratio(e_.work, e_.pq, e_.alpha);
}

void ShortGradients::next_direction() {
  try_direction();
  e_.backend.axmy(e_.inverse, p_, e_.u);
}

void ShortGradients::step_residual() {
  Backend& backend = e_.backend;
  backend.axmy(e_.alpha, q_, preconditioner_.rhs());
  corrections_->norm(preconditioner_.rhs(), e_.norm);
  for (int twice = 0; twice < 2; ++twice) backend.ratio(e_.norm, e_.scale, e_.norm);
}

// As rᵀp = tᵀp + qᵀp, α exceeds the trial step by tᵀp / pᵀq.
void ShortGradients::body(Monitor& monitor) {
  Backend& backend = e_.backend;
  try_direction();
  backend.ratio(rest_, e_.pq, length_);
  backend.ratio(length_, e_.scale, length_);
  backend.axpy(length_, p_, e_.u);
  step_residual();
  backend.observe(monitor, e_.norm);
}

}  // namespace poisson
