#pragma once

#include "backends/utilities/reduce.hpp"
#include "backends/utilities/transpose.hpp"

/// These functions implement those of backends/utilities/ in CUDA.
namespace poisson::cuda {

/// Runs poisson::reduce on the stream of a CUDA backend in one launch. The operands are valid.
void reduce(Backend& backend, Reduction kind, const Values& x, const Values& y, ReductionRoom& room, Scalar& result);
/// Runs poisson::transpose on the stream of a CUDA backend. The shape is valid.
void transpose(Backend& backend, const Transposition& shape, const void* from, void* to);

}  // namespace poisson::cuda
