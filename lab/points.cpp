#include "lab/points.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "lab/report.hpp"

namespace poisson::lab {
namespace {

std::string formatted(const char* format, double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace

std::optional<double> value_at(const Panel& panel, std::string_view variant, double x) {
  for (const Point& point : panel.points)
    if (point.variant == variant && point.x == x) return point.value;
  return std::nullopt;
}

std::vector<double> places(const Panel& panel, std::string_view variant) {
  std::vector<double> all;
  for (const Point& point : panel.points)
    if (variant.empty() || point.variant == variant) all.push_back(point.x);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

const Point* best_at(const Panel& panel, double x, std::span<const std::string> among) {
  const Point* best = nullptr;
  for (const Point& point : panel.points)
    if (point.x == x && std::ranges::find(among, point.variant) != among.end() && (!best || point.value > best->value))
      best = &point;
  return best;
}

const Point* best_of(const Panel& panel, std::string_view variant) {
  const Point* best = nullptr;
  for (const Point& point : panel.points)
    if (point.variant == variant && (!best || point.value > best->value)) best = &point;
  return best;
}

std::string times(double factor) {
  return formatted(factor < 9.95 ? "%.1f times" : "%.0f times", factor);
}

std::string gigabytes_per_second(double value) {
  return readable_value(value) + " GB/s";
}

}  // namespace poisson::lab
