#include "solver/iterations/accelerated_refinement.hpp"

namespace poisson {

AcceleratedRefinement::AcceleratedRefinement(Equation& equation, Preconditioner& preconditioner, double contraction)
    : Refinement(equation, preconditioner, false),
      moved_(e_.backend, e_.u.space(), preconditioner.correction().precision()),
      momentum_(e_.backend.scalar(0.25 * contraction * contraction)),
      part_(e_.backend.scalar()) {}

void AcceleratedRefinement::forget() {
  e_.backend.fill(moved_, 0);
  e_.backend.assign(e_.one, e_.applied);
}

void AcceleratedRefinement::start(const Scalar& initial) {
  Refinement::start(initial);
  forget();
}

void AcceleratedRefinement::restart() {
  Refinement::restart();
  forget();
}

// The last correction is in units of the last residual's scale, and the new one in those of this residual.
void AcceleratedRefinement::body(Monitor& monitor) {
  Backend& backend = e_.backend;
  preconditioner_.solve();
  backend.ratio(e_.inverse, momentum_, part_);
  backend.ratio(e_.applied, part_, part_);
  backend.assign(e_.inverse, e_.applied);
  backend.scale_to_unit(e_.norm, e_.count, e_.scale, e_.inverse);
  backend.xpay(preconditioner_.correction(), part_, moved_);
  backend.axpy(e_.applied, moved_, e_.u);
  preconditioner_.correct(*e_.A, e_.u, e_.b, nullptr, e_.scale, e_.norm);
  backend.observe(monitor, e_.norm);
}

}  // namespace poisson
