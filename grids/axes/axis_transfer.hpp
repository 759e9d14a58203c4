#pragma once

#include <array>
#include <vector>

#include "grids/axes/axis.hpp"

/// Computes the one-dimensional factors of the transfers between two levels. The transfers of a block are their tensor
/// products. They depend only on the coordinates of the values, at nodes and in cells, whether or not coarse values
/// coincide with finer ones.
namespace poisson {

/// Contains rows of at most four weights: value i = Σ_s weight[i][s] · from[at[i][s]]. Indices are wrapped on periodic
/// axes. Zero weights have the index of another weight of the row. Between windows (part_of in block.hpp) the rows are
/// the same as on the global axes, and indices may lie in a halo of cut_halo values.
struct AxisRows {
  std::vector<std::array<int, 4>> at;
  std::vector<std::array<double, 4>> weight;

  std::size_t size() const { return at.size(); }
  /// Adds a row, of which the first `count` weights are used.
  void add(const std::array<int, 4>& from, const std::array<double, 4>& weights, int count);
};

/// Describes the linear prolongation P of an axis: fine value i = weight[i] · coarse[left[i]] + (1 − weight[i]) ·
/// coarse[left[i] + 1]. Both indices may lie in the halo: past the ends of periodic axes, and for cells on the faces,
/// where corrections are zero. At most two fine values lie between two coarse ones.
struct LinearRows {
  std::vector<int> left;
  std::vector<double> weight;
};

/// Returns the rows of linear interpolation. Nodes are interpolated between nodes, and cells between centres. Towards a
/// Dirichlet face cells are interpolated to zero on the face. In the half cells at other faces interpolation is
/// constant. With `constant` a fine cell gets the value of the coarse cell that contains it; the axes must be nested.
LinearRows linear_rows(const Axis& fine, const CoarseAxis& coarse, bool constant = false);

/// Returns Pᵀ by the rows of coarse values.
AxisRows restriction_rows(const Axis& fine, const CoarseAxis& coarse, bool constant = false);

/// Returns the rows of four-point Lagrange interpolation from coarse to fine values. For cells it also uses the values
/// on Dirichlet faces, which have the indices −1 and n. It is one-sided near ends, and of lower order if there are
/// fewer than four coarse values. It is linear where unequal cells would amplify errors by more than a factor of 30
/// (Σ|weight|). The coarse values of a row are consecutive.
AxisRows cubic_rows(const Axis& fine, const CoarseAxis& coarse);

/// Returns the means over coarse cells of values on fine cells, weighted by length. There are rows −1 … N for N coarse
/// cells; row I is stored at I + 1. A row past an end copies the value past the fine end or, on periodic axes, is the
/// row of the cell at the other end. Rows past an end of a window inside the axis are not usable.
AxisRows cell_means(const Axis& fine, const CoarseAxis& coarse);

/// Returns the fine values at coarse values, also in rows −1 … N. A coarse node between fine nodes is computed by
/// four-point Lagrange interpolation. Coarse cells are means.
AxisRows injection_rows(const Axis& fine, const CoarseAxis& coarse);

/// Returns the rows that add integrals over fine control volumes up to integrals over coarse ones. A coarse volume gets
/// its share of each fine volume. If nodes coincide, the rows are Pᵀ, which is equal for linear data. (If they do not,
/// Pᵀ of point values leaves an oscillating error of O(h²), and a full multigrid start does not reach the
/// discretization error.)
AxisRows sum_rows(const Axis& fine, const CoarseAxis& coarse);

/// Returns whether the halo of a solution stores data past an end of a cell-centred axis: g of Dirichlet faces, g/α of
/// Robin faces.
inline bool has_halo_data(const Axis& axis, int end) {
  return axis.kind(end) == BoundaryKind::dirichlet || axis.kind(end) == BoundaryKind::robin;
}

}  // namespace poisson
