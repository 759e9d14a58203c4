#pragma once

#include "backends/utilities/reduce.hpp"

namespace poisson::cpu {

/// Runs poisson::reduce on all threads. The operands are valid. The result does not depend on the number of threads.
void reduce(Reduction kind, const Values& x, const Values& y, ReductionRoom& room, Scalar& result);

}  // namespace poisson::cpu
