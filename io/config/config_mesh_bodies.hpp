#pragma once

#include "io/config/config_parts.hpp"
#include "io/meshes/mesh_input.hpp"

namespace poisson {

/// Gives the elements of a mesh whose centres lie in `bodies` the groups of their materials. Later bodies cover earlier
/// ones and the groups of the mesh.
void add_bodies(ConfigParts& parts, MeshInput& input);

}  // namespace poisson
