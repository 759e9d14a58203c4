#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "io/config/parameters.hpp"

namespace poisson {

/// What may stand in an expression beside functions and parameters: x, y, z, pi, _pi, _e.
std::span<const std::string> expression_symbols();

/// Longer ones are refused, by muParser, too.
inline constexpr std::size_t longest_expression = 19'999;

/// An expression in quotation marks, of a long one what is around a position.
std::string quoted_around(const std::string& text, std::size_t position);

/// Refuses, with the position and the nearest known symbol, what muParser would accept or explain badly: unknown names,
/// assignments, lists, strings, foreign operators. Throws InputError. What passes may still be a syntax error.
void check_expression(const std::string& text, std::span<const std::string> functions,
                      const Parameters& parameters = {});

}  // namespace poisson
