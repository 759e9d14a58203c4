#pragma once

#include "backends/utilities/reduce.hpp"

namespace poisson::cpu {

/// poisson::reduce on all threads; the operands are valid. The result does not depend on their number.
void reduce(Reduction kind, const Values& x, const Values& y, ReductionRoom& room, Scalar& result);

}  // namespace poisson::cpu
