#pragma once

#include "grids/blocks/block_mesh.hpp"

// This header lists the steps of make_block_mesh that have files of their own.
namespace poisson {

/// Numbers the nodes of a mesh with periodic sides: both sides of a pair have the same nodes (BlockMesh::nodes).
void join_nodes(const BlockGeometry& geometry, BlockMesh& mesh);

// These checks throw InputError, which names blocks and places.
/// Refuses inverted and collapsed cells.
void check_cells(const BlockMesh& mesh);
/// Refuses blocks that overlap.
void check_overlaps(const BlockMesh& mesh);
/// Refuses periodic sides whose nodes are not shifted alike.
void check_joined(const BlockMesh& mesh);

/// Returns the first place of a block that has a part; a block may meet itself at a periodic side.
inline int first_place(const MacroTopology& topology, int block, int part) {
  int place = 0;
  while (topology.place(block, place).part != part) ++place;
  return place;
}

}  // namespace poisson
