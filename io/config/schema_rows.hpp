#pragma once

#include <vector>

#include "io/config/schema.hpp"
#include "io/config/yaml.hpp"

namespace poisson {

/// Returns the schema of a configuration whose grid is `type: matrix`.
const Schema& rows_schema();
/// Returns the keys of such a grid besides `type`.
std::vector<Schema> row_file_keys();
/// Returns whether a document, before validation, describes a matrix of any sparsity.
bool describes_rows(const Value& document);
/// Returns the schema of a document, before validation: of a mesh, a matrix or a box.
const Schema& schema_of(const Value& document);

}  // namespace poisson
