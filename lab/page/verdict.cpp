#include "lab/page/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "lab/page/curve.hpp"

namespace poisson::lab {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool quotable(double noise) {
  return noise < 0.2;
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

template <class Of>
double reading(const Panels& panels, std::string_view name, std::string_view variant, const Of& of) {
  const Panel* const panel = find_panel(panels, name);
  if (!panel) return nan;
  const Curve curve(*panel, variant);
  return curve.empty() ? nan : of(curve);
}

}  // namespace

Ratio ratio_of(const Panel& panel, const Point& point, const Point& other) {
  if (!(other.value > 0)) return {};
  const double ratio = point.value / other.value, off = 1 + point.spread() + other.spread();
  return {ratio, ratio / off, ratio * off, panel.noise};
}

Ratio ratio_of(const Panel& panel, std::string_view variant, std::string_view other) {
  std::vector<double> ratios, spreads;
  const Curve curve(panel, variant);
  for (const Point& point : curve.points())
    if (const Point* const beside = point_at(panel, other, point.x); beside && beside->value > 0) {
      ratios.push_back(point.value / beside->value);
      spreads.push_back(point.spread() + beside->spread());
    }
  if (ratios.empty()) return {};
  std::ranges::sort(ratios);
  const std::size_t count = ratios.size();
  const double off = 1 + median_of(std::move(spreads));
  return {ratios[count / 2], ratios[count / 4] / off, ratios[count - 1 - count / 4] * off, panel.noise};
}

Ratio ratio_at(const Panel& panel, std::string_view variant, std::string_view other, double x) {
  const Point *const point = point_at(panel, variant, x), *const beside = point_at(panel, other, x);
  return point && beside ? ratio_of(panel, *point, *beside) : Ratio{};
}

std::string rate_against(const Ratio& ratio) {
  if (!quotable(ratio.noise))
    return std::string(ratio.more() ? verdict::far_more : ratio.less() ? verdict::far_less : verdict::unclear);
  if (ratio.more()) return times(ratio.median) + " the rate of";
  if (ratio.less()) return std::string(verdict::only) + percent(ratio.median) + " of the rate of";
  if (ratio.alike()) return std::string(verdict::alike);
  return std::string(ratio.median > 1 ? verdict::hardly_more : verdict::hardly_less);
}

bool quotable(const Panel& panel) {
  return quotable(panel.noise);
}

bool quotable(const Panel& panel, const Point& point) {
  return quotable(std::max(panel.noise, point.spread()));
}

std::string where_quotable(const Panel& panel, const std::string& part) {
  return quotable(panel) ? part : std::string();
}

double typical(const Panel& panel, std::string_view variant) {
  std::vector<double> values;
  const Curve curve(panel, variant);
  for (const Point& point : curve.points()) values.push_back(point.value);
  return values.empty() ? nan : median_of(std::move(values));
}

double value_in(const Panels& panels, std::string_view panel, std::string_view variant, double x) {
  return reading(panels, panel, variant, [x](const Curve& curve) { return curve.at(x); });
}

double bar_in(const Panels& panels, std::string_view panel, std::string_view variant) {
  return reading(panels, panel, variant, [](const Curve& curve) { return curve.first().value; });
}

double typical_in(const Panels& panels, std::string_view panel, std::string_view variant) {
  const Panel* const found = find_panel(panels, panel);
  return found ? typical(*found, variant) : nan;
}

double highest_in(const Panels& panels, std::string_view panel, std::string_view variant) {
  return reading(panels, panel, variant, [](const Curve& curve) { return curve.highest().value; });
}

double place_of_highest_in(const Panels& panels, std::string_view panel, std::string_view variant) {
  return reading(panels, panel, variant, [](const Curve& curve) { return curve.highest().x; });
}

}  // namespace poisson::lab
