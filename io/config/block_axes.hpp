#pragma once

#include <vector>

#include "grids/blocks/block_mesh.hpp"
#include "io/config/config_parts.hpp"

namespace poisson {

/// Sets the cells and the fractions of all edge classes of a geometry, whose curves are known. `given` are the entries
/// of `blocks` of the configuration, or nothing. Cells and gradings of a block hold for all opposite edges; different
/// ones are reported with the edge. Returns false after errors.
bool spread_cells(ConfigParts& parts, const Value* given, BlockGeometry& geometry);

}  // namespace poisson
