#pragma once

#include <string>

#include "io/config/yaml.hpp"

namespace poisson {

/// Determines the type of an unquoted scalar by the core schema of YAML 1.2 (section 10.3.2): null, boolean, integer
/// (decimal, 0o7, 0xf), float (.5, 1., 1e-8, .inf, .nan), or else string.
Value plain_scalar(const std::string& text);

/// Returns the offset of the first byte that is not UTF-8 text, or npos. NUL counts as invalid.
std::size_t invalid_utf8(const std::string& text);

}  // namespace poisson
