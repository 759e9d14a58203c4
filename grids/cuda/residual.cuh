#pragma once

#include <cuda_runtime.h>

#include "backends/box.hpp"
#include "backends/view.hpp"

namespace poisson::cuda {

/// r = b − A u on the unknowns, for one of the models of grids/coefficients.hpp: the CPU's point formula, one thread per
/// point. All views are of device memory; the halo of u is filled.
template <class T, class Coefficients>
void residual(const Coefficients& a, View<const T> u, View<const T> b, View<T> r, const Box& unknowns,
              cudaStream_t stream);

}  // namespace poisson::cuda
