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
  lessons.say("Several points per thread and wide loads bring a Jacobi sweep to " + percent(best.value / copy) +
              " of a copy; one float per thread reaches " + percent(floats.at(1) / copy) + ".");
  const Ratio points = ratio_of(*sweep, floats.highest(), floats.first()), wide = ratio_of(*sweep, "float4", "float");
  if (points.known() && wide.known())
    lessons.say(sweep->name, "Points along z gain up to " + times(points.median) +
                                 " with single floats; float4 then has " + times(wide.median) +
                                 " the rate of float with as many points (median).");
  return lessons.take();
}

}  // namespace poisson::lab
