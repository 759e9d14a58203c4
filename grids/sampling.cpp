#include "grids/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>

#include "backends/cpu/launch.hpp"

namespace poisson {
namespace {

std::string describe(const std::string& name, const std::array<double, 3>& at, double found,
                     const std::string& wanted) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), " is %g at (%g, %g, %g)", found, at[0], at[1], at[2]);
  return name + text.data() + ": it " + wanted;
}

const char* requirement(Sign sign, double value) {
  if (!std::isfinite(value)) return "must be finite on the whole grid";
  return sign == Sign::positive ? "must be greater than 0" : "must not be negative";
}

bool allowed(Sign sign, double value) {
  return std::isfinite(value) && (sign == Sign::any || value > 0 || (sign == Sign::nonnegative && value == 0));
}

double coordinate(const Axis& axis, Location location, int i) {
  if (axis.degenerate()) return 0;
  return location == Location::cell ? axis.sample_point(i) : axis.nodes()[static_cast<std::size_t>(i)];
}

// A value of a grid array at a node or cell of the block, converted where it is given at the other location.
class ArrayReader {
 public:
  ArrayReader(const GridArray& array, const Block& block, Location wanted)
      : array_(array), block_(block), wanted_(wanted) {}

  double operator()(int i, int j, int k) const {
    if (array_.location == wanted_) return at(i, j, k);
    double sum = 0, weight = 0;
    // A node lies between the cells i − 1 and i, a cell between the nodes i and i + 1.
    const bool nodes = wanted_ == Location::node;
    const int low = nodes ? -1 : 0;
    const std::array t{block_.axes[0].sample_fraction(i), block_.axes[1].sample_fraction(j),
                       block_.axes[2].sample_fraction(k)};
    const auto share = [&](std::size_t d, int upper) { return upper == 1 ? t[d] : 1 - t[d]; };
    for (int c = low; c <= low + 1; ++c)
      for (int b = low; b <= low + 1; ++b)
        for (int a = low; a <= low + 1; ++a) {
          const double w = nodes ? block_.cell_volume(i + a, j + b, k + c) : share(0, a) * share(1, b) * share(2, c);
          if (w == 0) continue;
          sum += w * at(i + a, j + b, k + c);
          weight += w;
        }
    return sum / weight;
  }

 private:
  double at(int i, int j, int k) const {
    return array_
        .values[static_cast<std::size_t>((wrap(2, k) * array_.shape[1] + wrap(1, j)) * array_.shape[0] + wrap(0, i))];
  }
  std::int64_t wrap(std::size_t d, int i) const {
    if (block_.axes[d].degenerate()) return 0;
    const int n = block_.axes[d].cells();
    if (block_.axes[d].periodic()) return (i + n) % n;
    return std::clamp(i, 0, static_cast<int>(array_.shape[d]) - 1);
  }

  const GridArray& array_;
  const Block& block_;
  Location wanted_;
};

}  // namespace

ValueError::ValueError(std::string name, std::array<double, 3> at, double found, std::string wanted)
    : InputError(describe(name, at, found, wanted)),
      quantity(std::move(name)),
      point(at),
      value(found),
      requirement(std::move(wanted)) {}

ValueErrors::ValueErrors(std::vector<ValueError> found)
    : InputError([&] {
        std::string text;
        for (const auto& e : found) text += (text.empty() ? "" : "\n") + std::string(e.what());
        return text;
      }()),
      errors(std::move(found)) {}

std::vector<double> node_coordinates(const Axis& axis) {
  std::vector<double> x;
  x.reserve(static_cast<std::size_t>(axis.size()));
  for (int i = 0; i < axis.size(); ++i) x.push_back(coordinate(axis, Location::node, i));
  return x;
}

std::vector<double> cell_coordinates(const Axis& axis) {
  std::vector<double> x;
  for (int i = -1; i <= std::max(1, axis.cells()); ++i) x.push_back(coordinate(axis, Location::cell, i));
  return x;
}

Box face_box(const Block& block, int axis, int end) {
  Box box = block.layout().box();
  const auto d = static_cast<std::size_t>(axis);
  const int past = block.centering() == Centering::cell ? 1 : 0;
  box.first[d] = end == 0 ? -past : box.last[d] - 1 + past;
  box.last[d] = box.first[d] + 1;
  return box;
}

void sample(const Quantity& quantity, std::string_view name, Sign sign, const Block& block, Location location,
            const Box& box, const LineSink& sink) {
  const auto length = static_cast<std::size_t>(box.last[0] - box.first[0]);
  std::vector<double> x(length);
  for (std::size_t i = 0; i < length; ++i)
    x[i] = coordinate(block.axes[0], location, box.first[0] + static_cast<int>(i));

  // What goes wrong on a thread is kept until all have finished; of several bad values the first in memory is told.
  std::exception_ptr failure;
  struct Bad {
    std::array<int, 3> at{};
    double value = 0;
  };
  std::optional<Bad> bad;
  cpu::for_each_line(box, cpu::heavy_threshold, [&](int j, int k) {
    thread_local std::vector<double> y, z, values;
    values.resize(length);
    try {
      if (const double* constant = quantity.constant()) {
        std::fill(values.begin(), values.end(), *constant);
      } else if (const auto* f = quantity.function()) {
        y.assign(length, coordinate(block.axes[1], location, j));
        z.assign(length, coordinate(block.axes[2], location, k));
        (*f)(x, y, z, values);
      } else {
        const ArrayReader read(*quantity.array(), block, location);
        for (std::size_t i = 0; i < length; ++i) values[i] = read(box.first[0] + static_cast<int>(i), j, k);
      }
      for (std::size_t i = 0; i < length; ++i)
        if (!allowed(sign, values[i])) {
#pragma omp critical(poisson_sampling)
          if (!bad || std::array{bad->at[2], bad->at[1]} > std::array{k, j})
            bad = Bad{{box.first[0] + static_cast<int>(i), j, k}, values[i]};
          return;
        }
      sink(j, k, values.data());
    } catch (...) {
#pragma omp critical(poisson_sampling)
      failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
  if (bad) {
    std::array<double, 3> point{};
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = block.axes[d];
      const bool past = location == Location::cell && !axis.periodic() && !axis.degenerate();
      point[d] = past && bad->at[d] < 0               ? axis.nodes().front()  // not a trifle inside
                 : past && bad->at[d] >= axis.cells() ? axis.nodes().back()
                                                      : coordinate(axis, location, bad->at[d]);
    }
    throw ValueError(std::string(name), point, bad->value, requirement(sign, bad->value));
  }
}

std::vector<double> sample(const Quantity& quantity, std::string_view name, Sign sign, const Block& block,
                           Location location, const Box& box) {
  std::vector<double> values(static_cast<std::size_t>(box.size()));
  const std::array<std::int64_t, 3> n{box.last[0] - box.first[0], box.last[1] - box.first[1],
                                      box.last[2] - box.first[2]};
  sample(quantity, name, sign, block, location, box, [&](int j, int k, const double* line) {
    std::copy_n(line, n[0], values.begin() + ((k - box.first[2]) * n[1] + (j - box.first[1])) * n[0]);
  });
  return values;
}

}  // namespace poisson
