#include <algorithm>
#include <cmath>

#include "backends/memory/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/occupancy/study.hpp"

namespace poisson::lab {
namespace {

// Finds the neighbours with the largest loss of a curve, relative to the left one.
struct Cliff {
  Point before, after;
  double lost = 0;
};

Cliff steepest(const Curve& curve) {
  Cliff cliff{curve.first(), curve.first()};
  for (std::size_t i = 1; i < curve.points().size(); ++i) {
    const Point &before = curve.points()[i - 1], &after = curve.points()[i];
    if (1 - after.value / before.value > cliff.lost) cliff = {before, after, 1 - after.value / before.value};
  }
  return cliff;
}

void on_registers(const Panel& resident, const Panel& throughput, Lessons& lessons) {
  const std::vector<std::string> loads = variants_of(throughput);
  if (loads.size() != 2) return;
  const Curve warps(resident, loads[0]), one(throughput, loads[0]), four(throughput, loads[1]);
  const Cliff cliff = steepest(one);
  lessons.say("A few registers too many can cost a kernel its warps: from " + figure(cliff.before.x) + " to " +
              figure(cliff.after.x) + " registers per thread, " + figure(warps.at(cliff.before.x)) +
              " resident warps become " + figure(warps.at(cliff.after.x)) +
              ", and the rate with one load in flight per thread falls by " + percent(cliff.lost) + ".");
  std::vector<std::string> steps;
  for (std::size_t i = 1; i < warps.points().size(); ++i)
    if (const Point& point = warps.points()[i]; point.value < warps.points()[i - 1].value)
      steps.push_back(figure(point.value) + " with " + figure(point.x));
  lessons.say(resident.name, figure(warps.first().value) + " warps are resident with " + figure(warps.first().x) +
                                 " registers per thread" + (steps.empty() ? "" : ", " + listed(steps)) + ".");
  const double left = warps.last().value / warps.highest().value;
  lessons.say(throughput.name, "With " + percent(left) + " of the warps, one load in flight per thread keeps " +
                                   percent(one.last().value / one.highest().value) + " of its best rate, four keep " +
                                   percent(four.last().value / four.highest().value) +
                                   ": spend registers where they hold loads in flight.");
}

void on_blocks(const Panel& resident, const Panel& rates, Lessons& lessons) {
  const Curve warps(resident, resident_warps);
  if (warps.empty()) return;
  bool as_predicted = true;
  for (const Point& point : warps.points())
    as_predicted = as_predicted && point.value == Curve(resident, predicted_warps).at(point.x);
  const std::string runtime = as_predicted ? "as the runtime predicts" : "and the runtime predicts other numbers";
  if (resident.name == "shared-memory") {
    const Point& least = warps.lowest();
    const double kept = point_at(rates, copied, least.x)->value / highest_of(rates).value;
    lessons.say(rates.name, "Blocks with " + readable_bytes(least.x) + " of shared memory leave " +
                                figure(least.value) + " resident warps, " + runtime +
                                ", and a copy with one load per thread keeps " + percent(kept) + " of its best rate.");
    return;
  }
  lessons.say(resident.name, "Blocks of " + figure(warps.first().x) + " threads leave " + figure(warps.first().value) +
                                 " of " + figure(warps.highest().value) +
                                 " warps, because the number of blocks is limited, " + runtime + ".");
  if (const Point* const small = point_at(rates, copied, 64); small && warps.at(64) == warps.highest().value)
    lessons.say(rates.name,
                "Blocks of 64 threads fill all warps, yet copy at only " +
                    percent(small->value / highest_of(rates).value) +
                    " of the best rate with one load per thread, probably because blocks start too slowly.");
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

std::vector<std::string> conclude_occupancy(const std::vector<Panel>& panels, double) {
  Lessons lessons;
  const Panel *const resident = find_panel(panels, "resident"), *const throughput = find_panel(panels, "throughput");
  if (!resident || !throughput) return {};
  on_registers(*resident, *throughput, lessons);
  for (const char* const kind : {"block-size", "shared-memory"}) {
    const Panel *const live = find_panel(panels, kind), *const rates = find_panel(panels, std::string(kind) + "-copy");
    if (live && rates) on_blocks(*live, *rates, lessons);
  }
  return lessons.take();
}

}  // namespace poisson::lab
