#include "lab/harness/study.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace poisson::lab {
namespace {

// Returns whether a panel of that name has points, but none of that variant, or for no variant whether it is missing.
bool lacks(const Panels& panels, const Addition& addition) {
  const auto panel = std::ranges::find(panels, addition.panel, &Panel::name);
  if (addition.variant.empty()) return panel == panels.end();
  return panel != panels.end() && !panel->points.empty() &&
         std::ranges::find(panel->points, addition.variant, &Point::variant) == panel->points.end();
}

}  // namespace

Findings findings_of(const Study& study, Panels panels, const Machine& machine) {
  Findings findings{std::move(panels), {}, {}, {}};
  findings.conclusions = study.conclude(findings.panels, machine);
  for (const Historical& then : study.history)
    findings.today.push_back(then.today ? then.today(findings.panels, machine)
                                        : std::numeric_limits<double>::quiet_NaN());
  for (const Addition& addition : study.additions)
    if (lacks(findings.panels, addition)) findings.not_measured.push_back(addition);
  return findings;
}

}  // namespace poisson::lab
