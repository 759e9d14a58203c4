#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "grids/results/cell_kappa.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {

/// Interpolates cell-centred u between the centres of the cells, using the fluxes of the scheme.
///
/// The value on a face, an edge or a corner is the mean of the cells that meet there. The weight of a cell is κ over
/// its widths. On a face, this is the value at which the fluxes of both cells agree.
/// Between these places and the centre of the cell, u is multilinear. It is continuous, adds no extrema, and has its
/// kink on the face where κ jumps. It is exact for linear u in one material, and for layers across an axis with a
/// constant flux along that axis.
/// On faces of the box, u is the Dirichlet datum, or follows from the flux of the Neumann or Robin condition over half
/// a cell.
/// Cells without a solution do not count. Where all cells are such, the value is NaN.
class CellInterpolation {
 public:
  using Index = std::array<int, 3>;

  /// Covers `cells` of the process's sub-block, 0 ≤ i < size. On a distributed grid, the halo of `u` must be up to
  /// date.
  CellInterpolation(const Discretization& discretization, const Field& u, const Box& cells);

  /// Returns the value in a cell. Along each axis the place is the centre (side 0), the lower (−1) or the upper face
  /// (1).
  double at(const Index& cell, const Index& side) const;
  /// Returns the value at a point of a cell, given by two or three coordinates.
  double at(const Index& cell, std::span<const double> point) const;

 private:
  struct Window {
    Box box;
    std::vector<double> values;
    double& operator()(const Index& at);
    double operator()(const Index& at) const;
    std::size_t number(const Index& at) const;
  };

  bool beyond(std::size_t d, int i) const {
    const Axis& axis = block_.axes[d];
    return (i < 0 && axis.open(0)) || (i >= axis.size() && axis.open(1));
  }
  double kappa(std::size_t d, const Index& cell) const { return kappa_[kappa_.size() == 1 ? 0 : d](cell); }
  double width(std::size_t d, int i) const { return widths_[d][static_cast<std::size_t>(i - u_.box.first[d])]; }
  void read(const Field& u);
  void fill_faces(const Discretization& discretization, const Box& cells);
  void fill_edges();
  void mark_gaps(const MediaSystem& media);
  bool gone(const Index& at) const { return !gone_.empty() && gone_[u_.number(at)] != 0; }
  double value_beyond(const Index& at, std::span<const std::size_t> ends) const;
  double weight(const Index& low, std::span<const std::size_t> across, std::size_t d) const;
  double mean(const Index& low, std::span<const std::size_t> across) const;
  double joined(const Index& low, std::span<const std::size_t> across) const;
  double joined_in_all_orders(const Index& low, std::span<std::size_t> across) const;

  const Block& block_;
  std::vector<CellKappa> kappa_;               // one if κ is isotropic
  Window u_;                                   // includes neighbouring cells and faces of the box
  std::vector<char> gone_;                     // places without a solution; empty if there are none
  std::array<std::vector<double>, 3> widths_;  // cell widths
};

/// Interpolates a solution at a point of the box, given by two or three coordinates. Unknowns at nodes are interpolated
/// multilinearly, cell-centred unknowns by CellInterpolation. Collective; every process gets the value.
double interpolate_at(const Discretization& discretization, const Field& u, std::span<const double> point);

/// Returns cell-centred u on the plane through `position` across an axis, at the nodes of the other two axes and
/// half-way between them.
/// The layout is values[v (2 n₀ + 1) + h] for n₀ × n₁ cells of this process, the axis of the lower number first. The
/// result is empty if the plane belongs to another process. In two dimensions the plane is the domain, and `normal` is
/// 2.
std::vector<double> values_on_plane(const Discretization& discretization, const Field& u, std::size_t normal,
                                    double position);

}  // namespace poisson
