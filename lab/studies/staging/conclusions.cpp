#include <cmath>

#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/staging/study.hpp"

namespace poisson::lab {

std::vector<std::string> conclude_staging(const Panels& panels, const Machine& machine) {
  std::vector<std::string> sentences;
  const Panel* const panel = find_panel(panels, "stages");
  const Point* const caches = panel ? best_of(*panel, by_caches) : nullptr;
  if (!caches) return sentences;
  sentences.push_back("Read from where they lie, the neighbours of a stencil along lines come from the caches at " +
                      gigabytes_per_second(caches->value) + ", " + percent(caches->value / machine.copy) +
                      " of a copy.");
  const Point* const loads = best_of(*panel, by_loads);
  bool pays = false;
  for (const std::string_view way : {by_loads, by_async, by_bulk}) {
    const Point* const point = best_of(*panel, way);
    if (!point) continue;
    const Curve curve(*panel, way);
    std::string text =
        "A tile in shared memory by " + std::string(way) + " reaches " + gigabytes_per_second(point->value);
    text += " (" + percent(point->value / machine.copy) + " of a copy)";
    if (curve.points().size() > 1)
      text += " at best and " + gigabytes_per_second(curve.first().value) + " with one tile under way";
    sentences.push_back(text + ", " + rate_against(ratio_of(*panel, *point, *caches)) + " the kernel without tiles.");
    pays = pays || (way != by_loads && loads && ratio_of(*panel, *point, *loads).more() &&
                    ratio_of(*panel, *point, *caches).more());
  }
  sentences.push_back(
      pays ? "For a stencil: asynchronous copies keep memory busy while a tile is computed, and pay here."
           : "For a stencil: asynchronous copies have no clear lead over loads and stores. Take them where several "
             "steps work on one tile, or where registers that wait for loads are scarce.");
  return sentences;
}

}  // namespace poisson::lab
