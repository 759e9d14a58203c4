#pragma once

#include <array>

#include "grids/operators/level_rows.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// Of the splittings of points and of lines along each axis.
struct EigenvalueBounds {
  EigenvalueBound of_points;
  std::array<EigenvalueBound, 3> of_lines;
};
/// 5 and 7 points: Gershgorin's 2, since Σ|a_ij| ≤ a_ii in every row.
inline EigenvalueBounds eigenvalue_bounds(const LevelRows&) {
  return {};
}
/// From Gershgorin's circles of bands.
inline EigenvalueBounds bounds_of_bands(double circles) {
  const EigenvalueBound of_lines{circles, false, false};
  return {{circles, true, true}, {of_lines, of_lines, of_lines}};
}

/// An upper bound of the largest eigenvalue of D⁻¹A for elements with a constant or isotropic κ: the largest
/// generalized eigenvalue of a cell's element matrix and its diagonal (A and D are sums of them). A cell's matrix has
/// the tensor products of (1, 1) and (1, −1) as eigenvectors and a constant diagonal, of which, with even = 1 + off/own
/// and odd = 1 − off/own those of mass (element_mass.hpp), the vector odd along the s axes of S has
///     stiffness: 2 even^(m−s) odd^(s−1) · Σ_S κ_d/h_d² / Σ_e κ_e/h_e² ,   mass: even^m at the most,   m the dimension,
/// and α enters with even^(m−1); the three are weighted with their shares of the diagonal.
/// For other tensors the largest that stiffness can give. Along lines, the same of their matrix B in place of D.
EigenvalueBounds eigenvalue_bounds(const ElementRows& rows);

/// An estimate for any symmetric operator and B: the Rayleigh quotient after twenty steps (on
/// few unknowns sixty) of the power method from fixed numbers, and a tenth more. (A rotated tensor's element matrices
/// bound it by several times its value.)
double power_estimate(const Operator& A, const SymmetricSplitting& splitting);

}  // namespace poisson
