#pragma once

#include <string>

#include "grids/problem/shapes.hpp"
#include "io/config/config_parts.hpp"

namespace poisson {

/// Reads the shape of a validated map, with its scale, rotate, move and repeat. Reports errors below `path` and returns
/// null if there are any. Faults of meshes that were repaired are warnings.
ShapePtr read_shape(const Value& map, const std::string& path, ConfigParts& parts);

/// Reads the triangles of `mesh`. Reports errors at `path` and returns null if there are any.
ShapePtr read_mesh(const Value& value, const std::string& path, ConfigParts& parts);

}  // namespace poisson
