#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/divergence/study.hpp"

namespace poisson::lab {

std::vector<std::string> conclude_divergence(const Panels& panels) {
  std::vector<std::string> sentences;
  const Panel* const panel = find_panel(panels, "paths");
  if (!panel) return sentences;
  const Curve within(*panel, within_warps), between(*panel, between_warps), brief(*panel, short_branch);
  if (within.empty() || between.empty()) return sentences;
  const auto loss = [panel](const Curve& curve) { return ratio_of(*panel, curve.first(), curve.last()); };
  const auto along = [panel](const Curve& curve) { return ratio_of(*panel, curve.last(), curve.first()); };
  std::string text = "Where the threads of a warp take " + figure(within.last().x) +
                     " paths, a multiprocessor finishes " + figure(within.last().value) +
                     " results per clock instead of " + figure(within.first().value);
  if (loss(within).more())
    text += ": " + figure(loss(within).median) + " times fewer, for a warp walks all of its paths one after the other";
  sentences.push_back(text + ".");
  sentences.push_back(
      "Where whole warps take different paths they have " + rate_against(along(between)) + " warps that all take one" +
      (along(between).less()    ? ": other instructions must be fetched for each of them."
       : along(between).alike() ? ": let a branch depend on what a warp has in common, as interleaved pairs of a "
                                  "reduction do."
                                : "."));
  if (!brief.empty())
    sentences.push_back(
        "Branches of a single operation give " + figure(brief.last().value) + " results per clock with " +
        figure(brief.last().x) + " paths and " + figure(brief.first().value) + " with one" +
        (loss(brief).median < 0.5 * loss(within).median
             ? ": short ones cost less than long ones, the compiler turns them into predicates."
         : ratio_of(*panel, brief.first(), within.first()).median < 0.5
             ? ", where long ones give " + figure(within.first().value) +
                   " with one, which fits tests and jumps that take longer than the operation behind them."
             : "."));
  return sentences;
}

}  // namespace poisson::lab
