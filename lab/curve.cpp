#include "lab/curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace poisson::lab {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool lower(const Point& a, const Point& b) {
  return a.value < b.value;
}

}  // namespace

Curve::Curve(const Panel& panel, std::string_view variant) {
  for (const Point& point : panel.points)
    if (point.variant == variant) points_.push_back(point);
  std::stable_sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
}

const Point& Curve::highest() const {
  return *std::max_element(points_.begin(), points_.end(), lower);
}

const Point& Curve::lowest() const {
  return *std::min_element(points_.begin(), points_.end(), lower);
}

double Curve::at(double x) const {
  const auto found = std::find_if(points_.begin(), points_.end(), [x](const Point& point) { return point.x == x; });
  return found == points_.end() ? nan : found->value;
}

double Curve::reaches(double level) const {
  double x = nan;
  for (auto point = points_.rbegin(); point != points_.rend() && point->value >= level; ++point) x = point->x;
  return x;
}

const Panel* find_panel(const std::vector<Panel>& panels, std::string_view name) {
  const auto found =
      std::find_if(panels.begin(), panels.end(), [name](const Panel& panel) { return panel.name == name; });
  return found == panels.end() ? nullptr : &*found;
}

std::vector<std::string> variants_of(const Panel& panel) {
  std::vector<std::string> names;
  for (const Point& point : panel.points)
    if (std::find(names.begin(), names.end(), point.variant) == names.end()) names.push_back(point.variant);
  return names;
}

const Point& highest_of(const Panel& panel) {
  return *std::max_element(panel.points.begin(), panel.points.end(), lower);
}

std::string figure(double value) {
  if (!std::isfinite(value)) return "nothing finite";
  char text[64];
  if (value == std::round(value)) {
    std::snprintf(text, sizeof text, "%.0f", value);
    return text;
  }
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  const double unit = std::pow(10.0, magnitude - 2);
  const double rounded = std::round(value / unit) * unit;
  std::snprintf(text, sizeof text, "%.*f", std::clamp(2 - magnitude, 0, 9), rounded);
  std::string digits = text;
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  return digits;
}

std::string percent(double fraction) {
  char text[64];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * fraction);
  return text;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

}  // namespace poisson::lab
