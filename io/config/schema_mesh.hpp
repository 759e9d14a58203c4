#pragma once

#include <vector>

#include "io/config/schema.hpp"

namespace poisson {

/// Returns the schema of configurations with `grid.type: unstructured` or `blocks`. Sections that it shares with boxes
/// are those of configuration_schema().
const Schema& mesh_schema();
/// Returns the keys of `grid` beside `type: unstructured`.
std::vector<Schema> mesh_file_keys();

/// Returns whether a document, before validation, describes a mesh.
bool describes_mesh(const Value& document);

}  // namespace poisson
