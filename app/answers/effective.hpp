#pragma once

#include <functional>
#include <memory>

#include "app/cases/case.hpp"
#include "io/config/config.hpp"

namespace poisson {

/// Computes the effective coefficient that output.effective requests and stores it in summary.effective. `work` has
/// been solved along the first axis; the problem is solved again along each other axis on `backend`. `stopped` is
/// called after every iteration. Collective.
void measure_effective(const Config& config, Case& work, Backend& backend,
                       const std::shared_ptr<const Processes>& processes, const std::function<bool()>& stopped,
                       Summary& summary);

}  // namespace poisson
