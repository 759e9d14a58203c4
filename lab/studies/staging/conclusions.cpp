#include <algorithm>
#include <cmath>

#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/staging/study.hpp"

namespace poisson::lab {

std::vector<std::string> conclude_staging(const Panels& panels, const Machine& machine) {
  Lessons lessons;
  const Panel* const panel = find_panel(panels, "stages");
  const Point* const caches = panel ? best_of(*panel, by_caches) : nullptr;
  const Point* const loads = panel ? best_of(*panel, by_loads) : nullptr;
  if (!caches || !loads) return {};
  std::string text = "Neighbours from the caches reach " + percent(caches->value / machine.copy) +
                     " of a copy, a tile in shared memory by loads and stores " + percent(loads->value / machine.copy);
  double ahead = 0;
  for (const std::string_view way : {by_async, by_bulk})
    if (const Point* const point = best_of(*panel, way)) {
      text += ", by " + std::string(way) + " " + percent(point->value / machine.copy);
      ahead = std::max(ahead, point->value / loads->value);
    }
  lessons.say(panel->name, text + ".");
  if (ahead > 0)
    lessons.say(ahead > 1.15 ? "Asynchronous copies keep memory busy while a tile is computed, and pay here."
                             : "Asynchronous copies have no clear lead over loads and stores for one step: use them if "
                               "several steps work on one tile.");
  return lessons.take();
}

}  // namespace poisson::lab
