#pragma once

#include <cstddef>
#include <string>

#include "grids/problem/quantity.hpp"
#include "io/config/config_parts.hpp"

// This header reads what boundary conditions of boxes and of meshes have in common.
namespace poisson {

/// Returns whether an item of a list of conditions may stand at its place: the last one has no `where`, all others have
/// one. Reports the error otherwise. A wrong `where` has been reported before and is accepted.
bool check_where(ConfigParts& parts, const Value& list, std::size_t item, const std::string& path);

/// Replaces `product` by the product of two numbers or expressions, as one expression: it keeps a product of constants
/// constant, and a backend with a compiler can compile any other product. Reports errors at `value`.
void read_product(ConfigParts& parts, const Value& factor, const Value& value, const std::string& path,
                  Quantity& product);

}  // namespace poisson
