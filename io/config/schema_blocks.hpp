#pragma once

#include <vector>

#include "io/config/schema.hpp"

namespace poisson {

/// Returns the keys of `grid` beside `type: blocks`, without `cells`.
std::vector<Schema> block_keys();
/// Returns the key `cells` of such a grid.
Schema block_cells();
/// Returns the schema of a patch: its edges or faces, each a list of vertices.
const Schema& block_patch();

}  // namespace poisson
