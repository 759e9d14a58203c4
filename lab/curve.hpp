#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/study.hpp"

namespace poisson::lab {

/// One variant's points in the order of x: what conclusions are read from.
class Curve {
 public:
  /// Empty where the panel has no such variant.
  Curve(const Panel& panel, std::string_view variant);

  bool empty() const { return points_.empty(); }
  const std::vector<Point>& points() const { return points_; }
  const Point& first() const { return points_.front(); }
  const Point& last() const { return points_.back(); }
  /// The point of the largest value (of the smallest): the first of several.
  const Point& highest() const;
  const Point& lowest() const;
  /// The value at this very x, NaN where the sweep left it out.
  double at(double x) const;
  /// The smallest x from which on all values reach `level`; NaN where the last one does not.
  double reaches(double level) const;

 private:
  std::vector<Point> points_;
};

/// The panel of this name, nullptr where the study has none.
const Panel* find_panel(const std::vector<Panel>& panels, std::string_view name);
/// The names of a panel's variants, in the order of their first points.
std::vector<std::string> variants_of(const Panel& panel);
/// The point of the largest value of all variants. The panel must have points.
const Point& highest_of(const Panel& panel);

/// Numbers for sentences: whole ones as they are, others with three significant digits and without an exponent; a
/// fraction in whole percent.
std::string figure(double value);
std::string percent(double fraction);
/// "a, b and c".
std::string listed(const std::vector<std::string>& names);

}  // namespace poisson::lab
