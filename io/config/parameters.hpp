#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "io/config/diagnostics.hpp"

namespace poisson {

struct Value;

/// Maps names to numbers that expressions can use, in addition to x, y, z and pi.
using Parameters = std::map<std::string, double, std::less<>>;

/// Returns the parameters of a document. Each one is a number or arithmetic on those above it. Replaces their texts by
/// numbers in the document; reports wrong ones and removes them.
Parameters read_parameters(Value& document, Diagnostics& errors);

/// Reports parameters that only the command line names and no expression uses, because they are probably misspelt.
void check_overridden_parameters(const Value& document, const Parameters& parameters, Diagnostics& errors);

}  // namespace poisson
