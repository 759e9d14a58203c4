#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace poisson {

/// A step is an operation on the values of earlier steps.
struct ExpressionStep {
  enum class Operation {
    number,
    variable,
    negate,
    add,
    subtract,
    multiply,
    divide,
    less,
    greater,
    not_greater,
    not_less,
    equal,
    unequal,
    both,
    either,
    choose,
    square,
    cube,
    fourth,
    root,
    absolute,
    least,
    largest,
    unary,
    binary
  };

  Operation operation = Operation::number;
  double value = 0;                            ///< for number
  int axis = 0;                                ///< for variable
  double (*unary)(double) = nullptr;           ///< for unary
  double (*binary)(double, double) = nullptr;  ///< for binary
  std::string_view source{};                   ///< for functions: their name in grids/rows/expression_functions.hpp
  std::array<int, 3> from{-1, -1, -1};         ///< the steps that compute its arguments
};

/// Returns true if the last step depends on x, y or z.
bool varies(const std::vector<ExpressionStep>& steps);

/// Returns the last step as a C++ expression of the doubles x, y and z that calls
/// grids/rows/expression_functions.hpp.
std::string source_of(const std::vector<ExpressionStep>& steps);

/// Evaluates an expression at many points. Each step runs at all points before the next step starts.
/// A step is computed once if it depends only on coordinates that are equal at all points, as y and z along a grid
/// line. A step keeps its values if its coordinates are the same as in the last call. If a condition has the same
/// result at all points, only one branch is computed.
/// The values are the same as if the steps ran point by point. Only one thread at a time may use it.
class ExpressionProgram {
 public:
  /// Takes over the steps; the last one is the expression's value.
  explicit ExpressionProgram(std::vector<ExpressionStep> steps);

  void operator()(std::span<const double> x, std::span<const double> y, std::span<const double> z,
                  std::span<double> values);

 private:
  /// Contains the values of a step: one value for all points, or one for each point.
  struct Values {
    const double* at = nullptr;
    bool uniform = false;
  };
  struct State {
    Values values;
    std::vector<double> own;
    unsigned variables = 0;               ///< has a bit for each coordinate that it depends on
    std::array<std::uint64_t, 3> seen{};  ///< versions of the coordinates that the values belong to
  };
  struct Coordinate {
    std::vector<double> at;
    bool uniform = false;
    std::uint64_t version = 0;
  };

  void set(std::size_t axis, std::span<const double> at);
  const Values& value_of(int step);
  bool take_as_current(std::size_t step);
  void compute(const ExpressionStep& step, State& state);
  void decide(const ExpressionStep& step, State& state);
  void choose_branch(const ExpressionStep& step, State& state);
  template <class F>
  void map(State& state, const Values& a, const F& f);
  template <class F>
  void map(State& state, const Values& a, const Values& b, const F& f);

  std::vector<ExpressionStep> steps_;
  std::vector<State> states_;
  std::array<Coordinate, 3> coordinates_;
  std::size_t most_points_, points_ = 0;
  std::vector<int> pending_;  // the steps whose first operands are being computed
};

}  // namespace poisson
