#include <algorithm>
#include <cmath>

#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/compute/study.hpp"

namespace poisson::lab {

double expensive_value(const std::array<double, 5>& neighbours, int steps) {
  double sum = 0;
  for (std::size_t d = 0; d < 5; ++d) {
    double entry = neighbours[d];
    for (int step = 0; step < steps; ++step) entry = entry_factors[d] * entry + entry_shift;
    sum += stencil_weights[d] * entry;
  }
  return sum;
}

double predicted_seconds(double bytes, double operations, double bandwidth, double peak) {
  return std::max(bytes / bandwidth, operations / peak);
}

const Guide* prediction_of(const Panel& panel, std::string_view precision) {
  for (const Guide& guide : panel.guides)
    if (guide.name == "prediction, " + std::string(precision)) return &guide;
  return nullptr;
}

namespace {

// Interpolates a guide, which is straight between its points on double logarithmic axes.
double height(const Guide& guide, double x) {
  const auto& p = guide.points;
  for (std::size_t i = 0; i + 1 < p.size(); ++i)
    if (x >= p[i][0] && x <= p[i + 1][0]) {
      const double t = std::log(x / p[i][0]) / std::log(p[i + 1][0] / p[i][0]);
      return p[i][1] * std::pow(p[i + 1][1] / p[i][1], t);
    }
  return std::nan("");
}

// Describes the times on both sides of the ridge, at places that can be told apart from it.
void on_ridge(const Panel& time, const Guide& prediction, const std::string& precision, Lessons& lessons) {
  const Curve times_of(time, precision);
  const double bytes = bytes_per_point(precision == "fp32" ? Precision::fp32 : Precision::fp64);
  const double expected = prediction.points[1][0] * bytes, floor = times_of.first().value;
  constexpr double apart = 1.2;
  const Point *before = nullptr, *after = nullptr;
  for (const Point& point : times_of.points()) {
    if (point.x <= expected / apart) before = &point;
    if (!after && point.x >= apart * expected) after = &point;
  }
  if (!before || !after) return;
  lessons.say(time.name, "The traffic of a point in " + precision + " should hide " + figure(expected) +
                             " operations; " + figure(before->x) + " take " + times(before->value / floor) +
                             " as long as the cheapest point, " + figure(after->x) + " take " +
                             times(after->value / floor) + ".");
}

// Returns the smallest share of the prediction that a curve reaches.
double least_share(const Guide& prediction, const Curve& rates) {
  double least = INFINITY;
  for (const Point& point : rates.points()) least = std::fmin(least, point.value / height(prediction, point.x));
  return least;
}

void on_cache(const Panel& roofline, Lessons& lessons) {
  const Curve cached(roofline, in_cache), memory(roofline, "fp32");
  if (cached.empty() || memory.empty()) return;
  lessons.say(roofline.name, "On a grid that stays in L2 the cheapest stencil runs at " + figure(cached.first().value) +
                                 " GFLOP/s, in memory at " + figure(memory.first().value) +
                                 "; a sweep of the small grid takes " + rough(1e6 * cached.first().seconds) +
                                 " µs, launch included.");
}

}  // namespace

std::vector<std::string> conclude_compute(const std::vector<Panel>& panels) {
  Lessons lessons;
  const Panel *const roofline = find_panel(panels, "roofline"), *const time = find_panel(panels, "time");
  if (!roofline || !time) return {};
  double least = INFINITY;
  for (const std::string precision : {"fp32", "fp64"}) {
    const Guide* const prediction = prediction_of(*roofline, precision);
    const Curve rates(*roofline, precision);
    if (!prediction || prediction->points.size() != 3 || rates.empty() || Curve(*time, precision).empty()) continue;
    const double ridge = prediction->points[1][0];
    if (precision == "fp32")
      lessons.say("This device performs " + figure(ridge) + " fp32 operations in the time of one byte of traffic, " +
                  figure(4 * ridge) + " per float: below that, bandwidth alone decides.");
    least = std::fmin(least, least_share(*prediction, rates));
    if (precision == "fp32") on_ridge(*time, *prediction, precision, lessons);
  }
  if (known(least))
    lessons.say(roofline->name, "Stencils in memory reach " + at_least(least) +
                                    " of max(bytes / bandwidth, operations / peak), and least near the ridge.");
  on_cache(*roofline, lessons);
  std::vector<std::string> verbs;
  if (const Guide* const roof = prediction_of(*roofline, "fp64"))
    for (const char* const verb : verb_names) {
      const Curve point(*roofline, verb);
      // Left of the ridge the roof is bandwidth times intensity.
      if (!point.empty())
        verbs.push_back(std::string(verb) + " " +
                        percent(point.first().value / (roof->points[1][1] * point.first().x / roof->points[1][0])));
    }
  if (!verbs.empty())
    lessons.say(roofline->name, "The solver's own operations lie left of the ridge and reach, of the bandwidth, " +
                                    listed(verbs) + ".");
  return lessons.take();
}

}  // namespace poisson::lab
