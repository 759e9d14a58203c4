#pragma once

#include "backends/memory/per_axis.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// Bounds the eigenvalues of the splittings by points and by lines along each axis.
struct EigenvalueBounds {
  EigenvalueBound of_points;
  PerAxis<EigenvalueBound> of_lines;
};
/// Returns Gershgorin's bound 2 for 5 and 7 points, since Σ|a_ij| ≤ a_ii in every row.
inline EigenvalueBounds eigenvalue_bounds(const LevelRows&) {
  return {};
}
/// Returns bounds from Gershgorin's circles of bands.
inline EigenvalueBounds bounds_of_bands(double circles) {
  const EigenvalueBound of_lines{circles, false, false};
  return {{circles, true, true}, {of_lines, of_lines, of_lines}};
}

/// Bounds the largest eigenvalue of D⁻¹A from above for elements with a constant or isotropic κ. The bound is the
/// largest generalized eigenvalue of a cell's element matrix and its diagonal, because A and D are sums over cells. The
/// eigenvectors of a cell's matrix are the tensor products of (1, 1) and (1, −1), and its diagonal is constant. Let
/// even = 1 + off/own and odd = 1 − off/own be the eigenvalues of mass (element_mass.hpp), and m the dimension. A
/// vector that is odd along the s axes of a set S then has these eigenvalues relative to the diagonal:
///
///     stiffness: 2 even^(m−s) odd^(s−1) · Σ_S κ_d/h_d² / Σ_e κ_e/h_e² ,   mass: at most even^m .
///
/// α contributes even^(m−1). The three contributions are weighted by their shares of the diagonal. For other tensors
/// the bound uses the largest value that stiffness can reach. Bounds for lines use their matrix B instead of D.
EigenvalueBounds eigenvalue_bounds(const ElementRows& rows);

/// Estimates the largest eigenvalue for any symmetric operator and B. The estimate is 1.1 times the Rayleigh quotient
/// after twenty steps of the power method (sixty for few unknowns) from fixed numbers. For a rotated tensor, the bound
/// from element matrices would be several times the true value.
double power_estimate(const Operator& A, const SymmetricSplitting& splitting);

}  // namespace poisson
