#pragma once

#include <array>
#include <vector>

#include "backends/transforms/axis_products.hpp"
#include "grids/axes/axis.hpp"
#include "grids/rows/element_mass.hpp"

namespace poisson {

/// The symmetric tridiagonal matrices K and M of one axis, over its unknowns. On a periodic axis the last value couples
/// to the first.
struct AxisPencil {
  std::vector<double> sum;       ///< of the rows of K
  std::vector<double> coupling;  ///< minus K(i, i + 1); the last one closes a periodic axis, else 0
  std::vector<double> mass;      ///< M(i, i)
  std::vector<double> mass_off;  ///< M(i, i + 1)
  bool closed = false;
  struct {
    double coupling = 0, mass = 0, mass_off = 0;
  } inner;  ///< of a value between two cells as the first one

  std::size_t size() const { return sum.size(); }
  /// K(i, i)
  double diagonal(std::size_t i) const;
  /// Whether rows are the same from both ends, to the rounding of the coordinates.
  bool symmetric() const;
};

/// Of finite volumes, or of elements with a mass of their own; K times `stiffness`, M over `unit`.
AxisPencil axis_pencil(const Axis& axis, double kappa, double stiffness, double unit, const ElementMass* mass);

/// The modes of an axis, folded where it is symmetric: sines and cosines where its cells are equal and its ends of
/// Dirichlet, Neumann or periodic, else by LAPACK.
AxisBasis axis_modes(const Axis& axis, const AxisPencil& pencil);
/// Whether these are known in closed form.
bool has_closed_modes(const Axis& axis);

/// Which trig the modes of an axis are, where there is a fast transform to them.
TrigAxis trig_axis(const Axis& axis);
/// Their eigenvalues and weights.
AxisBasis trig_modes(const TrigAxis& trig, const AxisPencil& pencil);

/// The rows of an axis that is not transformed; a periodic one is folded, and its halves follow each other. Only where
/// can_have_lines().
AxisLines axis_lines(const AxisPencil& pencil);
/// Some rows of one that is cut; a periodic one closes behind its last row.
AxisLines part_of_lines(const AxisPencil& pencil, int first, int last);
bool can_have_lines(const AxisPencil& pencil);

/// Bounds of the spectrum of K v = λ M v, in the units of the pencil, by sums of positive terms over its rows.
struct AxisSpectrum {
  double largest_ratio = 0;  ///< at least the largest of K(i, i) / M(i, i), M lumped
  /// At most the least eigenvalue, and at least 0.6 of it for equal cells: 1/λ is at most the trace of K⁻¹M. 0 where K
  /// is singular.
  double least = 0;
  double least_beside_constants = 0;  ///< the same on vectors without a mean, from the trace of the pseudo-inverse
};
AxisSpectrum spectrum_bounds(const AxisPencil& pencil);

}  // namespace poisson
