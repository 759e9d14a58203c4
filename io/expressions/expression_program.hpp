#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace poisson {

/// An operation on the values of earlier steps.
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
  double value = 0;                            ///< of a number
  int axis = 0;                                ///< of a variable
  double (*unary)(double) = nullptr;           ///< of unary
  double (*binary)(double, double) = nullptr;  ///< of binary
  std::array<int, 3> from{-1, -1, -1};         ///< the steps it takes its arguments from
};

/// Evaluates an expression at many points, a step at all of them before the next. Where a coordinate is the same at all
/// points, as y and z along a line of a grid, what depends on no other is computed once; what depends on coordinates
/// that are those of the last call is kept; and of a choice that falls the same way at all points one side is computed.
/// Values are those of the steps one by one. For one thread at a time.
class ExpressionProgram {
 public:
  /// The last step is the expression's value.
  explicit ExpressionProgram(std::vector<ExpressionStep> steps);

  void operator()(std::span<const double> x, std::span<const double> y, std::span<const double> z,
                  std::span<double> values);

 private:
  /// Values of a step: one that stands for all points, or one a point.
  struct Values {
    const double* at = nullptr;
    bool uniform = false;
  };
  struct State {
    Values values;
    std::vector<double> own;
    unsigned variables = 0;               ///< a bit for each coordinate that it depends on
    std::array<std::uint64_t, 3> seen{};  ///< the versions of these that the values belong to
  };
  struct Coordinate {
    std::vector<double> at;
    bool uniform = false;
    std::uint64_t version = 0;
  };

  void set(std::size_t axis, std::span<const double> at);
  const Values& value_of(int step);
  void compute(const ExpressionStep& step, State& state);
  template <class F>
  void map(State& state, const Values& a, const F& f);
  template <class F>
  void map(State& state, const Values& a, const Values& b, const F& f);

  std::vector<ExpressionStep> steps_;
  std::vector<State> states_;
  std::array<Coordinate, 3> coordinates_;
  std::size_t most_points_, points_ = 0;
};

}  // namespace poisson
