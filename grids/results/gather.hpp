#pragma once

#include <vector>

#include "grids/schemes/discretization.hpp"

namespace poisson {

/// Number of nodes, or cells where the unknowns sit there, along each axis as files show them: periodic axes with their
/// last node.
std::array<int, 3> file_shape(const Block& block);

/// The values of a field on all nodes or cells, x fastest; on periodic axes the last node repeats the first.
std::vector<double> gather_values(const Block& block, const Field& u);

/// The gradient of a solution there, `dimension` components each. At nodes: second-order differences over three values,
/// one-sided at ends that are not periodic. In cells: the mean of the fluxes κ ∂u/∂x through both faces, at ends as the
/// data of the face have them, over κ of the cell. Fluxes balance f in each cell, which makes them second-order
/// accurate up to the faces, where values are not smooth enough to be differenced; and where κ jumps they do not.
std::vector<double> gather_gradient(const Discretization& discretization, const Field& u);

/// u − exact there; for singular problems without its mean.
std::vector<double> gather_error(const Discretization& discretization, const Field& u);

/// factor · r / volume there: a residual in the units of the source, zero in Dirichlet nodes.
std::vector<double> gather_density(const Block& block, const Field& r, double factor);

/// A datum of the problem on the nodes or cells as files show them.
std::vector<double> gather_quantity(const Block& block, const Quantity& quantity, std::string_view name,
                                    Location location);

}  // namespace poisson
