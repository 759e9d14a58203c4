#pragma once

#include <string>

#include "io/config/schema.hpp"

namespace poisson {

/// Returns the remedy for a word or number of the wrong kind, such as "write {dirichlet: 1}" for a face of 1. Returns
/// an empty text if there is no obvious remedy. `schema` belongs to the key at `path`.
std::string remedy_of(const Value& value, const Schema& schema, const std::string& path, const Parameters& parameters);

}  // namespace poisson
