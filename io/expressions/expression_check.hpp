#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "io/config/parameters.hpp"

namespace poisson {

/// Returns the symbols that expressions may use, in addition to functions and parameters: x, y, z, pi, _pi, _e.
std::span<const std::string> expression_symbols();

/// Longer expressions are refused, also by muParser.
inline constexpr std::size_t longest_expression = 19'999;

/// Returns an expression in quotation marks. For a long one, returns the part around a position.
std::string quoted_around(const std::string& text, std::size_t position);

/// Checks an expression for errors that muParser would accept or explain badly: unknown names, assignments, lists,
/// strings, foreign operators. Throws InputError with the position and the nearest known symbol. A text that passes may
/// still have a syntax error.
void check_expression(const std::string& text, std::span<const std::string> functions,
                      const Parameters& parameters = {});

}  // namespace poisson
