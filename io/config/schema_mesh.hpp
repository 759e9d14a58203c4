#pragma once

#include "io/config/schema.hpp"

namespace poisson {

/// Returns the schema of configurations with `grid.type: unstructured` or `matrix`. Sections that it shares with boxes
/// are those of configuration_schema().
const Schema& mesh_schema();

/// Returns whether a document, before validation, describes a mesh or a matrix of any sparsity.
bool describes_mesh(const Value& document);

}  // namespace poisson
