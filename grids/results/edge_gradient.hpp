#pragma once

#include <vector>

#include "grids/axes/block.hpp"
#include "grids/problem/problem.hpp"

namespace poisson {

/// Corrects a gradient of cell-centred u (from gather_gradient) where Dirichlet faces meet. The error there does not
/// fall with h².
///
/// The half cells behind a Dirichlet face act as if u were off by −h²/8 ∂²u/∂n² there. Where two such faces meet, these
/// offsets, a and b, jump. X and Y are the distances from the faces, each divided by √κ of its axis. The jump causes
/// the error (a − b) 2/π atan(Y/X), whose gradient is of order h²/r.
/// At a corner of three faces, the error is Σ a 2/π atan(YZ/(XR)) over the faces. On an edge, ∂²u/∂n² follows from the
/// data of the other face along the edge. Each process passes the gradient in its own cells. Collective.
void correct_edges(const Problem& problem, const Block& block, std::vector<double>& gradient);

}  // namespace poisson
