#pragma once

#include <array>
#include <vector>

#include "grids/axis.hpp"
#include "grids/transfer_weights.hpp"

namespace poisson {

/// The one-dimensional factors of the transfers of a cell-centred axis. Values past an end that is not periodic are
/// those of the halo: a solution's data on Dirichlet faces, zero else.
struct CellWeights {
  // Row i of P: weight[i] of coarse value left[i], which may be −1, and 1 − weight[i] of the one after it.
  std::vector<int> left;
  std::vector<double> weight;
  // Row I of Pᵀ: of the fine values first[I] − 1 … first[I] + 2. The cells of I are count[I], 1 or 2, from first[I] on.
  std::vector<int> first, count;
  std::vector<std::array<double, 4>> restriction;
  // Share of the first of these cells in the length of I.
  std::vector<double> share;
};

/// Whether a solution's halo holds data past an end: g of Dirichlet faces, g/α of Robin faces.
inline bool has_halo_data(const Axis& axis, int end) {
  return axis.kind(end) == BoundaryKind::dirichlet || axis.kind(end) == BoundaryKind::robin;
}

/// `constant`: piecewise constant prolongation. Else linear between the centres, and towards Dirichlet faces to zero
/// there; constant in half cells at other faces.
CellWeights cell_weights(const Axis& fine, const CoarseAxis& coarse, bool constant);

/// Four-point Lagrange interpolation as CubicWeights says, from coarse centres and Dirichlet faces, which are the
/// values −1 and n.
CubicWeights cubic_cell_weights(const Axis& fine, const CoarseAxis& coarse);

}  // namespace poisson
