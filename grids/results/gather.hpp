#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "grids/schemes/discretization.hpp"

namespace poisson {

/// What this process has of a field as files show it, made in pieces of planes: nothing of the whole grid is held for
/// it. What it is made of has to outlive it. Of a grid that several processes share all of them call the functions
/// below; then each fills its pieces by itself.
struct Pieces {
  /// values[((k − first)·ny + j)·nx + i)·components + c] for the planes first ≤ k < last, 0 the first of these.
  using Fill = std::function<void(int first, int last, std::span<double> values)>;

  Pieces(const Box& part, int components_of_each, Fill filling);

  std::array<int, 3> first;  ///< where they begin in the whole
  std::array<int, 3> shape;
  int components = 1;
  Fill fill;
  /// Of cell-centred u: its values on a plane, as values_on_plane (cell_interpolation.hpp) has them. Else empty.
  std::function<std::vector<double>(int normal, double position)> on_plane;

  std::size_t plane() const;        ///< values of a plane
  std::vector<double> all() const;  ///< of all planes
};

/// Which places of the grid as files show it this process has. Its nodes reach to the first ones of the next process,
/// which both have; periodic axes are shown with their last node.
Box shown_places(const Block& block, Location location);

/// How many these are along each axis, where its values sit.
std::array<int, 3> file_shape(const Block& block);

/// The values of a field on all nodes or cells, x fastest; on periodic axes the last node repeats the first.
Pieces gather_values(const Block& block, const Field& u);

/// The same of a solution, which pictures show between the centres of cells as well.
Pieces gather_solution(const Discretization& discretization, const Field& u);

/// The gradient of a solution there, `dimension` components each. At nodes: second-order differences over three values,
/// one-sided at ends that are not periodic. In cells: the mean of the fluxes κ ∂u/∂x through both faces, at ends as the
/// data of the face have them, over κ of the cell. Fluxes balance f in each cell, which makes them second-order
/// accurate up to the faces, where values are not smooth enough to be differenced; and where κ jumps they do not. That
/// is made at once, since edges are corrected together.
Pieces gather_gradient(const Discretization& discretization, const Field& u);

/// u − exact there; for singular problems without its mean.
Pieces gather_error(const Discretization& discretization, const Field& u);

/// factor · r / volume there: a residual in the units of the source, zero in Dirichlet nodes.
Pieces gather_density(const Block& block, const Field& r, double factor);

/// Data of the problem on the nodes or cells as files show them, one after another in each place.
Pieces gather_quantities(const Discretization& discretization, std::vector<Quantity> quantities, std::string_view name,
                         Location location);

}  // namespace poisson
