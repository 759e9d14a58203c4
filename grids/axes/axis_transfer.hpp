#pragma once

#include <array>
#include <vector>

#include "grids/axes/axis.hpp"

/// The one-dimensional factors of the transfers between two levels: those of a block are their tensor products. They
/// come from the coordinates of the values alone, whether coarse ones coincide with finer ones or not, at nodes and in
/// cells alike.
namespace poisson {

/// Rows that take at most four values each: value i = Σ_s weight[i][s] · from[at[i][s]]. Indices are turned into the
/// axis where it is periodic. Weights that vanish stand beside the index of another one of the row. Between windows
/// (part_of in block.hpp) they are those of the whole axes, and indices may lie in a halo of cut_halo values.
struct AxisRows {
  std::vector<std::array<int, 4>> at;
  std::vector<std::array<double, 4>> weight;

  std::size_t size() const { return at.size(); }
  /// Adds a row; `count` of its values count.
  void add(const std::array<int, 4>& from, const std::array<double, 4>& weights, int count);
};

/// The linear prolongation P of an axis: fine value i = weight[i] · coarse[left[i]] + (1 − weight[i]) ·
/// coarse[left[i] + 1]. Both indices may lie in the halo: past the ends of periodic axes, and for cells on the faces,
/// where corrections are zero. At most two fine values lie between two coarse ones.
struct LinearRows {
  std::vector<int> left;
  std::vector<double> weight;
};

/// Linear between the nodes. For cells linear between the centres, towards Dirichlet faces to zero there, constant in
/// half cells at other faces; with `constant` what the cell has that the fine one is part of, on nested axes.
LinearRows linear_rows(const Axis& fine, const CoarseAxis& coarse, bool constant = false);

/// Pᵀ: the rows of coarse values.
AxisRows restriction_rows(const Axis& fine, const CoarseAxis& coarse, bool constant = false);

/// Four-point Lagrange interpolation from coarse to fine values, for cells also from the values on Dirichlet faces,
/// which have the indices −1 and n. One-sided near ends; of lower order where there are fewer than four coarse values;
/// linear where unequal cells would make the weights enlarge errors by more than a factor of 30 (Σ|weight|). The four
/// values of a row follow each other.
AxisRows cubic_rows(const Axis& fine, const CoarseAxis& coarse);

/// The means over the coarse cells of what lives on the fine ones, by length; rows −1 … N for N coarse cells, so that
/// row I stands at I + 1. Past the ends stands what lies past the fine ones, on periodic axes the cell of the other
/// end; past an end of a window that is not the axis's nothing of use.
AxisRows cell_means(const Axis& fine, const CoarseAxis& coarse);

/// The fine values at coarse ones, rows −1 … N as well: where a node lies between fine nodes by four-point Lagrange
/// interpolation, for cells the means.
AxisRows injection_rows(const Axis& fine, const CoarseAxis& coarse);

/// What fine values that are integrals over control volumes add up to on the coarse ones: the parts that a coarse
/// volume has of fine ones; where nodes coincide Pᵀ, which is the same for linear data. (Where they do not, Pᵀ of point
/// values leaves an error that oscillates by O(h²), and a start by full multigrid misses the discretization error.)
AxisRows sum_rows(const Axis& fine, const CoarseAxis& coarse);

/// Whether a solution's halo holds data past an end of a cell-centred axis: g of Dirichlet faces, g/α of Robin faces.
inline bool has_halo_data(const Axis& axis, int end) {
  return axis.kind(end) == BoundaryKind::dirichlet || axis.kind(end) == BoundaryKind::robin;
}

}  // namespace poisson
