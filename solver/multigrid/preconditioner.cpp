#include "solver/multigrid/preconditioner.hpp"

namespace poisson {

void Preconditioner::correct(const Operator& A, Field& u, const Field& b, const Scalar* applied, const Scalar& scale,
                             Scalar& norm) {
  if (applied) A.backend().axpy(*applied, correction(), u);
  A.residual(u, b, rhs(), scale, norm);
}

void Preconditioner::take_back(const Field& u, const Scalar& applied, Field& before) const {
  before.backend().subtract(u, applied, correction(), before);
}

}  // namespace poisson
