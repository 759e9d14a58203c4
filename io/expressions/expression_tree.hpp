#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/config/parameters.hpp"
#include "io/expressions/expression_program.hpp"

namespace poisson {

/// An expression in x, y and z, parameters put in as numbers, parsed with muParser's precedence and associativity, that
/// can be written as C++ for a compiler at run time. What muParser has accepted and this grammar has not, has no tree:
/// there only muParser computes.
class ExpressionTree {
 public:
  /// Nothing where the text is not of the grammar, nested some hundred deep or longer than 10 000 characters, or where
  /// muParser's constant folding has a meaning of its own (logic between constants).
  static std::optional<ExpressionTree> parse(const std::string& text, const Parameters& parameters = {});

  double operator()(double x, double y, double z) const;
  /// A C++ expression over the doubles x, y and z and the functions of grids/rows/expression_functions.hpp.
  std::string source() const;
  /// For an ExpressionProgram.
  std::vector<ExpressionStep> steps() const;

  struct Node;

 private:
  explicit ExpressionTree(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

}  // namespace poisson
