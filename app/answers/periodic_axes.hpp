#pragma once

#include <functional>
#include <vector>

#include "app/cases/case.hpp"

namespace poisson {

/// Solves output.effective with periodic faces along the axes after the first one, with the levels of `work`: all axes
/// have the same operator. `work` has been solved along the first axis, and has this solution again afterwards. Calls
/// add(axis, converged) after each solve; axes after a stop have no solve. Returns the iterations. Collective.
int solve_periodic_axes(Case& work, const std::vector<int>& axes, const std::function<bool()>& stopped,
                        const std::function<void(int axis, bool converged)>& add);

}  // namespace poisson
