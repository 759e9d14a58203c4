#include <algorithm>
#include <cmath>

#include "backends/memory/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/cache/study.hpp"

namespace poisson::lab {

double held_bytes(const Panel& panel, std::string_view way) {
  const Curve curve(panel, way);
  if (curve.empty()) return NAN;
  const double middle = std::sqrt(curve.highest().value * curve.last().value);
  double cached = curve.first().x;
  for (const Point& point : curve.points())
    if (point.value > middle) cached = point.x;
  return cached;
}

std::vector<std::string> conclude_cache(const Panels& panels) {
  std::vector<std::string> sentences;
  const Panel* const panel = find_panel(panels, "working-set");
  if (!panel) return sentences;
  bool pays = !quotable(*panel);  // a host's caches always do
  // On a shared host the memory rate may change tenfold between two moments.
  for (const std::string& way : quotable(*panel) ? variants_of(*panel) : std::vector<std::string>()) {
    const Curve curve(*panel, way);
    const Point &best = curve.highest(), &memory = curve.last();
    const Ratio gain = ratio_of(*panel, best, memory);
    const std::string text = "Read " + way + ", a small working set comes at " + gigabytes_per_second(best.value) +
                             ", one of " + readable_bytes(memory.x) + " at " + gigabytes_per_second(memory.value);
    pays = pays || gain.more();
    sentences.push_back(text + (gain.alike()
                                    ? ": within the noise of this machine no cache shows."
                                    : ", " + times(gain.median) + " as much in caches; up to " +
                                          readable_bytes(held_bytes(*panel, way)) +
                                          ", of all multiprocessors together, it is nearer to that than to memory."));
  }
  if (pays)
    sentences.push_back(
        "For a stencil: what a level of a multigrid cycle touches belongs into a set that a cache holds, and sweeps "
        "over one block of it should follow each other before the next is fetched.");
  return sentences;
}

}  // namespace poisson::lab
