#pragma once

#include "backends/lines/cut_lines.hpp"
#include "backends/transforms/axis_products.hpp"
#include "backends/transforms/diagonal_scaling.hpp"

/// These functions make the parts of direct solvers and of relaxation lines on the CPU.
namespace poisson::cpu {

std::unique_ptr<AxisProducts> make_axis_products(Backend& backend, const Layout& layout, Precision precision,
                                                 const TensorInverse& inverse);
std::unique_ptr<CutLines> make_cut_lines(LineRows rows);
std::unique_ptr<DiagonalScaling> make_diagonal_scaling(const TensorDiagonal& L, const Field& diagonal);

}  // namespace poisson::cpu
