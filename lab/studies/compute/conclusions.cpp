#include <algorithm>
#include <cmath>

#include "lab/page/curve.hpp"
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

// Guides are straight in double logarithmic axes between their points.
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
  const double expected = (*ridge)[0] * bytes, floor = times.lowest().value;
  // The last place up to which the time is still that of the traffic.
  double free = 0;
  for (const Point& point : times.points())
    if (point.value <= 1.25 * floor) free = point.x;
  std::string sentence = "In " + precision + " this device does " + figure((*ridge)[0]) +
                         " operations in the time of one byte of traffic, so a point of this stencil should have " +
                         figure(expected) + " for free. ";
  if (free == times.last().x)
    return sentence + "The sweep ends at " + figure(free) + " and is bound by bandwidth throughout.";
  if (free == times.first().x)
    return sentence + "Measured, even the second cheapest entry takes longer: arithmetic decides from the start.";
  const auto next =
      std::find_if(times.points().begin(), times.points().end(), [&](const Point& p) { return p.x > free; });
  return sentence + "Measured, " + figure(free) + " take " + figure(times.at(free) / floor) +
         " times the time of the cheapest entry, and " + figure(next->x) + " take " + figure(next->value / floor) +
         " times: " +
         (expected > 0.8 * free && expected < 1.25 * next->x ? "the prediction holds."
                                                             : "not where the prediction expects it.");
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
  if (least > 0.85)
    return "In " + precision + " every entry reaches at least " + percent(least) +
           " of what max(bytes/bandwidth, operations/peak) predicts.";
  return "In " + precision + " the kernel falls furthest below the prediction at " + figure(worst->x) +
         " operations per byte, to " + percent(least) + " of it" +
         (worst->x < prediction.points[1][0] / 3   ? ": there latency and instructions, not bytes alone, hold it back."
          : worst->x < prediction.points[1][0] * 3 ? ": near the ridge, where both limits are at work at once."
                                                   : ": there instructions that are no operations hold it back.");
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
    sentences.push_back("Over a grid that stays in the cache the cheapest stencil runs at " +
                        figure(cached.first().value) + " GFLOP/s, beyond it at " + figure(memory.first().value) +
                        (gain > 1 + roofline->noise ? ": the cache's roof is higher, and its ridge further left."
                                                    : ": starting the kernel takes what the cache would gain."));
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
                                  " per value that comes from memory. An entry that takes fewer is recomputed for "
                                  "free, while reading it is not."
                            : "One operation per read, as in the historical stencil, keeps this device's "
                              "arithmetic busy: load rather than recompute.");
  return sentences;
}

}  // namespace poisson::lab
