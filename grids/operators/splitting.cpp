#include "grids/operators/splitting.hpp"

#include <algorithm>
#include <utility>

#include "grids/operators/eigenvalue_bound.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

void SymmetricSplitting::take(std::span<const PolynomialStep> steps, bool, const Field& b, Iterate& u) const {
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (u.zero) {
      start(steps[s].alpha, b, *u.now);
      u.zero = false;
      // The next step uses the zero guess as the previous iterate.
      if (s + 1 < steps.size() && steps[s + 1].beta != 0) u.other->backend().fill(*u.other, 0);
    } else {
      step(steps[s], *u.now, b, *u.other);
      std::swap(u.now, u.other);
    }
  }
}

void BoundedSplitting::start(double alpha, const Field& b, Field& u) const {
  A_.timed(lines_ ? traffic("line start") : traffic("polynomial start"), {&b, &u}, [&] { do_start(alpha, b, u); });
}

void BoundedSplitting::step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const {
  const bool forgets = step.beta == 0;
  const Traffic& row = lines_    ? (forgets ? traffic("line step 0") : traffic("line step"))
                       : forgets ? traffic("polynomial step 0")
                                 : traffic("polynomial step");
  A_.timed(row, {&u, &b, &previous}, [&] { do_step(step, u, b, previous); });
}

double BoundedSplitting::largest_eigenvalue() const {
  if (bound_.serves) return bound_.most;
  if (!estimate_) {
    estimate_ = power_estimate(A_, *this);
    if (bound_.certain) estimate_ = std::min(*estimate_, bound_.most);
  }
  return *estimate_;
}

}  // namespace poisson
