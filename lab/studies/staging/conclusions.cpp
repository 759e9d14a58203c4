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
                      figure(caches->value) + " GB/s, " + percent(caches->value / machine.copy) + " of a copy.");
  const Point* best = caches;
  for (const std::string_view way : {by_loads, by_async, by_bulk}) {
    const Point* const point = best_of(*panel, way);
    if (!point) continue;
    const Curve curve(*panel, way);
    std::string text = "A tile in shared memory by " + std::string(way) + " reaches " + figure(point->value) + " GB/s";
    if (curve.points().size() > 1)
      text += " with " + figure(point->x) + (point->x == 1 ? " tile" : " tiles") + " under way (one alone " +
              figure(curve.first().value) + ")";
    sentences.push_back(text + ", " + rate_against(ratio_of(*panel, *point, *caches)) + " the kernel without tiles.");
    if (ratio_of(*panel, *point, *best).more()) best = point;
  }
  sentences.push_back(
      best == caches ? "For a stencil whose neighbours lie in cached lines shared memory and asynchronous copies buy "
                       "nothing by themselves: take them where several steps work on one tile."
                     : "Asynchronous copies keep memory busy while a tile is computed: \"" + best->variant +
                           "\" is worth its code here.");
  return sentences;
}

}  // namespace poisson::lab
