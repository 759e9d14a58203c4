#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/harness/study.hpp"

namespace poisson::lab {

// These functions query the points of a panel for conclusions and format numbers.

/// Contains the points of one variant in the order of x. Conclusions are read from it.
class Curve {
 public:
  /// Makes an empty curve if the panel has no such variant.
  Curve(const Panel& panel, std::string_view variant);

  bool empty() const { return points_.empty(); }
  const std::vector<Point>& points() const { return points_; }
  const Point& first() const { return points_.front(); }
  const Point& last() const { return points_.back(); }
  /// Return the point of the largest (the smallest) value; the first one if several are equal.
  const Point& highest() const;
  const Point& lowest() const;
  /// Returns the value at exactly this x, NaN if the sweep omits it.
  double at(double x) const;
  /// Returns the smallest x from which all later values reach `level`; NaN if the last one does not.
  double reaches(double level) const;

 private:
  std::vector<Point> points_;
};

/// Returns the panel of this name, or nullptr if the study has none.
const Panel* find_panel(const std::vector<Panel>& panels, std::string_view name);
/// Returns the names of a panel's variants, in the order of their first points.
std::vector<std::string> variants_of(const Panel& panel);
/// Returns the places of a sweep in ascending order; only those of `variant` if it is given.
std::vector<double> places(const Panel& panel, std::string_view variant = {});
/// Returns the point of a variant at exactly this place, or nullptr if it was not measured.
const Point* point_at(const Panel& panel, std::string_view variant, double x);
/// Returns the point of the largest value of all variants. The panel must have points.
const Point& highest_of(const Panel& panel);
/// Return the point of the largest (the smallest) value of one variant, or nullptr if it has no points.
const Point* best_of(const Panel& panel, std::string_view variant);
const Point* worst_of(const Panel& panel, std::string_view variant);
/// Returns the point of the largest value at a place, among the variants in `among`; nullptr if there is none.
const Point* best_at(const Panel& panel, double x, std::span<const std::string> among);

/// Factors below this count as no difference.
inline constexpr double noticeable_factor = 1.05;

/// These format numbers for sentences without an exponent: whole numbers in full, others with the two significant
/// digits that another run confirms. A fraction becomes whole percent, a small one tenths of a percent.
std::string figure(double value);
std::string percent(double fraction);
/// Returns one digit, as "some 3" or "some 200", for values that depend on the state of the host or on curves that
/// cross at small angles.
std::string rough(double value);
/// Returns "6.2 times" or "12 times".
std::string times(double factor);
/// Returns "4100 GB/s" for a value in GB/s.
std::string gigabytes_per_second(double value);
/// Formats a number of values: "4096", and "2³⁰" instead of 1073741824.
std::string count_of(double values);
/// Returns "a, b and c".
std::string listed(const std::vector<std::string>& names);

}  // namespace poisson::lab
