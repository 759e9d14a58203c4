#pragma once

#include <string>

#include "grids/problem/shapes.hpp"
#include "io/config/parameters.hpp"
#include "io/config/yaml.hpp"

namespace poisson {

/// Reads the shape of a validated map, with its scale, rotate, move and repeat. Reports errors below `path` and returns
/// null if there are any.
ShapePtr read_shape(const Value& map, const std::string& path, int dimension, const Parameters& parameters,
                    Diagnostics& errors);

}  // namespace poisson
