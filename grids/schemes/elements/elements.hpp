#pragma once

#include "grids/axes/block.hpp"
#include "grids/problem/problem.hpp"
#include "grids/sampling/sampling.hpp"

/// Elements use other data than finite volumes. κ and σ are sampled at cell centres, and α at the centres of the cells'
/// faces. f and the data of Neumann and Robin faces are integrated against the hat functions of the nodes, or are
/// evaluated at nodes and multiplied by the consistent mass matrix of the block or of the face.
namespace poisson {

/// Throws ValueErrors if a full tensor κ is not positive definite.
void check_element_values(const Problem& problem, const SampleGrid& grid);

/// Returns the points of cells. They lean towards the ends if there is a flux through faces that are neither Dirichlet
/// nor periodic, or along such faces across the gradient.
CellPoints element_points(const Problem& problem);

/// Returns whether f is evaluated at nodes and multiplied by the mass matrix. This applies to constants, to values on
/// nodes, and to all data of the compact scheme, whose order depends on it. Functions are otherwise evaluated at the
/// corners of each cell, as seen from within; values on cells are integrated.
bool taken_at_nodes(const Problem& problem, const Quantity& quantity);

/// Returns whether a datum is evaluated once in each cell or on each of its faces. This applies to values on cells. It
/// also applies to the data of a Robin face whose α varies by a factor of 10 or more, for example on a patch: the data
/// use the points of α, so that both end at the same place.
bool taken_in_cells(const Problem& problem, const Quantity& quantity, const Block& block, int face_axis, int end);

/// Returns the cells next to the nodes of a face, as indices of the halo beyond it.
Box ghost_box(const Block& block, int axis, int end);
/// Returns the cells that contain α of a Robin face in the field of σ: the ghost_box and the halo of periodic axes,
/// which an exchange does not fill beyond an open end.
Box alpha_box(const Block& block, int axis, int end);

}  // namespace poisson
