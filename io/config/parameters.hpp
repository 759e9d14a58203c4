#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "io/config/diagnostics.hpp"

namespace poisson {

struct Value;

/// Numbers that expressions know by name, beside x, y, z and pi.
using Parameters = std::map<std::string, double, std::less<>>;

/// The names and values of the map `parameters` of a document, each of them a number or arithmetic on those above it.
/// The document is left with numbers there; what is wrong is reported and taken out.
Parameters read_parameters(Value& document, Diagnostics& errors);

/// Refuses parameters that only the command line names and nothing in the document uses: misspelt ones.
void check_overridden_parameters(const Value& document, const Parameters& parameters, Diagnostics& errors);

}  // namespace poisson
