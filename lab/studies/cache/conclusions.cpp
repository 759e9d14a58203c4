#include <algorithm>
#include <cmath>

#include "backends/memory/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/cache/study.hpp"

namespace poisson::lab {
namespace {

// Returns the median of a curve between two sizes, NaN if it has no point there.
double plateau(const Panel& panel, std::string_view way, double least, double most) {
  Panel part = panel;
  std::erase_if(part.points, [=](const Point& point) { return point.x < least || point.x > most; });
  return typical(part, way);
}

}  // namespace

double cached_rate(const Panel& panel, std::string_view way) {
  constexpr double kibibyte = 1024, mebibyte = 1 << 20;
  return way == by_shared_level ? plateau(panel, way, 4 * mebibyte, 32 * mebibyte)
                                : plateau(panel, way, 0, 128 * kibibyte);
}

double held_bytes(const Panel& panel, std::string_view way) {
  const double enough = (way == by_first_level ? 0.9 : 0.6) * cached_rate(panel, way);
  double bytes = NAN;
  const Curve curve(panel, way);
  for (const Point& point : curve.points()) {
    if (point.value < enough) break;
    bytes = point.x;
  }
  return bytes;
}

double l2_size(const Panel& panel) {
  for (const Guide& guide : panel.guides)
    if (guide.name == l2_of_device) return guide.points.front()[0];
  return NAN;
}

std::vector<std::string> conclude_cache(const Panels& panels) {
  Lessons lessons;
  const Panel* const panel = find_panel(panels, "working-set");
  if (!panel) return {};
  const double first = cached_rate(*panel, by_first_level), second = cached_rate(*panel, by_shared_level),
               near = held_bytes(*panel, by_first_level), shared = held_bytes(*panel, by_shared_level);
  if (known(first, second, near, shared)) {
    const double memory = Curve(*panel, by_shared_level).last().value;
    lessons.say("A working set that fits L1 is read at " + rate(first) + ", one that fits L2 at " + rate(second) +
                ", and memory delivers " + rate(memory) +
                (first > 1.2 * second && second > 1.2 * memory
                     ? ": let all sweeps over a block that fits a cache follow each other."
                     : "."));
    std::string text =
        "L1 keeps 90 % of its rate for sets of up to " + readable_bytes(near) + " on each multiprocessor";
    if (known(l2_size(*panel)))
      text += "; L2 has " + readable_bytes(l2_size(*panel)) + ", and sets of up to " + readable_bytes(shared) +
              " keep 60 % of its rate" +
              (shared > 1.05 * l2_size(*panel) ? ", probably because part of a larger set survives there" : "");
    lessons.say(panel->name, text + ".");
  }
  return lessons.take();
}

}  // namespace poisson::lab
