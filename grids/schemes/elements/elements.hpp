#pragma once

#include "grids/axes/block.hpp"
#include "grids/problem/problem.hpp"
#include "grids/sampling/sampling.hpp"

/// The data of bilinear and trilinear elements, where they are not those of finite volumes: κ and σ are sampled at cell
/// centres and α at the centres of the cells' faces; f and the data of Neumann and Robin faces are integrated against
/// the hat functions of the nodes, or taken at nodes and multiplied with the consistent mass matrix of the block or of
/// the face.
namespace poisson {

/// Throws ValueErrors where a full tensor κ is not positive definite.
void check_element_values(const Problem& problem, const SampleGrid& grid);

/// Leaning where something flows through faces that are neither Dirichlet nor periodic, or along them across the
/// gradient.
CellPoints element_points(const Problem& problem);

/// Whether f is multiplied with the mass matrix: constants, values on nodes, and all of the compact scheme, whose order
/// rests on it. Functions are taken in the corners of each cell, as they are within it; values on cells
/// are integrated.
bool taken_at_nodes(const Problem& problem, const Quantity& quantity);

/// Whether a datum is taken once in each cell or on each of its faces: values on cells, and what a face gives beside an
/// α that varies by a factor of 10 or more, as where it is a patch: at the points of α, so that both end at one place.
bool taken_in_cells(const Problem& problem, const Quantity& quantity, const Block& block, int face_axis, int end);

/// The cells beside the nodes of a face, as indices of the halo beyond it.
Box ghost_box(const Block& block, int axis, int end);
/// Where α of a Robin face stands in the field of σ: there, and in the halo of periodic axes, which an exchange does
/// not reach beyond an open end.
Box alpha_box(const Block& block, int axis, int end);

}  // namespace poisson
