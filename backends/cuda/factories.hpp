#pragma once

#include "backends/lines/cut_lines.hpp"
#include "backends/lines/part_swap.hpp"
#include "backends/transforms/axis_products.hpp"
#include "backends/transforms/diagonal_scaling.hpp"

/// These functions make the parts of direct solvers and of relaxation lines in CUDA.
namespace poisson::cuda {

std::unique_ptr<AxisProducts> make_axis_products(Backend& backend, const Layout& layout, Precision precision,
                                                 const TensorInverse& inverse);

/// Returns the bytes that elimination stores for lines that are not cut, plus the workspace of cuBLAS if it multiplies.
std::size_t products_bytes(const TensorInverse& inverse, Precision precision, bool multiplies);
std::unique_ptr<CutLines> make_cut_lines(LineRows rows);
std::unique_ptr<DiagonalScaling> make_diagonal_scaling(const TensorDiagonal& L, const Field& diagonal);
std::unique_ptr<PartSwap> make_part_swap(Backend& backend, const Members& members, std::size_t most);

}  // namespace poisson::cuda
