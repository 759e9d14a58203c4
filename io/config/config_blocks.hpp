#pragma once

#include <memory>

#include "io/config/config_parts.hpp"
#include "io/meshes/mesh_input.hpp"

namespace poisson {

/// Reads a grid of `type: blocks` and makes its mesh. Adds the table and the warnings of the blocks. Reports errors and
/// leaves the mesh away if there are any.
void read_blocks(ConfigParts& parts, MeshInput& input);

}  // namespace poisson
