#pragma once

#include <span>
#include <string>

#include "grids/problem/quantity.hpp"
#include "io/config/parameters.hpp"

namespace poisson {

/// An expression in x, y and z with the constants pi, _pi and _e and muParser's operators and functions. One that names
/// none of x, y, z becomes a constant quantity; parameters stand for their numbers. The functions it returns may be
/// called from several threads at once. Throws InputError where it is no such expression: the message gives the
/// position, counted in characters from 1.
Quantity parse_expression(const std::string& text, const Parameters& parameters = {});

/// The value of an expression without x, y and z, such as 2*pi. Throws InputError where it is none.
double parse_constant(const std::string& text, const Parameters& parameters = {});

/// The names of the functions.
std::span<const std::string> expression_functions();

}  // namespace poisson
