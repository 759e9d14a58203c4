#include <algorithm>
#include <cmath>

#include "lab/page/curve.hpp"
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

std::string ridge_sentence(const Guide& prediction, const Curve& times, const std::string& precision) {
  const auto ridge = std::max_element(prediction.points.begin(), prediction.points.end(),
                                      [](const auto& a, const auto& b) { return a[1] < b[1]; });
  const double bytes = bytes_per_point(precision == "fp32" ? Precision::fp32 : Precision::fp64);
  const double expected = (*ridge)[0] * bytes, floor = times.first().value;
  // The places on both sides of the ridge that are far enough from it to be distinguished.
  constexpr double apart = 1.2;
  const Point *before = nullptr, *after = nullptr;
  for (const Point& point : times.points()) {
    if (point.x <= expected / apart) before = &point;
    if (!after && point.x >= apart * expected) after = &point;
  }
  std::string sentence = "In " + precision + " this device does " + figure((*ridge)[0]) +
                         " operations in the time of one byte of traffic, so a point of this stencil should have " +
                         figure(expected) + " for free. ";
  if (!after) return sentence + "The sweep ends before it.";
  if (!before) return sentence + "Even the cheapest entry takes more: arithmetic decides from the start.";
  const double still = before->value / floor, longer = after->value / floor;
  return sentence + "Measured, " + figure(before->x) + " take " + figure(still) +
         " times the time of the cheapest entry, and " + figure(after->x) + " take " + figure(longer) + " times" +
         (still < 1.3 && longer > 1.1    ? ": the ridge lies where it is predicted, though it is no sharp corner."
          : still > 1.4 || longer < 1.05 ? ": not what the prediction expects."
                                         : ".");
}

std::string deviation_sentence(const Guide& prediction, const Curve& rates, const std::string& precision) {
  const Point* worst = nullptr;
  double least = 0;
  for (const Point& point : rates.points()) {
    const double reached = point.value / height(prediction, point.x);
    if (std::isnan(reached) || (worst && reached >= least)) continue;
    worst = &point;
    least = reached;
  }
  if (!worst) return {};
  const double from_ridge = worst->x / prediction.points[1][0];
  return "In " + precision + " every entry reaches at least " + percent(least) +
         " of what max(bytes/bandwidth, operations/peak) predicts" +
         (least < 0.85 && from_ridge > 0.3 && from_ridge < 3
              ? ": least near the ridge, where both limits are at work at once."
              : ".");
}

}  // namespace

std::vector<std::string> conclude_compute(const std::vector<Panel>& panels) {
  std::vector<std::string> sentences;
  const Panel *roofline = find_panel(panels, "roofline"), *time = find_panel(panels, "time");
  if (!roofline || !time) return sentences;
  double ridge = 0;
  for (const std::string precision : {"fp32", "fp64"}) {
    const Guide* prediction = prediction_of(*roofline, precision);
    const Curve rates(*roofline, precision), times(*time, precision);
    if (!prediction || prediction->points.size() != 3 || rates.empty() || times.empty()) continue;
    ridge = std::max(ridge, prediction->points[1][0] * static_cast<double>(precision == "fp32" ? 4 : 8));
    sentences.push_back(ridge_sentence(*prediction, times, precision));
    const std::string deviation = deviation_sentence(*prediction, rates, precision);
    if (!deviation.empty()) sentences.push_back(deviation);
  }
  const Curve cached(*roofline, in_cache), memory(*roofline, "fp32");
  if (!cached.empty() && !memory.empty()) {
    const double gain = cached.first().value / memory.first().value;
    const bool falls_behind = std::ranges::any_of(
        cached.points(), [&](const Point& point) { return ratio_at(*roofline, in_cache, "fp32", point.x).less(); });
    std::string text = "Over a grid that stays in the cache the cheapest stencil runs at " +
                       figure(cached.first().value) + " GFLOP/s, beyond it at " + figure(memory.first().value);
    if (!(gain > 1 + roofline->noise))
      text += ": starting the kernel takes what the cache would gain.";
    else if (falls_behind)
      text += ": memory holds it up. Dearer entries are done faster beyond the cache: a sweep within it takes " +
              rough(1e6 * cached.first().seconds) + " µs, of which starting has its part.";
    else
      text += ": the cache's roof is higher, and its ridge further left.";
    sentences.push_back(text);
  }
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
    sentences.push_back("The solver's own operations lie left of the ridge, and reach of what bandwidth allows: " +
                        listed(verbs) + ".");
  if (ridge > 0)
    sentences.push_back(ridge > 2
                            ? "A stencil with one operation per read, as the historical one, leaves the arithmetic " +
                                  std::string("units idle: they could do up to ") + figure(ridge) +
                                  " per value that comes from memory. Up to how many an entry is better worked out "
                                  "anew than read is what the study recompute measures."
                            : "One operation per read, as in the historical stencil, keeps this device's "
                              "arithmetic busy: load rather than recompute.");
  return sentences;
}

}  // namespace poisson::lab
