#include "solver/iterations/jacobi_iteration.hpp"

namespace poisson {

void JacobiIteration::start(const Scalar& initial) {
  e_.backend.copy(e_.u, e_.best);
  e_.backend.assign(initial, e_.norm);  // is computed, and needs no scale
  e_.backend.assign(e_.one, e_.inverse);
}

void JacobiIteration::restart() {
  take_residual(e_.one, e_.norm);
  e_.backend.copy(e_.u, e_.best);
}

void JacobiIteration::restore_best(const MonitorState& state) {
  e_.backend.copy(e_.best, e_.u);
  take_residual(e_.one, e_.work);
  for (int i = state.since; i < state.best_iteration; ++i)
    preconditioner_.correct(*e_.A, e_.u, e_.b, &e_.one, e_.one, e_.work);
}

}  // namespace poisson
