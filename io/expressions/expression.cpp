#include "io/expressions/expression.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backends/memory/error.hpp"
#include "io/expressions/expression_parser.hpp"
#include "io/expressions/expression_program.hpp"

namespace poisson {

namespace {

/// A pool lends a program to every concurrent call. It creates as many programs as were ever in use at the same time.
class Pool {
 public:
  explicit Pool(std::vector<ExpressionStep> steps) : steps_(std::move(steps)) {}

  std::unique_ptr<ExpressionProgram> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<ExpressionProgram> program = std::move(idle_.back());
        idle_.pop_back();
        return program;
      }
    }
    return std::make_unique<ExpressionProgram>(steps_);
  }
  void give_back(std::unique_ptr<ExpressionProgram> program) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(program));
  }

 private:
  const std::vector<ExpressionStep> steps_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ExpressionProgram>> idle_;
};

using Points = std::span<const double>;

Quantity::Function function_of(const std::vector<ExpressionStep>& steps) {
  return [pool = std::make_shared<Pool>(steps)](Points x, Points y, Points z, std::span<double> values) {
    std::unique_ptr<ExpressionProgram> program = pool->take();
    (*program)(x, y, z, values);
    pool->give_back(std::move(program));
  };
}

// Compilers limit the nesting of expressions. Longer ones stay on the host.
constexpr std::size_t longest_source = 10'000;

}  // namespace

Quantity parse_expression(const std::string& text, const Parameters& parameters) {
  const std::vector<ExpressionStep> steps = parse_steps(text, parameters);
  if (varies(steps))
    return text.size() > longest_source ? Quantity(function_of(steps)) : Quantity(function_of(steps), source_of(steps));
  // Powers of constants are not computed as products, because pow rounds once.
  std::array<double, 1> value{};
  const std::array<double, 1> anywhere{};
  ExpressionProgram(parse_steps(text, parameters, false))(anywhere, anywhere, anywhere, value);
  if (std::isfinite(value[0])) return value[0];
  throw InputError(quoted_around(text, 0) + " is not a finite number (" +
                   (std::isnan(value[0]) ? "nan"
                    : value[0] > 0       ? "inf"
                                         : "-inf") +
                   "); change the expression");
}

double parse_constant(const std::string& text, const Parameters& parameters) {
  const Quantity quantity = parse_expression(text, parameters);
  if (const double* value = quantity.constant()) return *value;
  throw InputError(quoted_around(text, 0) + " varies with x, y or z; write a number, or arithmetic on numbers and pi");
}

}  // namespace poisson
