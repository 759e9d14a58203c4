#pragma once

/// These formulas give κ on the faces of cells (grids/operators/faces.hpp). They do not use the standard library,
/// because they are also compiled at run time.
namespace poisson {

/// Is κ on a face as a quotient, so that a choice among faces costs one division.
struct FaceMean {
  double above, below;
  constexpr operator double() const { return above / below; }
};
/// Returns the width-weighted harmonic mean of κ between cells of widths h0 and h1.
constexpr FaceMean harmonic_face(double kappa0, double h0, double kappa1, double h1) {
  return {(h0 + h1) * kappa0 * kappa1, h0 * kappa1 + h1 * kappa0};
}
/// Returns the κ over half a cell of width h that conducts as much as κ of the cell and α in series.
constexpr FaceMean robin_face(double kappa, double alpha, double h) {
  return {kappa * alpha * 0.5 * h, kappa + 0.5 * alpha * h};
}

}  // namespace poisson
