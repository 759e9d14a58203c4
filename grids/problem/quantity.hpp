#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "grids/axes/ends.hpp"

namespace poisson {

/// Values on every node or cell of a grid, x fastest: values[(k·shape[1] + j)·shape[0] + i].
/// A periodic axis counts its last node too.
struct GridArray {
  /// What one of several processes holds of them: along each axis `count` from `first` on, in `values` as if these were
  /// all. On an axis that closes on itself `period` follow each other; elsewhere it is 0.
  struct Part {
    std::array<std::int64_t, 3> first, count, period;
    double mean, least, largest;  ///< of all values
  };

  Location location = Location::node;
  std::array<std::int64_t, 3> shape{1, 1, 1};  ///< nx, ny, nz
  std::vector<double> values;
  std::optional<Part> part{};

  /// Throws std::logic_error for one that this process does not hold.
  double at(const std::array<std::int64_t, 3>& place) const {
    if (!part) return values[static_cast<std::size_t>((place[2] * shape[1] + place[1]) * shape[0] + place[0])];
    std::int64_t index = 0;
    for (std::size_t d = 3; d-- > 0;) {
      std::int64_t in_part = place[d] - part->first[d];
      if (part->period[d] > 0) in_part = (in_part + 2 * part->period[d]) % part->period[d];
      if (in_part < 0 || in_part >= part->count[d]) throw std::logic_error("a value of another process's part");
      index = index * part->count[d] + in_part;
    }
    return values[static_cast<std::size_t>(index)];
  }
};

/// A datum of the problem as a function of space: a number, a function, or values on the grid.
/// Cheap to copy: functions and arrays are shared.
class Quantity {
 public:
  /// Fills values[i] = f(x[i], y[i], z[i]); all four spans are of one length. Called from several threads at once.
  using Function = std::function<void(std::span<const double> x, std::span<const double> y, std::span<const double> z,
                                      std::span<double> values)>;

  Quantity(double value = 0) : content_(value) {}
  Quantity(Function function) : content_(std::make_shared<const Function>(std::move(function))) {}
  /// A function that is also known as C++ source: an expression over the doubles x, y and z and the functions of
  /// grids/rows/expression_functions.hpp, which backends with a compiler may compute instead.
  Quantity(Function function, std::string source)
      : content_(std::make_shared<const Function>(std::move(function))),
        source_(std::make_shared<const std::string>(std::move(source))) {}
  Quantity(GridArray array) : content_(std::make_shared<const GridArray>(std::move(array))) {}
  /// An array whose values may come later.
  Quantity(std::shared_ptr<const GridArray> array) : content_(std::move(array)) {}

  /// From a function of one point, such as [](double x, double y, double z) { return x * y * z; }.
  template <class F>
  requires std::invocable<const F&, double, double, double> Quantity(F f)
      : Quantity(Function([f](std::span<const double> x, std::span<const double> y, std::span<const double> z,
                              std::span<double> values) {
          for (std::size_t i = 0; i < values.size(); ++i) values[i] = f(x[i], y[i], z[i]);
        })) {}

  /// The value where it is the same everywhere, else null.
  const double* constant() const { return std::get_if<double>(&content_); }
  const Function* function() const {
    const auto* f = std::get_if<std::shared_ptr<const Function>>(&content_);
    return f ? f->get() : nullptr;
  }
  /// The function's source, where there is one.
  const std::string* source() const { return source_.get(); }
  const GridArray* array() const {
    const auto* a = std::get_if<std::shared_ptr<const GridArray>>(&content_);
    return a ? a->get() : nullptr;
  }

 private:
  std::variant<double, std::shared_ptr<const Function>, std::shared_ptr<const GridArray>> content_;
  std::shared_ptr<const std::string> source_;
};

}  // namespace poisson
