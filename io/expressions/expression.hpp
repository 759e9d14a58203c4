#pragma once

#include <string>

#include "grids/problem/quantity.hpp"
#include "io/config/parameters.hpp"

namespace poisson {

/// Parses an expression in x, y and z (io/expressions/expression_parser.hpp). Parameters are replaced by their numbers.
/// An expression without x, y and z becomes a constant quantity. Several threads may call the resulting functions at
/// the same time. Throws InputError if the text is invalid; the message gives the character, which counts from 1.
Quantity parse_expression(const std::string& text, const Parameters& parameters = {});

/// Returns the value of an expression without x, y and z, such as 2*pi. Throws InputError for any other text.
double parse_constant(const std::string& text, const Parameters& parameters = {});

}  // namespace poisson
