#pragma once

#include <vector>

#include "grids/blocks/block_mesh.hpp"
#include "grids/meshes/mesh_data.hpp"

namespace poisson {

/// Tells which parts of a macro mesh have unknowns, and which nodes among them have given values.
struct HeldNodes {
  std::vector<bool> free;    ///< of each part: a node has no Dirichlet condition, or there are no nodes
  std::vector<bool> pinned;  ///< of each point: it has a Dirichlet condition in a free part; empty: none has
};
HeldNodes find_held_nodes(const MeshData& data, const BlockMesh& mesh);

}  // namespace poisson
