#include <algorithm>
#include <cmath>

#include "backends/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/cache/study.hpp"

namespace poisson::lab {

double held_bytes(const Panel& panel, std::string_view way) {
  const Curve curve(panel, way);
  if (curve.empty()) return NAN;
  const double middle = std::sqrt(curve.highest().value * curve.last().value);
  double held = curve.first().x;
  for (const Point& point : curve.points())
    if (point.value > middle) held = point.x;
  return held;
}

std::vector<std::string> conclude_cache(const Panels& panels, const Machine& machine) {
  std::vector<std::string> sentences;
  const Panel* const panel = find_panel(panels, "working-set");
  if (!panel) return sentences;
  for (const std::string& way : variants_of(*panel)) {
    const Curve curve(*panel, way);
    const Point &best = curve.highest(), &memory = curve.last();
    const Ratio gain = ratio_of(*panel, best, memory);
    if (!quotable(*panel)) {
      if (gain.more())
        sentences.push_back("Read " + (machine.gpu ? way : "by " + way) +
                            ", a small working set comes far faster than one of " + readable_bytes(memory.x) +
                            ": caches hold it.");
      continue;
    }
    std::string text = "Read " + (machine.gpu ? way : "by " + way) + ", a small working set comes at " +
                       gigabytes_per_second(best.value) + ", one of " + readable_bytes(memory.x) + " at " +
                       gigabytes_per_second(memory.value);
    if (gain.alike()) {
      sentences.push_back(text + ": within the noise of this machine no cache shows.");
      continue;
    }
    sentences.push_back(
        text + ", " + times(gain.median) + " as much in caches" +
        (machine.gpu ? "; up to " + readable_bytes(held_bytes(*panel, way)) + " it is nearer to that than to memory."
                     : "."));
  }
  sentences.push_back(
      "For a stencil: what a level of a multigrid cycle touches belongs into such a set, and sweeps over "
      "one block of it should follow each other before the next is fetched.");
  return sentences;
}

}  // namespace poisson::lab
