#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "io/config/parameters.hpp"
#include "io/expressions/expression_program.hpp"

namespace poisson {

/// Returns the symbols that expressions may use, in addition to functions and parameters: x, y, z, pi, _pi, _e.
std::span<const std::string> expression_symbols();

/// Returns the names of the functions, sorted.
std::span<const std::string> expression_functions();

/// Longer expressions are refused.
inline constexpr std::size_t longest_expression = 19'999;

/// Returns an expression in quotation marks. For a long one, returns the part around a position.
std::string quoted_around(const std::string& text, std::size_t position);

/// Parses an expression in x, y and z. Parameters are replaced by their numbers, and equal steps are stored once.
/// Operators, from the loosest: ?: || && comparisons, + -, * /, signs, ^. The power associates to the right, all others
/// to the left. With `products`, the powers 2, 3 and 4 are computed as products.
/// Throws InputError if the text is invalid. The message has the position and the remedy; it names the nearest known
/// symbol for an unknown one.
std::vector<ExpressionStep> parse_steps(const std::string& text, const Parameters& parameters = {},
                                        bool products = true);

}  // namespace poisson
