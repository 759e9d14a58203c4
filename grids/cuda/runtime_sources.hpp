#pragma once

#include <span>
#include <string>

#include "backends/precision.hpp"

namespace poisson::cuda {

/// CUDA C++ with two kernels for each expression (the source of a Quantity), by its number:
/// fill_N(Range, Tiling, Points, FillTarget) and measure_N(Range, Tiling, Points, AnyView u, const double* wx, wy, wz,
/// Moments* partial).
std::string evaluation_source(std::span<const std::string> expressions);

/// CUDA C++ with the kernels of an operator that evaluates κ itself: map_N(Range, Tiling, column) and
/// sum_N(Range, Tiling, column, double* partial) for the columns of grids/cuda/recompute_columns.cuh. One expression
/// where κ is isotropic, else three.
std::string recompute_source(Precision precision, std::span<const std::string> kappa);

}  // namespace poisson::cuda
