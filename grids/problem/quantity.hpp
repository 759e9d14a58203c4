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

/// Contains values on every node or cell of a grid, x fastest: values[(k·shape[1] + j)·shape[0] + i]. A periodic axis
/// includes its last node.
struct GridArray {
  /// Describes the values that one of several processes stores: along each axis `count` values from `first` on.
  /// `values` contains only these. On periodic axes indices repeat after `period`, which is 0 on other axes.
  struct Part {
    std::array<std::int64_t, 3> first, count, period;
    double mean, least, largest;  ///< over the global array
  };

  /// Locates values in the memory of a device that the program owns, in the order of `values`, which then is empty.
  struct OnDevice {
    const void* data = nullptr;
    bool narrow = false;  ///< values have 32 bits
    int device = 0;       ///< the number of the CUDA device
    /// Copies the values of the places from `first` to before `last` to the host, x fastest.
    std::function<std::vector<double>(const std::array<std::int64_t, 3>& first,
                                      const std::array<std::int64_t, 3>& last)>
        read{};
  };

  Location location = Location::node;
  std::array<std::int64_t, 3> shape{1, 1, 1};  ///< nx, ny, nz
  std::vector<double> values;
  std::optional<Part> part{};
  std::optional<OnDevice> on_device{};

  /// Returns the array with its present values on the host.
  GridArray on_host() const {
    GridArray copy{location, shape, on_device ? on_device->read({0, 0, 0}, shape) : values, part, {}};
    return copy;
  }

  /// Returns the value at a place. Throws std::logic_error if this process does not store it.
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

/// A quantity is a datum of the problem as a function of space: a number, a function, or values on the grid. Copies are
/// cheap, because they share functions and arrays.
class Quantity {
 public:
  /// Fills values[i] = f(x[i], y[i], z[i]). All four spans have the same length. Several threads may call it
  /// concurrently.
  using Function = std::function<void(std::span<const double> x, std::span<const double> y, std::span<const double> z,
                                      std::span<double> values)>;

  Quantity(double value = 0) : content_(value) {}
  Quantity(Function function) : content_(std::make_shared<const Function>(std::move(function))) {}
  /// Uses a function that also has C++ source, which backends with a compiler may compute instead. The source is an
  /// expression over the doubles x, y and z and the functions of grids/rows/expression_functions.hpp.
  Quantity(Function function, std::string source)
      : content_(std::make_shared<const Function>(std::move(function))),
        source_(std::make_shared<const std::string>(std::move(source))) {}
  Quantity(GridArray array) : content_(std::make_shared<const GridArray>(std::move(array))) {}
  /// Uses an array whose values may be set later.
  Quantity(std::shared_ptr<const GridArray> array) : content_(std::move(array)) {}

  /// Uses a function of one point, such as [](double x, double y, double z) { return x * y * z; }.
  template <class F>
  requires std::invocable<const F&, double, double, double> Quantity(F f)
      : Quantity(Function([f](std::span<const double> x, std::span<const double> y, std::span<const double> z,
                              std::span<double> values) {
          for (std::size_t i = 0; i < values.size(); ++i) values[i] = f(x[i], y[i], z[i]);
        })) {}

  /// Returns the value if it is the same everywhere, else null.
  const double* constant() const { return std::get_if<double>(&content_); }
  const Function* function() const {
    const auto* f = std::get_if<std::shared_ptr<const Function>>(&content_);
    return f ? f->get() : nullptr;
  }
  /// Returns the source of the function, or null if there is none.
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
