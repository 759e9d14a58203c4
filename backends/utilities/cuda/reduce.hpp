#pragma once

#include "backends/utilities/reduce.hpp"

namespace poisson::cuda {

/// Runs poisson::reduce on the stream of a CUDA backend in one launch. The operands are valid.
void reduce(Backend& backend, Reduction kind, const Values& x, const Values& y, ReductionRoom& room, Scalar& result);

}  // namespace poisson::cuda
