#pragma once

#include <vector>

#include "grids/meshes/topology.hpp"

namespace poisson {

/// Counts a fault, and keeps the place of the first one.
void note_fault(MeshFault& fault, const std::array<double, 3>& place);
/// Keeps the elements of a block that are marked.
void keep_elements(MeshCells& block, const std::vector<bool>& kept);

/// Replaces elements that repeat corners by the shapes that are left: a hexahedron with a collapsed side, for example,
/// is a prism. `collapsed` counts them. Elements of which no shape is left are removed and counted as `degenerate`.
void collapse_elements(Mesh& mesh, MeshFault& collapsed, MeshFault& degenerate);

}  // namespace poisson
