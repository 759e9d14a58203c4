#pragma once

/// κ on the faces of cells (grids/operators/faces.hpp), as formulas of a point. Free of the standard library: they
/// compile at run time too.
namespace poisson {

/// κ on a face as a quotient, so that a choice among faces costs one division.
struct FaceMean {
  double above, below;
  constexpr operator double() const { return above / below; }
};
/// Between cells of widths h0 and h1 the harmonic mean that is weighted with them.
constexpr FaceMean harmonic_face(double kappa0, double h0, double kappa1, double h1) {
  return {(h0 + h1) * kappa0 * kappa1, h0 * kappa1 + h1 * kappa0};
}
/// κ over half a cell of width h that lets through as much as the cell's κ and α in series.
constexpr FaceMean robin_face(double kappa, double alpha, double h) {
  return {kappa * alpha * 0.5 * h, kappa + 0.5 * alpha * h};
}

}  // namespace poisson
