#pragma once

#include <array>
#include <vector>

#include "grids/problem/problem.hpp"
#include "grids/sampling/jumps.hpp"

namespace poisson {

/// Returns whether κ of bodies with averaged or sharp surfaces differs from that of neighbouring cells by this factor,
/// or couplings across a contact from those beside it.
bool has_bodies(const Problem& problem, const Jumps& jumps, double jump);

/// Returns whether sheets or contacts lie on surfaces. They couple cells far more strongly or more weakly than κ of the
/// cells, whose jumps do not show that: rediscretized levels diverge or converge slowly, and cycles on Galerkin levels
/// need conjugate gradients. The cells on a sheet, and those of a body behind a contact, are strong clusters of any
/// size.
bool has_thin_layers(const Problem& problem);

/// Returns whether strong clusters in space may have as many values as those in the plane: on thin layers, and in a
/// thin grid, whose media form clusters of all sizes as those in the plane do.
bool has_large_clusters(const Problem& problem, const Block& block);

/// Returns whether strong clusters may slow cycles on Galerkin levels down. Thin bodies may be strong clusters,
/// whatever share of all cells they are (docs/design/materials.md).
bool may_have_clusters(const Problem& problem, const Jumps& jumps, const Block& block);

/// Returns the first Galerkin level that is searched for strong clusters, or −1 without a search. In the plane, coarser
/// levels represent bodies that are many cells wide, so only the levels on which bodies are narrow are searched.
int first_level_with_clusters(const Problem& problem, const Jumps& jumps, const Block& block);

/// Returns, along each axis, the layers of cells that carry sheets on the ends of bodies, in ascending order.
std::array<std::vector<int>, 3> layers_with_sheets(const Problem& problem);

}  // namespace poisson
