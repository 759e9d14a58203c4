#pragma once

#include <array>
#include <vector>

#include "backends/transforms/axis_products.hpp"
#include "grids/axes/axis.hpp"
#include "grids/rows/element_mass.hpp"

namespace poisson {

/// Stores the symmetric tridiagonal matrices K and M of one axis, over its unknowns. On a periodic axis the last value
/// couples to the first.
struct AxisPencil {
  std::vector<double> sum;       ///< row sums of K
  std::vector<double> coupling;  ///< −K(i, i + 1); the last entry closes a periodic axis, else it is 0
  std::vector<double> mass;      ///< M(i, i)
  std::vector<double> mass_off;  ///< M(i, i + 1)
  bool closed = false;
  struct {
    double coupling = 0, mass = 0, mass_off = 0;
  } inner;  ///< row between two cells

  std::size_t size() const { return sum.size(); }
  /// Returns K(i, i).
  double diagonal(std::size_t i) const;
  /// Returns whether the rows are the same from both ends, up to the rounding of coordinates.
  bool symmetric() const;
};

/// Builds the pencil of finite volumes, or of elements if `mass` is given. K is multiplied by `stiffness` and M divided
/// by `unit`.
AxisPencil axis_pencil(const Axis& axis, double kappa, double stiffness, double unit, const ElementMass* mass);

/// Computes the modes of an axis, folded if it is symmetric. They are sines and cosines if cells are equal and the ends
/// are Dirichlet, Neumann or periodic; otherwise LAPACK computes them.
AxisBasis axis_modes(const Axis& axis, const AxisPencil& pencil);
/// Returns whether axis_modes knows the modes in closed form.
bool has_closed_modes(const Axis& axis);

/// Returns the trigonometric transform of the modes of an axis, or none if there is no fast one.
TrigAxis trig_axis(const Axis& axis);
/// Returns the eigenvalues and weights of these transforms.
AxisBasis trig_modes(const TrigAxis& trig, const AxisPencil& pencil);

/// Returns the rows of an axis that is not transformed. A periodic axis is folded, and its halves follow each other.
/// Requires can_have_lines().
AxisLines axis_lines(const AxisPencil& pencil);
/// Returns rows [first, last) of an axis that is cut between processes. A periodic axis closes behind its last row.
AxisLines part_of_lines(const AxisPencil& pencil, int first, int last);
bool can_have_lines(const AxisPencil& pencil);

/// Bounds the spectrum of K v = λ M v, in the units of the pencil, with sums of positive terms over its rows.
struct AxisSpectrum {
  double largest_ratio = 0;  ///< upper bound of K(i, i) / M(i, i) for lumped M
  /// Lower bound of the least eigenvalue, from 1/λ ≤ trace(K⁻¹M). For equal cells it is at least 0.6 of that
  /// eigenvalue. It is 0 if K is singular.
  double least = 0;
  double least_beside_constants = 0;  ///< the same for vectors without a mean, by the trace of the pseudo-inverse
};
AxisSpectrum spectrum_bounds(const AxisPencil& pencil);

}  // namespace poisson
