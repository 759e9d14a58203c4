#include "lab/harness/study.hpp"

#include <limits>
#include <utility>

namespace poisson::lab {

Findings findings_of(const Study& study, Panels panels, const Machine& machine) {
  Findings findings{std::move(panels), {}, {}};
  findings.conclusions = study.conclude(findings.panels, machine);
  for (const Historical& then : study.history)
    findings.today.push_back(then.today ? then.today(findings.panels, machine)
                                        : std::numeric_limits<double>::quiet_NaN());
  return findings;
}

}  // namespace poisson::lab
