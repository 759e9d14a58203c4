#pragma once

#include <vector>

#include "io/config/schema.hpp"

namespace poisson::schema {

/// Returns the keys `materials`, `background`, `bodies`, `surfaces`, `contacts` and `sheets`.
std::vector<Schema> media();
/// Returns the schema of one material. Values of `materials` are checked against it when they are read.
const Schema& material();
/// Returns the schema of a shape within another shape.
const Schema& shape();

}  // namespace poisson::schema
