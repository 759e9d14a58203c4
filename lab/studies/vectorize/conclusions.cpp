#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/vectorize/study.hpp"

namespace poisson::lab {

std::vector<std::string> conclude_vectorize(const std::vector<Panel>& panels, double copy) {
  Lessons lessons;
  const Panel* const sweep = find_panel(panels, "sweep");
  if (!sweep) return {};
  const Point& best = highest_of(*sweep);
  const Curve floats(*sweep, "float");
  lessons.say("The fastest Jacobi sweep, " + best.variant + " with " + figure(best.x) + " points per thread, reaches " +
              percent(best.value / copy) + " of a copy; one float per thread reaches " + percent(floats.at(1) / copy) +
              ".");
  const Ratio points = ratio_of(*sweep, floats.highest(), floats.first()), wide = ratio_of(*sweep, "float4", "float");
  if (points.known() && wide.known())
    lessons.say(sweep->name, "Several points along z per thread gain up to " + times(points.median) +
                                 " with single floats; float4 is then " +
                                 (wide.more() ? times(wide.median) + " as fast as float with as many points."
                                              : "not clearly faster than float with as many points."));
  return lessons.take();
}

}  // namespace poisson::lab
