#include "solver/smoothers/planes.hpp"

#include <utility>

namespace poisson {

PlaneSmoother::PlaneSmoother(const Operator& A, std::span<const PolynomialStep> steps,
                             std::shared_ptr<Preconditioner> planes)
    : A_(A), planes_(std::move(planes)) {
  double before = 0;
  for (const PolynomialStep& step : steps) {
    steps_.push_back({A.backend().scalar(step.alpha), A.backend().scalar(step.beta * before / step.alpha)});
    before = step.alpha;
  }
}

void PlaneSmoother::smooth(const Field& b, Iterate& u, bool) const {
  Backend& backend = A_.backend();
  Field& d = *u.other;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (u.zero) {
      backend.fill(*u.now, 0);
      backend.copy(b, planes_->rhs());
    } else {
      A_.residual(*u.now, b, planes_->rhs());
    }
    u.zero = false;
    planes_->solve();
    const Field& e = planes_->correction();
    if (s == 0)
      backend.copy(e, d);
    else
      backend.xpay(e, steps_[s].memory, d);
    backend.axpy(steps_[s].length, d, *u.now);
  }
}

}  // namespace poisson
