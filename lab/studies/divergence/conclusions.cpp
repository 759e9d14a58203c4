#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/divergence/study.hpp"

namespace poisson::lab {

std::vector<std::string> conclude_divergence(const Panels& panels) {
  Lessons lessons;
  const Panel* const panel = find_panel(panels, "paths");
  if (!panel) return {};
  const Curve within(*panel, within_warps), between(*panel, between_warps), brief(*panel, short_branch);
  if (within.empty() || between.empty()) return {};
  const Ratio loss = ratio_of(*panel, within.first(), within.last());
  const double kept = between.last().value / between.first().value;
  lessons.say(loss.more() ? "If the threads of a warp take " + figure(within.last().x) +
                                " paths, the warp runs all of "
                                "them in turn and is " +
                                times(loss.median) + " slower."
                          : "Paths within a warp cost nothing here.");
  lessons.say(
      panel->name,
      "If whole warps take different paths, they keep " + percent(kept) + " of the rate of one path: " +
          (kept > 0.8 ? "let a branch depend on what a warp has in common." : "here that costs nearly as much."));
  if (!brief.empty())
    lessons.say(panel->name, "A branch around one operation costs far more than the operation: " +
                                 figure(brief.first().value) + " results per clock with one path, against " +
                                 figure(within.first().value) + " for long branches.");
  return lessons.take();
}

}  // namespace poisson::lab
