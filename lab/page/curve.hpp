#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/harness/study.hpp"

namespace poisson::lab {

// What conclusions ask of a panel's points, and how they write numbers.

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
/// Places of a sweep, ascending; of one variant where it is named.
std::vector<double> places(const Panel& panel, std::string_view variant = {});
/// The point of a variant at this very place; a null pointer where it was not measured.
const Point* point_at(const Panel& panel, std::string_view variant, double x);
/// The point of the largest value of all variants. The panel must have points.
const Point& highest_of(const Panel& panel);
/// The same of one variant, of the smallest value too; a null pointer where it has no points.
const Point* best_of(const Panel& panel, std::string_view variant);
const Point* worst_of(const Panel& panel, std::string_view variant);
/// The variant of the largest value at a place among those that `among` holds; a null pointer where there is none.
const Point* best_at(const Panel& panel, double x, std::span<const std::string> among);

/// Factors below count as no difference.
inline constexpr double noticeable_factor = 1.05;

/// Numbers for sentences: whole ones as they are, others with the two significant digits that another run confirms and
/// without an exponent; a fraction in whole percent, a small one in tenths.
std::string figure(double value);
std::string percent(double fraction);
/// "some 3", "some 200": one digit, of what depends on the host's moment or where lines meet at small angles.
std::string rough(double value);
/// "6.2 times"; "12 times".
std::string times(double factor);
/// "4100 GB/s", of a value in these units.
std::string gigabytes_per_second(double value);
/// Numbers of values: "4096", and "2³⁰" instead of 1073741824.
std::string count_of(double values);
/// "a, b and c".
std::string listed(const std::vector<std::string>& names);

}  // namespace poisson::lab
