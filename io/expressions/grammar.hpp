#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "grids/rows/expression_functions.hpp"
#include "io/expressions/expression_program.hpp"

/// The words of expressions: functions, operators, and the names of other languages that need a remedy.
namespace poisson::grammar {

namespace fn = expression;
using Operation = ExpressionStep::Operation;

/// Describes a function. `step` lacks the operands. Functions of two arguments may chain to accept any number:
/// min(min(a, b), c).
struct Function {
  std::string_view name;
  std::size_t arguments;
  ExpressionStep step;
  bool chains = false;
};

constexpr Function unary(std::string_view name, double (*f)(double), std::string_view source = {},
                         Operation operation = Operation::unary) {
  return {name, 1, {.operation = operation, .unary = f, .source = source.empty() ? name : source}};
}
constexpr Function binary(std::string_view name, double (*f)(double, double)) {
  return {name, 2, {.operation = Operation::binary, .binary = f, .source = name}};
}

inline constexpr ExpressionStep sum{.operation = Operation::add};
inline constexpr ExpressionStep least{.operation = Operation::least, .source = "min"};
inline constexpr ExpressionStep largest{.operation = Operation::largest, .source = "max"};

inline constexpr std::array functions{unary("abs", &fn::abs, "abs", Operation::absolute),
                                      unary("acos", &fn::acos),
                                      unary("acosh", &fn::acosh),
                                      unary("asin", &fn::asin),
                                      unary("asinh", &fn::asinh),
                                      unary("atan", &fn::atan),
                                      binary("atan2", &fn::atan2),
                                      unary("atanh", &fn::atanh),
                                      Function{"avg", 2, sum, true},
                                      unary("ceil", &fn::ceil),
                                      unary("cos", &fn::cos),
                                      unary("cosh", &fn::cosh),
                                      unary("exp", &fn::exp),
                                      unary("floor", &fn::floor),
                                      binary("fmod", &fn::fmod),
                                      unary("ln", &fn::ln),
                                      unary("log", &fn::ln, "ln"),
                                      unary("log10", &fn::log10),
                                      unary("log2", &fn::log2),
                                      Function{"max", 2, largest, true},
                                      Function{"min", 2, least, true},
                                      unary("rint", &fn::rint),
                                      unary("sign", &fn::sign),
                                      unary("sin", &fn::sin),
                                      unary("sinh", &fn::sinh),
                                      unary("sqrt", &fn::sqrt, "sqrt", Operation::root),
                                      Function{"sum", 2, sum, true},
                                      unary("tan", &fn::tan),
                                      unary("tanh", &fn::tanh)};

/// The powers 2, 3 and 4 become products.
inline constexpr std::array powers{unary("", &fn::pow2, "pow2", Operation::square),
                                   unary("", &fn::pow3, "pow3", Operation::cube),
                                   unary("", &fn::pow4, "pow4", Operation::fourth)};

/// Describes an operator that associates to the left. Operators of a larger precedence bind more tightly.
struct Operator {
  std::string_view sign;
  Operation operation;
  int precedence;
};
inline constexpr int comparison = 2;
inline constexpr std::array operators{Operator{"||", Operation::either, 0},      Operator{"&&", Operation::both, 1},
                                      Operator{"<=", Operation::not_greater, 2}, Operator{">=", Operation::not_less, 2},
                                      Operator{"==", Operation::equal, 2},       Operator{"!=", Operation::unequal, 2},
                                      Operator{"<", Operation::less, 2},         Operator{">", Operation::greater, 2},
                                      Operator{"+", Operation::add, 3},          Operator{"-", Operation::subtract, 3},
                                      Operator{"*", Operation::multiply, 4},     Operator{"/", Operation::divide, 4}};

/// Gives the remedy for a name of another language or program.
struct Foreign {
  std::string_view name, remedy;
};

/// For these functions of other languages, the nearest known name would mislead.
inline constexpr std::array foreign_functions{
    Foreign{"pow", "write a^b"},
    Foreign{"power", "write a^b"},
    Foreign{"if", "write condition ? a : b"},
    Foreign{"where", "write condition ? a : b"},
    Foreign{"select", "write condition ? a : b"},
    Foreign{"conditional", "write condition ? a : b"},
    Foreign{"heaviside", "write x > 0 ? 1 : 0"},
    Foreign{"step", "write x > 0 ? 1 : 0"},
    Foreign{"mod", "write fmod(a, b), which has the sign of a, or a - b*floor(a/b), which has the sign of b"}};

inline constexpr std::string_view no_time = "the equation has no time; use a parameter instead";
inline constexpr std::string_view linear = "the equation is linear; its data may depend on x, y and z only";

/// These names of other programs need the given expression here.
inline constexpr std::array foreign_symbols{Foreign{"r", "write sqrt(x^2 + y^2)"},
                                            Foreign{"R", "write sqrt(x^2 + y^2)"},
                                            Foreign{"rho", "write sqrt(x^2 + y^2)"},
                                            Foreign{"radius", "write sqrt(x^2 + y^2)"},
                                            Foreign{"theta", "write atan2(y, x)"},
                                            Foreign{"phi", "write atan2(y, x)"},
                                            Foreign{"e", "write exp(1), or _e"},
                                            Foreign{"and", "write &&"},
                                            Foreign{"or", "write ||"},
                                            Foreign{"not", "write (...) == 0"},
                                            Foreign{"true", "write 1"},
                                            Foreign{"false", "write 0"},
                                            Foreign{"t", no_time},
                                            Foreign{"time", no_time},
                                            Foreign{"u", linear},
                                            Foreign{"T", linear}};

}  // namespace poisson::grammar
