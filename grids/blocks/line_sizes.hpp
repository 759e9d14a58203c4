#pragma once

#include <vector>

#include "grids/blocks/block_matrix.hpp"
#include "grids/blocks/block_mesh.hpp"

namespace poisson {

/// Adds what lines of a level need on a device to the sizes of the processes (BlockLevelSize::lines). `process` is that
/// of each block of the mesh's nodes. Strong axes are estimated from cells along the edges and through the middle of
/// each block: by G = J⁻¹J⁻ᵀ, couplings along an axis exceed half of the diagonal if G_dd > 2 Σ G_ee over the others.
void add_line_sizes(const BlockMesh& mesh, const BlockNumbers& numbers, const std::vector<int>& process,
                    std::vector<BlockLevelSize>& sizes);

}  // namespace poisson
