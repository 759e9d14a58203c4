#include <algorithm>
#include <cmath>

#include "backends/memory/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/occupancy/study.hpp"

namespace poisson::lab {
namespace {

// Contains the two neighbours with the largest drop of a curve, as a share of its maximum; `next` is the second
// largest.
struct Cliff {
  Point before, after;
  double share = 0, next = 0;
};

Cliff steepest(const Curve& curve) {
  Cliff cliff;
  for (std::size_t i = 1; i < curve.points().size(); ++i) {
    const Point &before = curve.points()[i - 1], &after = curve.points()[i];
    const double share = (before.value - after.value) / curve.highest().value;
    if (share > cliff.share)
      cliff = {before, after, share, cliff.share};
    else
      cliff.next = std::max(cliff.next, share);
  }
  return cliff;
}

std::string residency_steps(const Curve& resident) {
  std::vector<std::string> steps;
  for (std::size_t i = 1; i < resident.points().size(); ++i) {
    const Point &before = resident.points()[i - 1], &after = resident.points()[i];
    if (after.value < before.value) steps.push_back(figure(after.value) + " with " + figure(after.x));
  }
  return listed(steps);
}

void conclude_throughput(const Curve& curve, const Curve& resident, double copy, std::vector<std::string>& sentences) {
  // Fewer warps may be equally fast, so use the best of the places with the most warps.
  const double most_warps = resident.highest().value;
  Point best = curve.first();
  for (const Point& point : curve.points())
    if (resident.at(point.x) == most_warps && point.value > best.value) best = point;
  const Cliff cliff = steepest(curve);
  std::string sentence = "With " + best.variant + " per thread and " + figure(most_warps) +
                         " resident warps, the most, the throughput is " + figure(best.value) + " GB/s (" +
                         percent(best.value / copy) + " of a copy)";
  if (cliff.share < 0.05) {
    sentences.push_back(sentence + ", and no number of registers costs more than a twentieth of it at a step.");
    return;
  }
  sentence += "; the steepest cliff of a few registers more costs " + percent(cliff.share) + " of it";
  // Another run confirms the place only if this cliff exceeds the next one clearly.
  if (cliff.share > cliff.next + 2 * Panel::gpu_noise)
    sentence += ": it lies between " + figure(cliff.before.x) + " and " + figure(cliff.after.x) + ", where " +
                figure(resident.at(cliff.before.x)) + " warps become " + figure(resident.at(cliff.after.x));
  sentences.push_back(sentence + ".");
  const double warps_left = resident.last().value / resident.highest().value, left = curve.last().value / best.value;
  const std::string ends = "With " + figure(100 * warps_left) + " % of the warps, " + best.variant +
                           " per thread still reaches " + percent(left) + " of its throughput";
  // Between these two cases nothing follows.
  sentences.push_back(
      ends + (left > 1.4 * warps_left ? ": it loses less than its warps, which loads under way in each thread or other "
                                        "limits make up for."
              : left < 1.25 * warps_left ? ": nothing but warps hides the latency there, so registers cost throughput."
                                         : "."));
}

// States the share of the copy's rate that small blocks lose although the number of resident warps is the largest.
std::string on_small_blocks(const Curve& warps, const Panel& rates) {
  const double most = warps.highest().value;
  const Point *smallest = nullptr, *best = nullptr;
  for (const Point& point : warps.points()) {
    const Point* const rate = point_at(rates, copied, point.x);
    if (point.value < most || std::fmod(point.x, 32) != 0 || !rate) continue;
    if (!smallest) smallest = rate;
    if (!best || rate->value > best->value) best = rate;
  }
  if (!smallest) return {};
  const Ratio lost = ratio_of(rates, *smallest, *best);
  return " With " + figure(most) + " warps resident, blocks of " + figure(smallest->x) +
         " threads copy, with one load per thread, at " + rate_against(lost) + " the best blocks with as many" +
         (lost.less() ? ": it is not warps that are missing there, which fits a limit to how fast blocks start." : ".");
}

// Describes how block sizes, or the shared memory of blocks, limit the resident warps.
void conclude_limit(const Panel& resident, const Panel& rates, std::vector<std::string>& sentences) {
  const Curve warps(resident, resident_warps), copies(rates, copied);
  if (warps.empty() || copies.empty()) return;
  const Point &most = warps.highest(), &least = warps.lowest();
  const bool memory = resident.name == "shared-memory";
  const auto place = [memory](double x) {
    return memory ? readable_bytes(x) + " of shared memory" : figure(x) + " threads";
  };
  const Ratio lost = ratio_of(rates, *point_at(rates, copied, least.x), *point_at(rates, copied, most.x));
  bool as_predicted = true;
  for (const Point& point : warps.points())
    as_predicted = as_predicted && point.value == Curve(resident, predicted_warps).at(point.x);
  std::string text = "Blocks with " + place(least.x) + " leave " + figure(least.value) + " resident warps, with " +
                     place(most.x) + " " + figure(most.value) + ", " +
                     (as_predicted ? "at every size as many as the runtime predicts"
                                   : "not at every size as many as the runtime predicts");
  if (memory)
    text += "; a copy with one load per thread then has " + rate_against(lost) + " the better one" +
            (lost.less() ? ": shared memory is paid for with warps." : ".");
  else
    text += (least.value < most.value && least.x < most.x ? ": the number of blocks is limited, too." : ".") +
            on_small_blocks(warps, rates);
  sentences.push_back(text);
}

}  // namespace

std::vector<Guide> proportional_guides(const Panel& throughput, const Panel& resident) {
  std::vector<Guide> guides;
  for (const std::string& variant : variants_of(throughput)) {
    const Curve curve(throughput, variant), warps(resident, variant);
    Guide guide{"in proportion to warps, " + variant, {}};
    for (const Point& point : warps.points())
      guide.points.push_back({point.x, curve.highest().value * point.value / warps.highest().value});
    guides.push_back(guide);
  }
  return guides;
}

std::vector<std::string> conclude_occupancy(const std::vector<Panel>& panels, double copy) {
  const Panel *const resident = find_panel(panels, "resident"), *const throughput = find_panel(panels, "throughput");
  std::vector<std::string> sentences;
  if (!resident || !throughput) return sentences;
  const Curve warps(*resident, variants_of(*resident).front());
  const std::string steps = residency_steps(warps);
  sentences.push_back(figure(warps.first().value) + " warps are resident with " + figure(warps.first().x) +
                      " registers per thread" +
                      (steps.empty() ? ", and no more registers make them fewer." : "; then " + steps + "."));
  std::vector<double> lowest;
  for (const std::string& variant : variants_of(*throughput)) {
    const Curve curve(*throughput, variant);
    conclude_throughput(curve, Curve(*resident, variant), copy, sentences);
    lowest.push_back(curve.last().value);
  }
  for (const char* const kind : {"block-size", "shared-memory"})
    if (const Panel* const live = find_panel(panels, kind), * const rates =
                                                                find_panel(panels, std::string(kind) + "-copy");
        live && rates)
      conclude_limit(*live, *rates, sentences);
  if (lowest.size() == 2)
    sentences.push_back("At the fewest warps, more loads per thread give " + figure(lowest[1] / lowest[0]) +
                        (lowest[1] > 1.2 * lowest[0]
                             ? " times the throughput: spend registers where they carry loads under way."
                             : " times the throughput: they do not replace warps here."));
  return sentences;
}

}  // namespace poisson::lab
