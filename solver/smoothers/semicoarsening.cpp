#include "solver/smoothers/semicoarsening.hpp"

#include <cstddef>

namespace poisson {

void SemicoarseningSmoother::smooth(const Field& b, Iterate& u, bool reversed) const {
  if (u.zero) A_.backend().fill(*u.now, 0);
  u.zero = false;
  for (std::size_t n = 0; n < corrections_.size(); ++n) {
    const SideCorrection& side = corrections_[reversed ? corrections_.size() - 1 - n : n];
    A_.residual(*u.now, b, *u.other);
    side.transfer->restrict_to(*u.other, side.below->rhs());
    side.below->solve();
    side.transfer->prolong_add(side.below->correction(), *u.now);
  }
}

}  // namespace poisson
