#pragma once

#include <vector>

#include "grids/axes/block.hpp"
#include "grids/problem/problem.hpp"

namespace poisson {

/// Takes the error off a gradient of cell-centred u (as gather_gradient has it) that does not fall with h² where
/// Dirichlet faces meet.
///
/// The half cells behind a Dirichlet face act as if u were −h²/8 ∂²u/∂n² off there. Where two such faces meet, these
/// values jump, and the error that they bring is, with the distances X and Y from the faces, each over √κ of its axis,
/// (a − b) 2/π atan(Y/X): a gradient of h²/r. Where three meet, it is Σ a 2/π atan(YZ/(XR)) over the faces. ∂²u/∂n² on
/// an edge is that of the data of the other face along it. Of a block that several processes share each has the
/// gradient in its own cells, and all call this together.
void correct_edges(const Problem& problem, const Block& block, std::vector<double>& gradient);

}  // namespace poisson
