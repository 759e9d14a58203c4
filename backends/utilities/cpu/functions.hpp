#pragma once

#include "backends/utilities/reduce.hpp"
#include "backends/utilities/transpose.hpp"

/// These functions implement those of backends/utilities/ on the CPU.
namespace poisson::cpu {

/// Runs poisson::reduce on all threads. The operands are valid. The result does not depend on the number of threads.
void reduce(Reduction kind, const Values& x, const Values& y, ReductionRoom& room, Scalar& result);
/// Runs poisson::transpose on all threads. The shape is valid.
void transpose(const Transposition& shape, const void* from, void* to);

}  // namespace poisson::cpu
