#pragma once

#include <span>
#include <string>

#include "backends/memory/precision.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/rows/box_coefficients.hpp"

namespace poisson::cuda {

/// Returns CUDA C++ with two kernels for an expression (the source of a Quantity): fill(Range, Tiling, Points,
/// FillTarget) and measure(Range, Slices, Points, AnyView u, const double* wx, wy, wz, Moments* partial).
std::string evaluation_source(const std::string& expression);

/// `RecomputedRows` states which rows an operator computes from κ: those of nodes, of cells through their faces, or of
/// nodes through elements.
struct RecomputedRows {
  enum Kind { nodes, cells, elements };
  Kind kind = nodes;
  int dimension = 3;
  Tensor tensor = Tensor::isotropic;  ///< elements only
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

/// The kernels of an operator are distributed over this many sources, which are compiled concurrently.
inline constexpr int recompute_parts = 6;

/// Returns CUDA C++ with the kernels of an operator that evaluates κ itself: map_N(Range, Tiling, column) and
/// sum_N(Range, Tiling, column, double* partial). N counts the columns of grids/kernels/cuda/recompute_columns.cuh; the
/// source contains those with N % recompute_parts = part. `kappa` contains one expression if κ is isotropic, otherwise
/// three; for elements one for each component.
std::string recompute_source(RecomputedRows rows, Precision precision, std::span<const std::string> kappa, int part);

}  // namespace poisson::cuda
