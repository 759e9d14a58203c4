#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "grids/results/gather.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {

/// Contains the fluxes −κ ∂u/∂n of cell-centred u through all faces of this process's cells, per area and positive
/// towards larger coordinates. They are the flows of the scheme: in every cell the flows out of its faces equal its
/// source up to the residual. Cells that left the system have no flow, except from fixed neighbours.
class FaceFlows {
 public:
  /// Reads u and one layer of neighbours on the host. `rise`: u(x + L) − u(x) along periodic axes. Collective.
  FaceFlows(const Discretization& discretization, const Field& u, const std::array<double, 3>& rise = {});

  /// Returns the flux through the face below cell (i, j, k) across an axis, in local indices; index n is the last face.
  double flux(std::size_t axis, int i, int j, int k) const { return fluxes_[axis][index(axis, i, j, k)]; }
  /// Returns the mean of the fluxes through both faces of a cell, which is the flux at its centre to second order.
  double at_centre(std::size_t axis, const std::array<int, 3>& cell) const {
    std::array above = cell;
    ++above[axis];
    return 0.5 * (flux(axis, cell[0], cell[1], cell[2]) + flux(axis, above[0], above[1], above[2]));
  }
  /// Takes the fluxes through all faces across an axis, x fastest, with one more along it than cells.
  std::vector<double> release(std::size_t axis) { return std::move(fluxes_[axis]); }
  /// Returns the flow out of all faces of a cell, in W.
  double out_of(int i, int j, int k) const;
  /// Returns the largest flow through a face of a cell, in W. Collective.
  double largest() const;
  /// Returns the mean flux of the whole domain: Σ flux · area · distance of the centres / volume. Collective.
  std::array<double, 3> mean() const;

 private:
  std::size_t index(std::size_t axis, int i, int j, int k) const {
    const auto nx = static_cast<std::size_t>(n_[0] + (axis == 0 ? 1 : 0));
    const auto ny = static_cast<std::size_t>(n_[1] + (axis == 1 ? 1 : 0));
    return (static_cast<std::size_t>(k) * ny + static_cast<std::size_t>(j)) * nx + static_cast<std::size_t>(i);
  }
  template <class Value>
  void add_inner(std::size_t axis, const Value& u, const std::array<double, 3>& rise);
  template <class Value>
  void add_ends(int axis, const Value& u);
  template <class Value>
  void add_links(const Value& u, const std::array<double, 3>& rise);

  const Discretization& d_;
  Block block_;
  std::array<int, 3> n_{};
  std::array<int, 3> origin_{};
  std::array<std::vector<double>, 3> fluxes_;
  std::array<double, 3> through_bodies_{};  ///< ∫ of the flux in floating bodies of this process
};

/// Returns the flux vector at the centres of cells, with `dimension` components; NaN in cells that left the system.
/// Collective.
Pieces gather_flux(const Discretization& discretization, const Field& u, const std::array<double, 3>& rise = {});

/// Returns the flux through the faces of this process's cells across an axis, with one more along it than cells.
/// Neighbouring processes both have the faces between them. Collective.
Pieces gather_face_flux(const Discretization& discretization, const Field& u, int axis,
                        const std::array<double, 3>& rise = {});

/// Adds to b the flows that a rise of u along a periodic axis drives: u(x + L) = u(x) + rise. The problem has media.
/// The solution then is u itself, not its periodic part. Collective.
void add_rise(const Discretization& discretization, std::size_t axis, double rise, double scale, Field& b);

}  // namespace poisson
