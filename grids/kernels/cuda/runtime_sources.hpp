#pragma once

#include <span>
#include <string>

#include "backends/precision.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/rows/box_coefficients.hpp"

namespace poisson::cuda {

/// CUDA C++ with two kernels for an expression (the source of a Quantity): fill(Range, Tiling, Points, FillTarget) and
/// measure(Range, Slices, Points, AnyView u, const double* wx, wy, wz, Moments* partial).
std::string evaluation_source(const std::string& expression);

/// What an operator makes rows from κ for: nodes, cells through their faces, or nodes through elements.
struct RecomputedRows {
  enum Kind { nodes, cells, elements };
  Kind kind = nodes;
  int dimension = 3;
  Tensor tensor = Tensor::isotropic;  ///< of elements
};
inline RecomputedRows recomputed_rows(const NodeRows& rows) {
  return {RecomputedRows::nodes, rows.block.dimension()};
}
inline RecomputedRows recomputed_rows(const FaceRows& rows) {
  return {RecomputedRows::cells, rows.block.dimension()};
}
inline RecomputedRows recomputed_rows(const ElementRows& rows) {
  return {RecomputedRows::elements, rows.block.dimension(),
          rows.full_tensor() ? Tensor::full
          : rows.isotropic() ? Tensor::isotropic
                             : Tensor::diagonal};
}

/// The kernels of an operator are shared out over so many sources, which compile side by side.
inline constexpr int recompute_parts = 6;

/// CUDA C++ with kernels of an operator that evaluates κ itself: map_N(Range, Tiling, column) and sum_N(Range, Tiling,
/// column, double* partial) for the columns N of grids/kernels/cuda/recompute_columns.cuh, N % recompute_parts = part.
/// One expression where κ is isotropic, else three, of elements one for each component.
std::string recompute_source(RecomputedRows rows, Precision precision, std::span<const std::string> kappa, int part);

}  // namespace poisson::cuda
