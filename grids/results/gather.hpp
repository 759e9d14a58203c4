#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "grids/schemes/discretization.hpp"

namespace poisson {

/// Describes the values of a field that this process writes to files. Pieces of several planes are computed on demand,
/// so no array of the global grid is stored. The field and its data must outlive this object.
/// If several processes share a grid, the functions below are collective. Each process then fills its pieces
/// independently.
struct Pieces {
  /// Fills values[(((k − first)·ny + j)·nx + i)·components + c] for the planes first ≤ k < last; plane 0 is this
  /// process's first.
  using Fill = std::function<void(int first, int last, std::span<double> values)>;

  Pieces(const Box& part, int components_of_each, Fill filling);

  std::array<int, 3> first;  ///< global indices
  std::array<int, 3> shape;
  int components = 1;
  Fill fill;
  /// For cell-centred u, returns its values on a plane, like values_on_plane (cell_interpolation.hpp); empty otherwise.
  std::function<std::vector<double>(int normal, double position)> on_plane;

  std::size_t plane() const;        ///< values per plane
  std::vector<double> all() const;  ///< all planes
};

/// Returns this process's places of the grid in files. Its nodes include the first ones of the next process, which has
/// them as well. Periodic axes include their last node.
Box shown_places(const Block& block, Location location);

/// Returns the number of these places along each axis, for the location of the block's unknowns.
std::array<int, 3> file_shape(const Block& block);

/// Returns the values of a field at all nodes or cells, x fastest. On periodic axes the last node repeats the first.
Pieces gather_values(const Block& block, const Field& u);

/// Returns the values of a solution like gather_values. Pictures also show cell-centred values between the centres.
Pieces gather_solution(const Discretization& discretization, const Field& u);

/// Returns the gradient of a solution, with `dimension` components per place.
/// At nodes, it uses second-order differences over three values, one-sided at ends that are not periodic. In cells, it
/// is the mean of the fluxes κ ∂u/∂x through both faces, divided by κ of the cell. At ends, the data of the face give
/// the flux.
/// Fluxes balance f in each cell. They are therefore second-order accurate up to the faces, where values are not smooth
/// enough for differences. They also do not jump where κ jumps. The gradient in cells is computed immediately, because
/// all processes correct edges together.
Pieces gather_gradient(const Discretization& discretization, const Field& u);

/// Returns u − exact; for singular problems without its mean.
Pieces gather_error(const Discretization& discretization, const Field& u);

/// Returns factor · r / volume, a residual in the units of the source. It is zero at Dirichlet nodes.
Pieces gather_density(const Block& block, const Field& r, double factor);

/// Returns data of the problem at the nodes or cells of files. All quantities of a place are adjacent.
Pieces gather_quantities(const Discretization& discretization, std::vector<Quantity> quantities, std::string_view name,
                         Location location);

}  // namespace poisson
