#pragma once

#include <string>

#include "io/config/schema.hpp"

namespace poisson {

/// What a word or number of the wrong kind should have been, such as "write {dirichlet: 1}" for the 1 of a face; empty
/// where nothing tells. `schema` is that of the key at `path`.
std::string remedy_of(const Value& value, const Schema& schema, const std::string& path, const Parameters& parameters);

}  // namespace poisson
