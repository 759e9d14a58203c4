#pragma once

#include <map>
#include <string>
#include <vector>

#include "grids/blocks/block_mesh.hpp"
#include "grids/meshes/topology.hpp"

namespace poisson {

/// Returns the macro mesh whose blocks are the quadrilaterals or hexahedra of a mesh. Throws InputError for other
/// elements.
MacroMesh macro_mesh_of(const Mesh& mesh);
/// Returns the groups of sides and of elements of a mesh as patches of its macro mesh.
std::vector<BlockPatch> patches_of(const Mesh& mesh, const MacroTopology& topology);

/// Returns the curves of edges of second order whose middle is not that of the straight edge, by part.
std::map<int, Curve> curves_of(const Mesh& mesh, const MacroTopology& topology);

/// Returns the cells of a macro mesh as a mesh, so that check_mesh can find gaps.
Mesh mesh_of_blocks(const MacroMesh& macro);
/// Throws InputError if blocks do not fit together: names blocks and a place.
void check_joints(const MacroMesh& macro);

/// Returns the lines of a table of blocks and patches, and warnings about their cells.
std::vector<std::string> describe_blocks(const BlockMesh& mesh, const CellShapes& shapes);
std::vector<std::string> warn_of_cells(const BlockMesh& mesh, const CellShapes& shapes);

}  // namespace poisson
