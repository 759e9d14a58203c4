#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/config/parameters.hpp"
#include "io/expressions/expression_program.hpp"

namespace poisson {

/// An ExpressionTree is an expression in x, y and z that can be written as C++ for a run-time compiler. Parameters are
/// replaced by their numbers. The grammar has muParser's precedence and associativity.
/// An expression that muParser accepts but this grammar does not has no tree; muParser evaluates it.
class ExpressionTree {
 public:
  /// Parses an expression. Returns nothing if the text is outside the grammar, is nested about a hundred deep, or has
  /// more than 10 000 characters. Also returns nothing for logic between constants, which muParser's constant folding
  /// treats differently.
  static std::optional<ExpressionTree> parse(const std::string& text, const Parameters& parameters = {});

  double operator()(double x, double y, double z) const;
  /// Returns a C++ expression of the doubles x, y and z that calls grids/rows/expression_functions.hpp.
  std::string source() const;
  /// Returns the steps for an ExpressionProgram.
  std::vector<ExpressionStep> steps() const;

  struct Node;

 private:
  explicit ExpressionTree(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

}  // namespace poisson
