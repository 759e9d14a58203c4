#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/config/schema.hpp"

namespace poisson {

/// Returns the path of a key in the map at `path`.
std::string below(const std::string& path, std::string_view key);

/// Returns why a map may not have a key of this name, and the remedy. `known` has the keys that are valid in the map,
/// and `forms` the alternatives to the map's schema; null: there are none.
std::string objection_to(const std::string& name, const Value& map, const Schema& schema,
                         const std::vector<std::string>& known, const std::string& path, const Schema* forms);

}  // namespace poisson
