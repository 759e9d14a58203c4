#include "lab/page/curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "lab/page/report.hpp"

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

std::vector<double> places(const Panel& panel, std::string_view variant) {
  std::vector<double> all;
  for (const Point& point : panel.points)
    if (variant.empty() || point.variant == variant) all.push_back(point.x);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

const Point* point_at(const Panel& panel, std::string_view variant, double x) {
  const auto found =
      std::ranges::find_if(panel.points, [&](const Point& p) { return p.variant == variant && p.x == x; });
  return found == panel.points.end() ? nullptr : &*found;
}

const Point& highest_of(const Panel& panel) {
  return *std::max_element(panel.points.begin(), panel.points.end(), lower);
}

const Point* best_of(const Panel& panel, std::string_view variant) {
  const Point* best = nullptr;
  for (const Point& point : panel.points)
    if (point.variant == variant && (!best || point.value > best->value)) best = &point;
  return best;
}

const Point* worst_of(const Panel& panel, std::string_view variant) {
  const Point* worst = nullptr;
  for (const Point& point : panel.points)
    if (point.variant == variant && (!worst || point.value < worst->value)) worst = &point;
  return worst;
}

const Point* best_at(const Panel& panel, double x, std::span<const std::string> among) {
  const Point* best = nullptr;
  for (const Point& point : panel.points)
    if (point.x == x && std::ranges::find(among, point.variant) != among.end() && (!best || point.value > best->value))
      best = &point;
  return best;
}

std::string figure(double value) {
  if (!std::isfinite(value)) return "nothing finite";
  char text[64];
  if (value == std::round(value)) {
    std::snprintf(text, sizeof text, "%.0f", value);
    return text;
  }
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  const double unit = std::pow(10.0, magnitude - 1);
  const double rounded = std::round(value / unit) * unit;
  std::snprintf(text, sizeof text, "%.*f", std::clamp(1 - magnitude, 0, 9), rounded);
  std::string digits = text;
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  return digits;
}

std::string percent(double fraction) {
  char text[64];
  std::snprintf(text, sizeof text, fraction >= 0.0005 && fraction < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * fraction);
  return text;
}

std::string rough(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)));
  return "roughly " + figure(std::round(value / unit) * unit);
}

std::string times(double factor) {
  char text[64];
  std::snprintf(text, sizeof text, factor < 9.95 ? "%.1f times" : "%.0f times", factor);
  return text;
}

std::string gigabytes_per_second(double value) {
  return figure(value) + " GB/s";
}

std::string count_of(double values) {
  constexpr const char* superscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  int exponent = 0;
  if (values < 1 << 20 || std::frexp(values, &exponent) != 0.5) return figure(values);
  --exponent;
  return std::string("2") + superscripts[exponent / 10] + superscripts[exponent % 10];
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

}  // namespace poisson::lab
