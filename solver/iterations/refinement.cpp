#include "solver/iterations/refinement.hpp"

#include <cmath>

namespace poisson {

void Iteration::iterate(Monitor& monitor, int limit) {
  e_.backend.repeat(
      limit, [&] { body(monitor); }, monitor);
}

void Refinement::take_residual(const Scalar& scale, Scalar& norm) {
  preconditioner_.correct(*e_.A, e_.u, e_.b, nullptr, scale, norm);
}

void Refinement::start(const Scalar& initial) {
  e_.backend.scale_to_unit(initial, e_.count, e_.scale, e_.inverse);
  take_residual(e_.scale, e_.norm);
}

void Refinement::restart() {
  take_residual(e_.one, e_.norm);
  Refinement::start(e_.norm);
}

double Refinement::last_length() {
  return std::abs(e_.backend.value(e_.applied));
}

void Refinement::body(Monitor& monitor) {
  Backend& backend = e_.backend;
  preconditioner_.solve();
  backend.assign(e_.inverse, e_.applied);
  backend.scale_to_unit(e_.norm, e_.count, e_.scale, e_.inverse);
  preconditioner_.correct(*e_.A, e_.u, e_.b, &e_.applied, e_.scale, e_.norm);
  backend.observe(monitor, e_.norm);
  if (stores_best_) backend.when_risen(monitor, [&] { preconditioner_.take_back(e_.u, e_.applied, e_.best); });
}

}  // namespace poisson
