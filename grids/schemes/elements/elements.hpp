#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "grids/operators/row_data.hpp"
#include "grids/problem/problem.hpp"
#include "grids/sampling/jumps.hpp"
#include "grids/schemes/rhs_sums.hpp"

/// The data of bilinear and trilinear elements, where they are not those of finite volumes: κ and σ are sampled at cell
/// centres and α at the centres of the cells' faces; f and the data of Neumann and Robin faces are integrated against
/// the hat functions of the nodes, or taken at nodes and multiplied with the consistent mass matrix of the block or of
/// the face.
namespace poisson {

/// Throws ValueErrors where a full tensor κ is not positive definite.
void check_element_values(const Problem& problem, const Block& block);

/// κ, σ and α into `rows`: fields of cells, moved to the backend by `moved`. σ is a field, with α in its halo, where it
/// varies or there are Robin faces. Returns the jumps of κ.
using Mover = std::function<std::shared_ptr<const Field>(std::shared_ptr<Field>)>;
Jumps sample_elements(const Problem& problem, Backend& host, RowData& rows, const Mover& moved);

/// σ/κ and α/κ of a separable problem.
void set_ratios(const Problem& problem, RowData& rows);

/// Whether f is multiplied with the mass matrix: constants, values on nodes, and all of the compact scheme, whose order
/// rests on it. Functions are taken in the corners of each cell, as they are within it; values on cells
/// are integrated.
bool taken_at_nodes(const Problem& problem, const Quantity& quantity);

/// Whether a datum is taken once in each cell or on each of its faces: values on cells, and what a face gives beside an
/// α that varies by a factor of 10 or more, as where it is a patch: at the points of α, so that both end at one place.
bool taken_in_cells(const Problem& problem, const Quantity& quantity, const Block& block, int face_axis, int end);

/// Adds to `sums`, on the nodes of a box, the integral of a datum against their hat functions, on a face across
/// `face_axis` (−1: none) at an end over the face.
void add_element_integral(const Problem& problem, const Quantity& quantity, std::string_view name, const Block& block,
                          const Box& nodes, int face_axis, int end, Backend& host, const View<double>& sums);

/// ∫ f φ and the data of Neumann and Robin faces, in the unknowns; zero in Dirichlet nodes. Returns what they add up
/// to.
RhsSums fill_element_rhs(const Problem& problem, Backend& host, const RowData& rows, Field& b);

/// Mean over the cells of a host's field.
double mean_of_cells(const Field& cells);

/// The cells beside the nodes of a face, as indices of the halo beyond it.
Box ghost_box(const Block& block, int axis, int end);
/// Where α of a Robin face stands in the field of σ: there, and in the halo of periodic axes, which an exchange does
/// not reach beyond an open end.
Box alpha_box(const Block& block, int axis, int end);

}  // namespace poisson
