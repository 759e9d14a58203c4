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

// Returns the largest set whose rate is closer to `high` than to `low` on a logarithmic scale.
double held(const Panel& panel, std::string_view way, double high, double low) {
  double bytes = NAN;
  const Curve curve(panel, way);
  for (const Point& point : curve.points())
    if (point.value > std::sqrt(high * low)) bytes = point.x;
  return bytes;
}

}  // namespace

double cached_rate(const Panel& panel, std::string_view way) {
  constexpr double kibibyte = 1024, mebibyte = 1 << 20;
  return way == by_shared_level ? plateau(panel, way, mebibyte, 20 * mebibyte) : plateau(panel, way, 0, 128 * kibibyte);
}

double held_bytes(const Panel& panel, std::string_view way) {
  const Curve curve(panel, way);
  if (curve.empty()) return NAN;
  const double next = way == by_first_level ? cached_rate(panel, by_shared_level) : NAN;
  return held(panel, way, cached_rate(panel, way), known(next) ? next : curve.last().value);
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
                ", and memory delivers " + rate(memory) + ".");
    if (first > 1.2 * second && second > 1.2 * memory)
      lessons.say(
          "Reuse data while they are near: all sweeps over a block that fits a cache should follow each other.");
    lessons.say(panel->name, "L1 serves sets of up to " + readable_bytes(near) +
                                 " on each multiprocessor, L2 sets of up to " + readable_bytes(shared) +
                                 " on the whole chip.");
  }
  return lessons.take();
}

}  // namespace poisson::lab
